#include "kernels/nest/print.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "kernels/nest/addends.hpp"
#include "kernels/nest/print_formula.hpp"
#include "kernels/nest/value_ranges.hpp"

namespace terrace::nest {
namespace {

using formula::Bounds;
using formula::Node;
using formula::Operation;

constexpr i64 unbounded = i64{1} << 60;

std::string number(i64 value) {
  if (value >= 0) return std::to_string(value);
  if (value == std::numeric_limits<i64>::min()) return "least_whole";
  return "(" + std::to_string(value) + ")";
}

/// A constant + a sum of multiples of coordinates.
struct Linear {
  i64 constant = 0;
  std::vector<i64> multiples;

  /// @param last false: without the last coordinate
  std::string in_source(bool last) const {
    std::string text;
    for (std::size_t m = 0; m + (last ? 0 : 1) < multiples.size(); ++m) {
      if (multiples[m] == 0) continue;
      if (!text.empty()) text += " + ";
      text += "c[" + std::to_string(m) + "]";
      if (multiples[m] != 1) text += " * " + number(multiples[m]);
    }
    if (text.empty()) return number(constant);
    return constant == 0 ? text : text + " + " + number(constant);
  }
};

/// A function of a number: "name(int n)" is the n-th of values.
std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& values) {
  std::string text = "  TERRACE_HOST_DEVICE static constexpr " + type + " " + name + "(int n) {\n    return ";
  for (std::size_t n = 0; n + 1 < values.size(); ++n) text += "n == " + std::to_string(n) + " ? " + values[n] + " : ";
  return text + (values.empty() ? "0" : values.back()) + ";\n  }\n";
}

class NestPrinter {
 public:
  NestPrinter(const NestSpec& spec, const Tiling& tiling, Rim rim)
      : spec_(spec), nest_(*spec.nest), sweep_(spec), tiling_(tiling), rim_(rim), bounds_(array_bounds(spec)) {
    i64 stride = 1;
    for (std::size_t n = sweep_.rank(); n-- > 0;) {
      stride_[n] = stride;
      stride *= tiling.extent(n);
    }
    values_ = stride;
  }

  std::string print() {
    std::string text = "struct Values {\n";
    for (std::size_t s = 0; s < nest_.statements.size(); ++s) {
      text += "  alignas(16) " + element_type(s) + " s" + std::to_string(s) + "[" + std::to_string(values_) + "];\n";
    }
    text += "};\nstruct Carried {\n";
    for (std::size_t n = 0; n < nest_.statements.size(); ++n)
      text += "  " + element_type(n) + " s" + std::to_string(n) + ";\n";
    text += "};\ntemplate <int s>\nstruct WrittenStatement;\ntemplate <int a>\nstruct WrittenArray;\n";
    for (std::size_t a = 0; a < nest_.arrays.size(); ++a) text += array(a);
    has_ghosts_ = rim_ == Rim::ghosts && can_have_ghosts();
    for (std::size_t s = 0; s < nest_.statements.size(); ++s) text += statement(s);
    return text + written();
  }

 private:
  const Array& array_of(const Statement& statement) const {
    return nest_.arrays[static_cast<std::size_t>(statement.array)];
  }
  std::string element_type(std::size_t statement) const {
    return type_in_source(array_of(nest_.statements[statement]).type);
  }
  static std::string made_type(ElementType type) { return is_floating(type) ? type_in_source(type) : "long long"; }
  bool has_joined_loops() const { return spec_.skew.first > 0; }
  /// The number among `y` of a loop.
  std::size_t y_of(std::size_t loop) const { return loop > spec_.skew.first ? loop - spec_.skew.first : 0; }
  bool is_joined(std::size_t loop) const { return has_joined_loops() && loop <= spec_.skew.first; }
  i64 joined_count() const {
    i64 all = 1;
    for (std::size_t loop = 0; loop <= spec_.skew.first; ++loop) all *= nest_.loops[loop].range.size();
    return all;
  }

  /// The ranges of `y` in a statement's box.
  Ranges y_box(const Statement& statement) const {
    Ranges all;
    for (std::size_t n = 0; n < sweep_.rank(); ++n) all.push_back(statement.box[spec_.skew.first + n]);
    if (has_joined_loops()) all[0] = {0, joined_count()};
    return all;
  }
  /// The `y` for which the iteration on which another one depends is there.
  Ranges y_of_dependence(const Dependence& one) const {
    const Statement& source = nest_.statements[static_cast<std::size_t>(one.source)];
    const std::size_t first_loop = array_of(source).first_loop;
    Ranges all(sweep_.rank(), {-unbounded, unbounded});
    for (std::size_t loop = has_joined_loops() ? spec_.skew.first + 1 : 0; loop < nest_.depth(); ++loop) {
      all[y_of(loop)] = loop < first_loop ? Range{nest_.loops[loop].range.begin + one.distance[loop], unbounded}
                                          : source.box[loop].shifted(one.distance[loop]);
    }
    if (has_joined_loops() && one.distance[spec_.skew.first] != 0) all[0].begin = 1;
    return all;
  }
  /// The `y` for which an access of an input lies inside it; nullopt: that is not known of `y`.
  std::optional<Ranges> y_of_input(const Access& access) const {
    Ranges all(sweep_.rank(), {-unbounded, unbounded});
    const std::vector<i64>& shape = nest_.inputs[static_cast<std::size_t>(access.array)].shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const Range inside = Range{0, shape[axis]}.shifted(-access.offset[axis]);
      if (access.loops[axis] < 0) {
        if (!inside.holds(0)) return std::nullopt;
        continue;
      }
      const auto loop = static_cast<std::size_t>(access.loops[axis]);
      if (!is_joined(loop)) all[y_of(loop)] = intersection({all[y_of(loop)]}, {inside})[0];
      else if (!nest::holds({inside}, {nest_.loops[loop].range})) return std::nullopt;
    }
    return all;
  }
  /// The dependences of an access by statement `target`.
  std::vector<std::size_t> sources_of(std::size_t target, int access) const {
    std::vector<std::size_t> all;
    for (std::size_t n = 0; n < spec_.flow.size(); ++n) {
      if (spec_.flow[n].target == static_cast<int>(target) && spec_.flow[n].access == access) all.push_back(n);
    }
    return all;
  }

  static double size_of(const Ranges& box) {
    double all = 1;
    for (const Range& range : box) all *= static_cast<double>(std::max<i64>(0, range.size()));
    return all;
  }
  /// The dependence of an access that holds for most iterations; -1: there is none.
  int usual_source(std::size_t target, int access) const {
    double most = 0;
    int found = -1;
    for (const std::size_t n : sources_of(target, access)) {
      const double cells = size_of(intersection(y_of_dependence(spec_.flow[n]), y_box(nest_.statements[target])));
      if (cells > most) most = cells, found = static_cast<int>(n);
    }
    return found;
  }
  /// The iterations in which each read of a statement has its usual dependence, or lies inside its input.
  Ranges usual_box(std::size_t target) const {
    const Statement& statement = nest_.statements[target];
    Ranges box = y_box(statement);
    Ranges none(sweep_.rank(), Range{});
    for (const Node& node : statement.value.nodes()) {
      if (node.operation != Operation::read) continue;
      const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
      if (access.is_input) {
        const auto inside = y_of_input(access);
        if (!inside) return none;
        box = intersection(box, *inside);
      } else if (!has_ghosts_) {
        const int source = usual_source(target, node.number);
        if (source < 0) return none;
        box = intersection(box, y_of_dependence(spec_.flow[static_cast<std::size_t>(source)]));
      }
    }
    return is_empty(box) ? none : box;
  }

  /// True if each read of a written array has one dependence, and where its source is not in its box, the first value
  /// of the element that the source would write there.
  bool can_have_ghosts() const {
    for (std::size_t target = 0; target < nest_.statements.size(); ++target) {
      for (const Node& node : nest_.statements[target].value.nodes()) {
        if (node.operation != Operation::read) continue;
        const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
        if (!access.is_input && !has_ghost(target, node.number)) return false;
      }
    }
    return true;
  }
  bool has_ghost(std::size_t target, int access) const {
    const Ranges box = y_box(nest_.statements[target]);
    std::vector<std::size_t> sources;
    for (const std::size_t n : sources_of(target, access)) {
      if (!is_empty(intersection(y_of_dependence(spec_.flow[n]), box))) sources.push_back(n);
    }
    if (sources.size() != 1) return is_empty(box);
    const Dependence& one = spec_.flow[sources.front()];
    const Statement& source = nest_.statements[static_cast<std::size_t>(one.source)];
    const auto array = static_cast<std::size_t>(source.array);
    for (std::size_t loop = 0; loop < nest_.arrays[array].first_loop; ++loop) {
      if (source.box[loop] != nest_.loops[loop].range) return false;
    }
    if (has_joined_loops() && one.distance[spec_.skew.first] > 1) return false;
    return !first_fails_[array];
  }

  /// The least box of the iterations of a statement, ghosts included, whose values are read.
  Ranges ghost_box(std::size_t source) const {
    Ranges all(sweep_.rank(), Range{});
    for (const Dependence& one : spec_.flow) {
      if (one.source != static_cast<int>(source)) continue;
      Ranges read = y_box(nest_.statements[static_cast<std::size_t>(one.target)]);
      if (is_empty(read)) continue;
      for (std::size_t n = 0; n < read.size(); ++n) read[n] = read[n].shifted(-one.distance[spec_.skew.first + n]);
      const bool has_any = !is_empty(all);
      for (std::size_t n = 0; n < read.size(); ++n) {
        if (!has_any) all[n] = read[n];
        else all[n] = {std::min(all[n].begin, read[n].begin), std::max(all[n].end, read[n].end)};
      }
    }
    return all;
  }

  /// "y[0] >= 1 && y[1] < 5", without what holds in a box; "true" if all of it does.
  std::string in_box(const Ranges& box, const Ranges& within) const {
    std::string text;
    const auto add = [&](std::size_t n, const std::string& compared) {
      text += (text.empty() ? "y[" : " && y[") + std::to_string(n) + "] " + compared;
    };
    for (std::size_t n = 0; n < box.size(); ++n) {
      if (box[n].begin > within[n].begin) add(n, ">= " + number(box[n].begin));
      if (box[n].end < within[n].end) add(n, "< " + number(box[n].end));
    }
    return text.empty() ? "true" : text;
  }
  Ranges any_y() const { return Ranges(sweep_.rank(), {-unbounded, unbounded}); }

  /// `y` of a statement by its coordinates.
  Linear y_by_coordinates(std::size_t statement, std::size_t n) const {
    Linear made;
    const i64 sign = spec_.skew.reversed[spec_.skew.first + n] ? -1 : 1;
    for (std::size_t m = 0; m < sweep_.rank(); ++m) {
      made.multiples.push_back(sign * sweep_.inverse()[n][m]);
      made.constant -= made.multiples.back() * spec_.skew.shifts[statement][m];
    }
    return made;
  }
  std::string clips(std::size_t statement, const Ranges& box) const {
    std::string text;
    for (std::size_t n = 0; n < box.size(); ++n) {
      const Linear y = y_by_coordinates(statement, n);
      text += "    clip(" + number(box[n].begin) + ", " + number(box[n].end) + ", " + y.in_source(false) + ", " +
              number(y.multiples.back()) + ", begin, end);\n";
    }
    return text;
  }
  std::string row(const std::string& name, std::size_t statement, const Ranges& box) const {
    return "  TERRACE_HOST_DEVICE static void " + name +
           "(const i64 (&c)[most_coordinates], i64& begin, i64& end) {\n" + clips(statement, box) + "  }\n";
  }

  /// The element of an input at subscripts.
  std::string element(int input, const std::vector<std::string>& subscripts) const {
    const std::string view = "k.inputs[" + std::to_string(input) + "]";
    std::string index;
    for (std::size_t axis = 0; axis < subscripts.size(); ++axis) {
      const std::string n = std::to_string(axis);
      if (axis > 0) index += " + ";
      index += "(" + subscripts[axis] + " - " + view + ".begin[" + n + "])";
      if (axis + 1 < subscripts.size()) index += " * " + view + ".stride[" + n + "]";
    }
    return "element_of<" + type_in_source(nest_.inputs[static_cast<std::size_t>(input)].type) + ">(" + view +
           ".data, " + (index.empty() ? "0" : index) + ")";
  }
  /// A value of an input that stands for one that is not there and that nothing needs.
  std::string stand_in(int number_of) const {
    const Input& input = nest_.inputs[static_cast<std::size_t>(number_of)];
    return is_floating(input.type) ? "0" : number(std::clamp<i64>(0, input.least, input.most));
  }
  /// A value of an array that stands for one that there is not: within the bounds that are known of the others, so
  /// that what is shown of cells holds for those that read it.
  std::string stand_in_of_array(int number_of) const {
    const auto at = static_cast<std::size_t>(number_of);
    if (is_floating(nest_.arrays[at].type)) return "0";
    return number(static_cast<i64>(std::clamp<formula::Wide>(0, bounds_[at].least, bounds_[at].most)));
  }
  static std::string subscript(const Access& access, std::size_t axis) {
    if (access.loops[axis] < 0) return number(access.offset[axis]);
    const std::string loop = "at[" + std::to_string(access.loops[axis]) + "]";
    return access.offset[axis] == 0 ? loop : loop + " + " + number(access.offset[axis]);
  }
  std::vector<std::string> subscripts(const Access& access) const {
    std::vector<std::string> all;
    all.reserve(access.offset.size());
    for (std::size_t axis = 0; axis < access.offset.size(); ++axis) all.push_back(subscript(access, axis));
    return all;
  }
  /// "s >= 0 && s < 5", of subscripts that are not known to lie inside.
  std::string inside(int input, const std::vector<std::string>& all) const {
    std::string text;
    for (std::size_t axis = 0; axis < all.size(); ++axis) {
      const std::string extent = std::to_string(nest_.inputs[static_cast<std::size_t>(input)].shape[axis]);
      text += (axis > 0 ? " && " : "") + all[axis] + " >= 0 && " + all[axis] + " < " + extent;
    }
    return text;
  }
  std::string declared(const FormulaInSource& formula, int node) const {
    return formula.type(node) + " v" + std::to_string(node);
  }
  std::string cast(const FormulaInSource& formula, int node, const std::string& value) const {
    return "static_cast<" + formula.type(node) + ">(" + value + ")";
  }
  LeafInSource index_leaf(const FormulaInSource& formula, int node, const Node& of) const {
    return {"    const " + declared(formula, node) + " = " +
                cast(formula, node, "at[" + std::to_string(of.number) + "]") + ";\n",
            false, ""};
  }
  /// A value of an input where the loops need none: of the nearest element that is there.
  LeafInSource nearest_leaf(const FormulaInSource& formula, int node, const Node& of) const {
    const Access& access = nest_.accesses[static_cast<std::size_t>(of.number)];
    const std::string view = "k.inputs[" + std::to_string(access.array) + "]";
    std::vector<std::string> all = subscripts(access);
    for (std::size_t axis = 0; axis < all.size(); ++axis) {
      const std::string n = "[" + std::to_string(axis) + "]";
      all[axis] = "nearest(" + all[axis] + ", " + view + ".begin" + n + ", " + view + ".end" + n + ")";
    }
    const std::string value = all.empty() ? element(access.array, all)
                                          : view + ".begin[0] < " + view + ".end[0] ? " + element(access.array, all) +
                                                " : " + stand_in(access.array);
    return {"    const " + declared(formula, node) + " = " + cast(formula, node, value) + ";\n", false, ""};
  }
  LeafInSource input_leaf(const FormulaInSource& formula, int node, const Node& of, bool is_inside) const {
    const Access& access = nest_.accesses[static_cast<std::size_t>(of.number)];
    std::string value = cast(formula, node, element(access.array, subscripts(access)));
    if (!is_inside) {
      value = inside(access.array, subscripts(access)) + " ? " + value + " : " +
              cast(formula, node, stand_in(access.array));
    }
    return {"    const " + declared(formula, node) + " = " + value + ";\n", false, ""};
  }
  LeafInSource look_up(const FormulaInSource& formula, int node, const Node& of) const {
    std::vector<std::string> all;
    all.reserve(static_cast<std::size_t>(of.operand_count()));
    for (int n = 0; n < of.operand_count(); ++n)
      all.push_back("v" + std::to_string(of.operands[static_cast<std::size_t>(n)]));
    const std::string failed = "x" + std::to_string(node);
    return {"    const bool " + failed + " = !(" + inside(of.number, all) + ");\n    const " +
                declared(formula, node) + " = " + failed + " ? " + cast(formula, node, stand_in(of.number)) + " : " +
                cast(formula, node, element(of.number, all)) + ";\n",
            true, ""};
  }

  std::string place_of_failure() const {
    return "      for (int n = 0; n < most_coordinates; ++n) why->at[n] = at[n];\n";
  }
  /// The end of a function that gives a value of a formula. @param outside its array; -1: a statement's
  std::string end_of(const FormulaInSource& formula, int outside) const {
    std::string text =
        "    made = " + formula.result() + ";\n    const int code = " + formula.code() +
        ";\n    if constexpr (explains) {\n      why->outside = " + std::to_string(outside) +
        ";\n      why->node = -1;\n" + place_of_failure() +
        "      switch (code) {\n        case beyond_type_code:\n"
        "          why->kind = NestFailure::beyond_type;\n          why->operands[0] = as_word(made);\n"
        "          break;\n" +
        formula.reasons() + "        default:\n          break;\n      }\n    }\n    return code;\n";
    return text;
  }

  std::string array(std::size_t number_of) {
    const Array& array = nest_.arrays[number_of];
    const std::size_t rank = array.box.size();
    const std::string made = made_type(array.type);
    bool is_empty_loop = is_empty(array.written);
    for (std::size_t loop = 0; loop < array.first_loop; ++loop) is_empty_loop |= nest_.loops[loop].range.size() == 0;
    std::string text = "template <>\nstruct WrittenArray<" + std::to_string(number_of) +
                       "> {\n  using Type = " + type_in_source(array.type) + ";\n  using Made = " + made +
                       ";\n  static constexpr int axes = " + std::to_string(rank) +
                       ", first_loop = " + std::to_string(array.first_loop) +
                       ";\n  static constexpr bool has_first_corner = " +
                       (is_empty_loop && spec_.kept[number_of].corner ? "true" : "false") +
                       ";\n  TERRACE_HOST_DEVICE static void set_corner(i64 (&at)[most_coordinates]) {\n";
    for (std::size_t axis = 0; axis < rank; ++axis) {
      text +=
          "    at[" + std::to_string(array.first_loop + axis) + "] = " + number(array.written[axis].end - 1) + ";\n";
    }
    text +=
        "  }\n  template <bool explains>\n"
        "  TERRACE_HOST_DEVICE static int first(const TileWork& k, const i64 (&at)[most_coordinates], Made& made,\n"
        "                                       NestFailure* why) {\n";
    if (array.from >= 0) text += from_input(array);
    first_fails_.push_back(false);
    if (!array.outside) return text + "    made = 0;\n    return 0;\n  }\n};\n";
    const Ranges box = subscripts_of(nest_, number_of);
    const std::vector<Bounds> bounds = node_bounds(nest_, *array.outside, box, {});
    FormulaInSource formula(*array.outside, bounds, array.type);
    text += formula.statements([&](int node, const Node& of) {
      if (of.operation == Operation::index) return index_leaf(formula, node, of);
      if (of.operation == Operation::look_up) return look_up(formula, node, of);
      return input_leaf(formula, node, of, false);
    });
    first_fails_.back() = formula.fails();
    return text + end_of(formula, static_cast<int>(number_of)) + "  }\n};\n";
  }
  std::string from_input(const Array& array) const {
    const std::size_t skipped = array.from_slices ? 1 : 0;
    std::vector<std::string> all;
    std::string condition;
    for (std::size_t axis = skipped; axis < array.box.size(); ++axis) {
      all.push_back("at[" + std::to_string(array.first_loop + axis) + "]");
      condition += (condition.empty() ? "" : " && ") + all.back() + " >= " + number(array.box[axis].begin) + " && " +
                   all.back() + " < " + number(array.box[axis].end);
    }
    if (condition.empty()) condition = "true";
    return "    if (" + condition + ") {\n      made = static_cast<Made>(" + element(array.from, all) +
           ");\n      return 0;\n    }\n";
  }

  /// A read of a written array anywhere: of the statement that has made the element, else its first value.
  LeafInSource read_leaf(const FormulaInSource& formula, std::size_t target, int node, const Node& of) const {
    const Access& access = nest_.accesses[static_cast<std::size_t>(of.number)];
    const Array& array = nest_.arrays[static_cast<std::size_t>(access.array)];
    const Ranges box = y_box(nest_.statements[target]);
    const std::string own = "v" + std::to_string(node), failed = "x" + std::to_string(node);
    LeafInSource leaf;
    leaf.statements = "    " + declared(formula, node) + ";\n    bool " + failed + " = false;\n    ";
    bool is_always = false;
    for (const std::size_t n : sources_of(target, of.number)) {
      const Ranges holds = y_of_dependence(spec_.flow[n]);
      if (is_empty(intersection(holds, box)) || is_always) continue;
      const std::string condition = in_box(holds, box);
      is_always = condition == "true";
      leaf.statements +=
          "if (" + condition + ") {\n      " + own + " = " + cast(formula, node, value_of(n)) + ";\n    } else ";
    }
    const std::string name = "WrittenArray<" + std::to_string(access.array) + ">";
    std::string at;
    const std::vector<std::string> all = subscripts(access);
    for (std::size_t loop = 0; loop < most_loops; ++loop) {
      const bool has = loop >= array.first_loop && loop < nest_.depth();
      at += (loop > 0 ? ", " : "") + (has ? all[loop - array.first_loop] : "0");
    }
    leaf.statements += "{\n      const i64 x[most_coordinates] = {" + at + "};\n      " + name +
                       "::Made w = 0;\n      " + failed + " = " + name +
                       "::first<false>(k, x, w, nullptr) != 0;\n      " + own + " = " +
                       cast(formula, node, failed + " ? " + stand_in_of_array(access.array) + " : w") + ";\n    }\n";
    leaf.fails = first_fails_[static_cast<std::size_t>(access.array)] && !is_always;
    leaf.why = "          const i64 x[most_coordinates] = {" + at + "};\n          " + name +
               "::Made w = 0;\n          " + name + "::first<true>(k, x, w, why);\n          return code;\n";
    return leaf;
  }
  /// True if a dependence is on the cell before in the row.
  bool is_on_cell_before(std::size_t dependence) const {
    Point before{};
    before[sweep_.rank() - 1] = 1;
    return sweep_.along(dependence) == before;
  }
  /// True if a usual cell reads what a statement has made at the cell before.
  bool is_carried(std::size_t statement) const {
    for (std::size_t target = 0; target < nest_.statements.size(); ++target) {
      for (const Node& node : nest_.statements[target].value.nodes()) {
        if (node.operation != Operation::read || nest_.accesses[static_cast<std::size_t>(node.number)].is_input)
          continue;
        const int source = usual_source(target, node.number);
        if (source < 0 || !is_on_cell_before(static_cast<std::size_t>(source))) continue;
        if (spec_.flow[static_cast<std::size_t>(source)].source == static_cast<int>(statement)) return true;
      }
    }
    return false;
  }
  /// The value of a dependence's source.
  std::string value_of(std::size_t dependence) const {
    i64 back = 0;
    for (std::size_t n = 0; n < sweep_.rank(); ++n) back += sweep_.along(dependence)[n] * stride_[n];
    return "t.s" + std::to_string(spec_.flow[dependence].source) + "[q - " + std::to_string(back) + "]";
  }

  std::string statement(std::size_t number_of) {
    const Statement& statement = nest_.statements[number_of];
    const Array& array = array_of(statement);
    const Kept& kept = spec_.kept[static_cast<std::size_t>(statement.array)];
    const Ranges box = y_box(statement), usual = usual_box(number_of);
    const std::vector<Bounds> bounds = node_bounds(nest_, statement.value, statement.box, bounds_);
    FormulaInSource by_any(statement.value, bounds, array.type);
    const std::string any_text = by_any.statements([&](int node, const Node& of) {
      if (of.operation == Operation::index) return index_leaf(by_any, node, of);
      if (of.operation == Operation::look_up) return look_up(by_any, node, of);
      const Access& access = nest_.accesses[static_cast<std::size_t>(of.number)];
      if (!access.is_input) return read_leaf(by_any, number_of, node, of);
      const auto holds = y_of_input(access);
      return input_leaf(by_any, node, of, holds && in_box(*holds, box) == "true");
    });
    // A value that cannot fail may be computed in another way.
    const bool is_exact = rim_ == Rim::ghosts && !by_any.fails();
    const formula::Formula usual_value = is_exact ? with_common_addends(statement.value) : statement.value;
    const std::vector<Bounds> usual_bounds = node_bounds(nest_, usual_value, statement.box, bounds_);
    FormulaInSource by_usual(usual_value, usual_bounds, array.type);
    const auto usual_leaf = [&](int node, const Node& of, bool is_inside) {
      if (of.operation == Operation::index) return index_leaf(by_usual, node, of);
      if (of.operation == Operation::look_up) return look_up(by_usual, node, of);
      if (nest_.accesses[static_cast<std::size_t>(of.number)].is_input)
        return is_inside ? input_leaf(by_usual, node, of, true) : nearest_leaf(by_usual, node, of);
      const int source = usual_source(number_of, of.number);
      // Without a source there are no usual iterations.
      std::string value = source < 0 ? "0" : value_of(static_cast<std::size_t>(source));
      if (source >= 0 && is_on_cell_before(static_cast<std::size_t>(source)))
        value = "before.s" + std::to_string(spec_.flow[static_cast<std::size_t>(source)].source);
      return LeafInSource{"    const " + declared(by_usual, node) + " = " + cast(by_usual, node, value) + ";\n",
                          false, ""};
    };
    const std::string usual_text =
        by_usual.statements([&](int node, const Node& of) { return usual_leaf(node, of, true); });
    const std::string anywhere_text =
        by_usual.statements([&](int node, const Node& of) { return usual_leaf(node, of, false); });
    std::string text =
        "template <>\nstruct WrittenStatement<" + std::to_string(number_of) +
        "> {\n  using Type = " + type_in_source(array.type) + ";\n  using Made = " + by_any.result_type() +
        ";\n  static constexpr int array = " + std::to_string(statement.array) +
        ", axes = " + std::to_string(array.box.size()) + ", best = " + std::to_string(kept.best) +
        ";\n  static constexpr bool is_carried = " + (is_carried(number_of) ? "true" : "false") +
        ", has_corner = " + (kept.corner ? "true" : "false") +
        ", usual_fails = " + (by_usual.fails() ? "true" : "false") +
        ", any_fails = " + (by_any.fails() ? "true" : "false") +
        ";\n  /// The value of a cell that has none.\n  static constexpr Type stand_in = " + "static_cast<Type>(" +
        stand_in_of_array(statement.array) + ");\n";
    const std::string own = "s" + std::to_string(number_of);
    text += "  TERRACE_HOST_DEVICE static Type* values(Values& t) { return t." + own +
            "; }\n  TERRACE_HOST_DEVICE static const Type* values(const Values& t) { return t." + own + "; }\n";
    text +=
        "  TERRACE_HOST_DEVICE static Type& carried(Carried& one) { return one." + own + "; }\n" + place(number_of);
    text += "  TERRACE_HOST_DEVICE static bool is_in(const i64 (&y)[most_coordinates]) {\n    return " +
            in_box(box, any_y()) +
            ";\n  }\n  TERRACE_HOST_DEVICE static bool is_usual(const i64 (&y)[most_coordinates]) {\n    return " +
            in_box(usual, any_y()) + ";\n  }\n";
    if (has_ghosts_) text += row("ghost_row", number_of, ghost_box(number_of));
    text +=
        first_value(statement) + row("row", number_of, box) + row("usual_row", number_of, usual) + results(number_of);
    const std::string parameters =
        "(const TileWork& k, const Values& t, i64 q, const i64 (&y)[most_coordinates],\n"
        "                                       const i64 (&at)[most_coordinates], Made& made";
    const auto usual_function = [&](const std::string& name, const std::string& body) {
      return "  TERRACE_HOST_DEVICE static int " + name + parameters + ", const Carried& before) {\n" + body +
             "    made = " + by_usual.result() + ";\n    return " + by_usual.code() + ";\n  }\n";
    };
    text += usual_function("usual", usual_text);
    if (has_ghosts_) text += usual_function("usual_anywhere", anywhere_text);
    text += "  template <bool explains>\n  TERRACE_HOST_DEVICE static int any" + parameters +
            ", NestFailure* why) {\n" + any_text + end_of(by_any, -1) + "  }\n";
    return text + "};\n";
  }
  /// The value that the element of an iteration has before statements write it.
  std::string first_value(const Statement& statement) const {
    const Array& array = array_of(statement);
    const std::string name = "WrittenArray<" + std::to_string(statement.array) + ">";
    std::string at;
    for (std::size_t loop = 0; loop < most_loops; ++loop) {
      const bool has = loop >= array.first_loop && loop < nest_.depth();
      at += (loop > 0 ? ", " : "") +
            (has ? "at[" + std::to_string(loop) + "] + " + number(statement.offset[loop - array.first_loop]) : "0");
    }
    return "  TERRACE_HOST_DEVICE static Type first_value(const TileWork& k, const i64 (&at)[most_coordinates]) {\n"
           "    const i64 x[most_coordinates] = {" +
           at + "};\n    " + name + "::Made w = 0;\n    " + name +
           "::first<false>(k, x, w, nullptr);\n    return static_cast<Type>(w);\n  }\n";
  }
  /// Functions from coordinates to iterations.
  std::string place(std::size_t number_of) const {
    std::string text =
        "  TERRACE_HOST_DEVICE static void locate(const i64 (&c)[most_coordinates], i64 (&y)[most_coordinates]) {\n";
    for (std::size_t n = 0; n < sweep_.rank(); ++n) {
      text += "    y[" + std::to_string(n) + "] = " + y_by_coordinates(number_of, n).in_source(true) + ";\n";
    }
    text +=
        "  }\n  TERRACE_HOST_DEVICE static void spread(const i64 (&y)[most_coordinates], i64 "
        "(&at)[most_coordinates]) "
        "{\n";
    for (std::size_t loop = has_joined_loops() ? spec_.skew.first + 1 : 0; loop < nest_.depth(); ++loop) {
      text += "    at[" + std::to_string(loop) + "] = y[" + std::to_string(y_of(loop)) + "];\n";
    }
    if (has_joined_loops()) {
      text += "    i64 rest = y[0];\n";
      for (std::size_t loop = spec_.skew.first + 1; loop-- > 0;) {
        const Range& range = nest_.loops[loop].range;
        const std::string size = std::to_string(std::max<i64>(1, range.size()));
        text += "    at[" + std::to_string(loop) + "] = " + number(range.begin) + " + " +
                (loop > 0 ? "rest % " + size : "rest") + ";\n";
        if (loop > 0) text += "    rest /= " + size + ";\n";
      }
    }
    return text + "  }\n";
  }
  /// The row of kept values, and their elements.
  std::string results(std::size_t number_of) const {
    const Statement& statement = nest_.statements[number_of];
    const Array& array = array_of(statement);
    Ranges box = y_box(statement);
    for (std::size_t loop = 0; loop < array.first_loop; ++loop) {
      const std::size_t n = y_of(loop);
      const i64 end = is_joined(loop) ? joined_count() : nest_.loops[loop].range.end;
      box[n] = intersection({box[n]}, {{end - 1, end}})[0];
    }
    std::string text = row("kept_row", number_of, box);
    std::vector<std::string> slopes, last;
    text +=
        "  TERRACE_HOST_DEVICE static void set_base(const i64 (&c)[most_coordinates], i64 (&base)[most_coordinates]) "
        "{\n";
    for (std::size_t axis = 0; axis < array.box.size(); ++axis) {
      Linear y = y_by_coordinates(number_of, y_of(array.first_loop + axis));
      y.constant += statement.offset[axis];
      text += "    base[" + std::to_string(axis) + "] = " + y.in_source(false) + ";\n";
      slopes.push_back(number(y.multiples.back()));
      last.push_back(number(array.written[axis].end - 1));
    }
    return text + "  }\n" + table("i64", "slope", slopes) + table("i64", "last", last);
  }

  std::string written() const {
    std::vector<std::string> halo, side, extent, stride, bytes, order, main;
    for (std::size_t n = 0; n < sweep_.rank(); ++n) {
      halo.push_back(number(sweep_.halo()[n]));
      side.push_back(number(tiling_.side(n)));
      extent.push_back(number(tiling_.extent(n)));
      stride.push_back(number(stride_[n]));
    }
    double most = 0;
    for (const Statement& one : nest_.statements) most = std::max(most, size_of(y_box(one)));
    for (std::size_t s = 0; s < nest_.statements.size(); ++s) {
      bytes.push_back(std::to_string(terrace::size_of(array_of(nest_.statements[s]).type)));
      main.emplace_back(size_of(y_box(nest_.statements[s])) * 2 >= most ? "true" : "false");
    }
    for (const int one : sweep_.order()) order.push_back(std::to_string(one));
    return "struct Written {\n  static constexpr int depth = " + std::to_string(nest_.depth()) +
           ", rank = " + std::to_string(sweep_.rank()) + ", statements = " + std::to_string(nest_.statements.size()) +
           ", arrays = " + std::to_string(nest_.arrays.size()) +
           ";\n  static constexpr bool has_ghosts = " + (has_ghosts_ ? "true" : "false") +
           ";\n  using Values = nest::Values;\n  using Carried = nest::Carried;\n  template <int s>\n  using "
           "Statement = WrittenStatement<s>;\n"
           "  template <int a>\n  using Array = WrittenArray<a>;\n" +
           table("i64", "halo", halo) + table("i64", "side", side) + table("i64", "extent", extent) +
           table("i64", "stride", stride) + table("i64", "value_bytes", bytes) + table("int", "order", order) +
           table("bool", "is_main", main) + "};\n";
  }

  const NestSpec& spec_;
  const Nest& nest_;
  Sweep sweep_;
  const Tiling& tiling_;
  Rim rim_;
  bool has_ghosts_ = false;
  std::vector<Bounds> bounds_;     // of arrays
  std::vector<bool> first_fails_;  // of the arrays: an element that no statement writes may have no value
  Point stride_{};                 // of a tile's values
  i64 values_ = 0;                 // of a statement
};

}  // namespace

std::string nest_source(const NestSpec& spec, const Tiling& tiling, Rim rim) {
  return NestPrinter(spec, tiling, rim).print();
}

std::string nest_headers() {
  return "#include \"kernels/nest/written/faces.hpp\"\n#include \"kernels/nest/written/keep.hpp\"\n"
         "#include \"kernels/values/rounded.hpp\"\n";
}

}  // namespace terrace::nest
