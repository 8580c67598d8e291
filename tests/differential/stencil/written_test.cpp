// Stencils whose cells a job writes as formulas: the kernels against the definition, and the definition against an
// interpreter of this test, which walks the texts as they are parsed.
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "kernels/device/cpu_context.hpp"
#include "kernels/stencil/cpu/sweep.hpp"
#include "tests/differential/stencil/compare.hpp"

namespace terrace::stencil {
namespace {

using device::InstructionSet;
using formula::Form;
using formula::Syntax;
using formula::Type;

/// A value with its type: `whole` of whole numbers and conditions.
struct Value {
  Type type;
  double real;
  std::int64_t whole;
};

/// The value of an expression at a cell, by the rules of the language.
template <class T>
class Interpreter {
 public:
  Interpreter(const StencilSpec& spec, const ReferenceAt<T>& at, const Position& p) : spec_(spec), at_(at), p_(p) {}

  Value value(const Syntax& s, Type wanted) const { return converted(own_value(s, wanted), wanted); }

 private:
  static constexpr Type grid = sizeof(T) == 4 ? Type::f32 : Type::f64;

  /// The type of an expression: none of numbers alone, which are real or whole.
  struct Sort {
    std::optional<Type> type;
    bool is_real;
  };
  Sort sort(const Syntax& s) const {
    switch (s.form) {
      case Form::whole:
        return {{}, false};
      case Form::real:
        return {{}, true};
      case Form::name:
      case Form::subscript:
        if (s.word == "i" || s.word == "j" || s.word == "k" || s.word == "t") return {Type::i64, false};
        return {grid, true};
      case Form::unary:
        return s.word == "!" ? Sort{Type::boolean, false} : number(sort(*s.children[0]));
      case Form::binary:
        if (std::string("+-*/%").find(s.word) == std::string::npos) return {Type::boolean, false};
        return common(s, 0);
      case Form::call:
        break;
    }
    for (const Type type : {Type::i32, Type::i64, Type::f32, Type::f64}) {
      if (s.word == name_of(type)) return {type, type >= Type::f32};
    }
    if (s.word == "size") return {Type::i64, false};
    if (s.word == "if") {
      const Sort a = sort(*s.children[1]);
      if (a.type == Type::boolean && sort(*s.children[2]).type == Type::boolean) return a;
      return common(s, 1);
    }
    const Sort all = common(s, 0);
    if (s.word != "sqrt" && s.word != "fma") return all;
    return all.is_real ? all : all.type ? Sort{grid, true} : Sort{{}, true};
  }
  static Sort number(const Sort& sort) { return sort.type == Type::boolean ? Sort{{}, false} : sort; }
  /// The sort of several operands together.
  Sort common(const Syntax& s, std::size_t first) const {
    Sort all = number(sort(*s.children[first]));
    for (std::size_t n = first + 1; n < s.children.size(); ++n) {
      const Sort next = number(sort(*s.children[n]));
      const bool is_real = all.is_real || next.is_real;
      if (!all.type && !next.type) all = {{}, is_real};
      else if (!all.type || !next.type) {
        const Sort& typed = all.type ? all : next;
        all = is_real && !typed.is_real ? Sort{grid, true} : typed;
      } else if (all.is_real != next.is_real) {
        all = all.is_real ? all : next;
      } else {
        all = *all.type < *next.type ? next : all;
      }
    }
    return all;
  }

  static Value converted(const Value& v, Type type) {
    if (v.type == type) return v;
    if (type < Type::f32) return {type, 0, v.whole};
    const bool from_real = v.type >= Type::f32;
    if (type == Type::f64) return {type, from_real ? v.real : static_cast<double>(v.whole), 0};
    return {type, from_real ? static_cast<float>(v.real) : static_cast<float>(v.whole), 0};
  }

  /// @param wanted the type of an expression of numbers alone
  Value own_value(const Syntax& s, Type wanted) const {
    const Sort known = sort(s);
    const Type type = known.type.value_or(wanted);
    switch (s.form) {
      case Form::whole:
        return type < Type::f32 ? Value{type, 0, s.whole} : rounded(type, static_cast<double>(s.whole));
      case Form::real:
        return rounded(type, s.real);
      case Form::name:
      case Form::subscript:
        return named(s);
      case Form::unary: {
        if (s.word == "!") return {Type::boolean, 0, value(*s.children[0], Type::boolean).whole == 0};
        const Value a = value(*s.children[0], type);
        return s.word == "+" ? a : Value{type, -a.real, -a.whole};
      }
      case Form::binary:
        return binary(s, type);
      case Form::call:
        break;
    }
    if (s.word == "size") return {Type::i64, 0, p_.extent[axis_of(formula::constant_of(*s.children[0]))]};
    if (s.word == name_of(type) && s.children.size() == 1) {
      const Sort inner = sort(*s.children[0]);
      return value(*s.children[0], inner.type.value_or(type));
    }
    if (s.word == "if") {
      return value(*s.children[value(*s.children[0], Type::boolean).whole != 0 ? 1 : 2], type);
    }
    Value a = value(*s.children[0], type);
    if (s.word == "abs") return {type, std::abs(a.real), std::abs(a.whole)};
    if (s.word == "sqrt")
      return rounded(type, std::sqrt(a.real));  // of a float: the root of it, rounded twice, is right
    if (s.word == "fma") {
      const Value b = value(*s.children[1], type), c = value(*s.children[2], type);
      if (type == Type::f64) return {type, std::fma(a.real, b.real, c.real), 0};
      const float made = std::fma(static_cast<float>(a.real), static_cast<float>(b.real), static_cast<float>(c.real));
      return {type, made, 0};
    }
    for (std::size_t n = 1; n < s.children.size(); ++n) {
      const Value b = value(*s.children[n], type);
      const bool is_real = type >= Type::f32;
      const bool below = is_real ? b.real < a.real : b.whole < a.whole;
      const bool above = is_real ? a.real < b.real : a.whole < b.whole;
      if (s.word == "min" ? below : above) a = b;
    }
    return a;
  }
  static Value rounded(Type type, double real) {
    return {type, type == Type::f32 ? static_cast<double>(static_cast<float>(real)) : real, 0};
  }

  Value binary(const Syntax& s, Type type) const {
    const Syntax &left = *s.children[0], &right = *s.children[1];
    const std::string& sign = s.word;
    if (sign == "&&" || sign == "||") {
      const bool a = value(left, Type::boolean).whole != 0, b = value(right, Type::boolean).whole != 0;
      return {Type::boolean, 0, sign == "&&" ? a && b : a || b};
    }
    if (sign != "+" && sign != "-" && sign != "*" && sign != "/" && sign != "%") return comparison(s);
    const Value a = value(left, type), b = value(right, type);
    const char c = sign[0];
    if (type == Type::f64) return {type, arithmetic(c, a.real, b.real), 0};
    if (type == Type::f32) {
      return {type, arithmetic(c, static_cast<float>(a.real), static_cast<float>(b.real)), 0};
    }
    return {type, 0, c == '%' ? a.whole % b.whole : arithmetic(c, a.whole, b.whole)};
  }
  template <class N>
  static N arithmetic(char sign, N a, N b) {
    return sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : a / b;
  }
  Value comparison(const Syntax& s) const {
    const Sort left = sort(*s.children[0]), right = sort(*s.children[1]);
    Type type = Type::boolean;
    if (left.type != Type::boolean) {
      const Sort both = common(s, 0);
      type = both.type.value_or(both.is_real ? grid : Type::i64);
    }
    (void)right;
    const Value a = value(*s.children[0], type), b = value(*s.children[1], type);
    const auto holds = [&](auto x, auto y) {
      if (s.word == "==") return x == y;
      if (s.word == "!=") return x != y;
      if (s.word == "<") return x < y;
      if (s.word == "<=") return x <= y;
      return s.word == ">" ? x > y : x >= y;
    };
    return {Type::boolean, 0, type >= Type::f32 ? holds(a.real, b.real) : holds(a.whole, b.whole)};
  }

  Value named(const Syntax& s) const {
    if (s.word == "t") return {Type::i64, 0, p_.step};
    if (s.word.size() == 1) return {Type::i64, 0, p_.index[axis_of(s.word[0] - 'i')]};
    const int number = std::stoi(s.word.substr(1));
    int offset[3] = {0, 0, 0};
    switch (s.word[0]) {
      case 'f':
        for (std::size_t a = 0; a < s.children.size(); ++a) {
          offset[axis_of(static_cast<std::int64_t>(a))] = static_cast<int>(formula::constant_of(*s.children[a]));
        }
        return {grid, at_(number, offset[0], offset[1], offset[2]), 0};
      case 'a':
        return {grid, at_.array(number), 0};
      default: {
        const std::int64_t at = number * spec_.written->series_steps + p_.step;
        return {grid, static_cast<T>(spec_.drive[static_cast<std::size_t>(at)]), 0};
      }
    }
  }
  int axis_of(std::int64_t axis) const { return stencil::axis_of(static_cast<int>(axis), spec_.rank); }

  const StencilSpec& spec_;
  const ReferenceAt<T>& at_;
  const Position& p_;
};

/// The definition of a step against the interpreter, cell by cell.
template <class T>
void check_definition(testing::SampleMaker& maker, const testing::Sample& sample) {
  const StencilSpec& spec = sample.spec;
  const Grids<T> grids = maker.grids<T>(spec, spec.fields());
  Grids<T> made = grids;
  advance_by_definition<WrittenFormula>(spec, made, sample.step, 1);
  std::vector<std::unique_ptr<Syntax>> formulas;
  for (const std::string& text : sample.formulas) formulas.push_back(formula::parse(text));
  Position p{{0, 0, 0}, {spec.extents[0], spec.extents[1], spec.extents[2]}, sample.step};
  const auto cells = static_cast<i64>(made.fields[0].size());
  for (i64 cell = 0; cell < cells; cell += 1 + maker.below(7)) {
    p.index[0] = cell / spec.width();
    p.index[1] = cell % spec.width() / spec.extents[2];
    p.index[2] = cell % spec.extents[2];
    const ReferenceAt<T> at(spec, grids, p);
    if (is_kept(spec, p) || (spec.mask >= 0 && at.array(spec.mask) != 0)) continue;
    for (std::size_t f = 0; f < formulas.size(); ++f) {
      const Type type = sizeof(T) == 4 ? Type::f32 : Type::f64;
      T right = static_cast<T>(Interpreter<T>(spec, at, p).value(*formulas[f], type).real);
      if (f == 0 && spec.source >= 0) right += at.array(spec.source);
      const T got = made.fields[f][static_cast<std::size_t>(cell)];
      if (std::memcmp(&right, &got, sizeof got) != 0 && (right == right || got == got)) {
        FAIL("cell " << cell << " of field " << f << ": " << got << " in place of " << right);
      }
    }
  }
}

TEST_CASE("written stencils are defined as their formulas read") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    testing::SampleMaker maker(seed, 300, 4);
    const testing::Sample sample = maker.make_written(7);
    if (seed % 4 == 3) maker.take_edge_values();
    INFO("seed " << seed << ": " << words_of(sample));
    if (sample.spec.value == ElementType::f32) check_definition<float>(maker, sample);
    else check_definition<double>(maker, sample);
  }
}

void check_with(InstructionSet set, int threads, unsigned first_seed, unsigned samples, std::int64_t most_cells) {
  if (set > device::best_instruction_set()) {
    WARN("not run here: this CPU has no " << device::name_of(set));
    return;
  }
  device::CpuContext context(threads);
  for (unsigned seed = first_seed; seed < first_seed + samples; ++seed) {
    INFO(device::name_of(set) << ", " << threads << " threads, seed " << seed);
    testing::SampleMaker maker(seed, most_cells, 12);
    const testing::Sample sample = maker.make_written();
    if (seed % 4 == 3) maker.take_edge_values();
    testing::check_sample(maker, sample, context,
                          [&](const StencilSpec& spec) { return make_stencil_cpu(spec, context, set); });
  }
}

TEST_CASE("written stencils give the bits of the definition on every instruction set") {
  SECTION("sse2") { check_with(InstructionSet::sse2, 1, 1000, 150, 1500); }
  SECTION("avx2") { check_with(InstructionSet::avx2, 2, 2000, 150, 1500); }
  SECTION("avx512") { check_with(InstructionSet::avx512, 2, 3000, 250, 1500); }
  SECTION("more threads than processors") { check_with(device::best_instruction_set(), 5, 4000, 30, 1500); }
}

TEST_CASE("written stencils on wide grids in several tiles give the bits of the definition") {
  device::CpuContext context(2);
  for (unsigned seed = 5000; seed < 5030; ++seed) {
    testing::SampleMaker maker(seed, 1500, 6);
    testing::Sample sample = maker.make_written(3);
    StencilSpec& spec = sample.spec;
    if (spec.rank < 2) continue;
    spec.extents[2] = 1500 + maker.below(1000);
    spec.extents[0] = std::max<std::int64_t>(spec.radius + 1, 5);
    spec.extents[1] = spec.rank == 3 ? spec.radius + 1 : 1;
    testing::write_formulas(spec, sample.formulas, spec.written->series_steps);
    const std::int64_t least = least_slab_rows(spec.radius, std::max<std::int64_t>(1, spec.depth));
    spec.slab_rows = std::max(spec.slab_rows, spec.slab_tiles * least);
    testing::SampleMaker::make_room(spec);
    INFO("seed " << seed);
    testing::check_sample(maker, sample, context, [&](const StencilSpec& given) {
      return make_stencil_cpu(given, context, device::best_instruction_set());
    });
  }
}

std::string text_of(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  const std::string all = text;
  return all.find_first_of(".e") == std::string::npos ? all + ".0" : all;
}
std::string read_of(const i32* offset, int rank) {
  std::string text = "f0[";
  for (int axis = 0; axis < rank; ++axis)
    text += (axis == 0 ? "" : ",") + std::to_string(offset[axis_of(axis, rank)]);
  return text + "]";
}
std::string array_of(int number) { return "a" + std::to_string(number); }

std::string sum_text(const StencilSpec& spec) {
  std::string text;
  for (const Term<double>& term : spec.terms) {
    const std::string factor = term.array < 0 ? text_of(term.coefficient) : array_of(term.array);
    const std::string value = read_of(term.offset, spec.rank);
    text = text.empty() ? factor + "*" + value : "fma(" + factor + ", " + value + ", " + text + ")";
  }
  return text;
}
std::string laplacian_text(int rank) {
  if (rank == 2) return "fma(-4, f0, f0[-1,0] + f0[0,-1] + f0[0,1] + f0[1,0])";
  return "fma(-6, f0, f0[-1,0,0] + f0[0,-1,0] + f0[0,0,-1] + f0[0,0,1] + f0[0,1,0] + f0[1,0,0])";
}
std::string quantity_text(const StencilSpec& spec, const std::string& name) {
  const auto given = spec.given.find(name);
  return given == spec.given.end() ? text_of(spec.settings.number(name)) : array_of(given->second);
}
std::string hotspot_text(const StencilSpec& spec) {
  const auto all = [&]<class T>(T) {
    const auto k = Hotspot::constants<T>(ConstantsReader<T>(spec, nullptr, nullptr));
    const std::string rows =
        "fma(" + text_of(k.per_row) + ", fma(-2, f0, f0[-1,0] + f0[1,0]), " + array_of(k.power) + ")";
    const std::string columns = "fma(" + text_of(k.per_column) + ", fma(-2, f0, f0[0,-1] + f0[0,1]), " + rows + ")";
    return "fma(" + text_of(k.step) + ", fma(" + text_of(k.per_layer) + ", " + text_of(k.ambient) + " - f0, " +
           columns + "), f0)";
  };
  return spec.value == ElementType::f32 ? all(float{}) : all(double{});
}

/// An operator of the list as formulas; none of fdtd2d, whose formula depends on faces.
std::vector<std::string> texts_of(const StencilSpec& spec) {
  if (!spec.terms.empty()) return {sum_text(spec)};
  if (spec.name == "hotspot") return {hotspot_text(spec)};
  if (spec.name == "fdtd2d") return {};
  const bool is_wave = spec.name.starts_with("wave");
  const std::string dt = text_of(spec.settings.number("dt"));
  const std::string rate = dt + "*" + quantity_text(spec, is_wave ? "speed" : "diffusivity");
  std::string text = is_wave ? "fma((" + rate + ")*(" + rate + "), " + laplacian_text(spec.rank) + ", (f0 + f0) - f1)"
                             : "fma(" + rate + ", " + laplacian_text(spec.rank) + ", f0)";
  if (spec.source >= 0) text = "fma(" + dt + ", " + array_of(spec.source) + ", " + text + ")";
  return is_wave ? std::vector<std::string>{text, "f0"} : std::vector<std::string>{text};
}

template <class T>
void check_alike(testing::SampleMaker& maker, const testing::Sample& sample, device::Context& context) {
  StencilSpec written = sample.spec;
  testing::write_formulas(written, texts_of(sample.spec));
  if (sample.spec.settings.has("dt")) written.source = -1;  // added times dt by the formula
  written.terms.clear();
  Grids<T> expected = maker.grids<T>(sample.spec, sample.spec.fields());
  Grids<T> grids = expected;
  const auto kernel = make_stencil_cpu(sample.spec, context), kernel_written = make_stencil_cpu(written, context);
  testing::run_stencil(sample.spec, context, *kernel, expected, sample.step, sample.steps);
  testing::run_stencil(written, context, *kernel_written, grids, sample.step, sample.steps);
  REQUIRE(testing::difference_of(sample.spec, grids, expected) == "");
}

TEST_CASE("operators of the list give the same bits as formulas") {
  device::CpuContext context(2);
  int compared = 0;
  for (unsigned seed = 8000; seed < 8300; ++seed) {
    testing::SampleMaker maker(seed, 4000, 20);
    const testing::Sample sample = maker.make();
    if (texts_of(sample.spec).empty()) continue;
    if (sample.spec.terms.size() > 60) continue;  // formulas are nested at most 64 deep
    INFO("seed " << seed << ": " << words_of(sample));
    if (sample.spec.value == ElementType::f32) check_alike<float>(maker, sample, context);
    else check_alike<double>(maker, sample, context);
    ++compared;
  }
  CHECK(compared > 150);
}

}  // namespace
}  // namespace terrace::stencil
