// Operations over strips against the definition, on every instruction set of this CPU, to the bit.
#include "kernels/formula/strips.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace terrace::formula {
namespace {

using device::InstructionSet;

constexpr int reads = 4, numbers = 3;
constexpr std::int64_t room = 8;

/// Values at which arithmetic has its edges, and others.
template <class T>
T any_value(std::mt19937& random) {
  using Limits = std::numeric_limits<T>;
  const T edges[] = {T(0),
                     T(-0.0),
                     T(1),
                     T(-1),
                     Limits::denorm_min(),
                     Limits::max(),
                     Limits::lowest(),
                     Limits::min(),
                     T(1.5),
                     -Limits::denorm_min(),
                     Limits::infinity(),
                     -Limits::infinity(),
                     Limits::quiet_NaN(),
                     T(0.1)};
  if (random() % 3 == 0) return edges[random() % std::size(edges)];
  return static_cast<T>(std::uniform_real_distribution<double>(-4, 4)(random));
}

/// Formulas made node by node.
class Maker {
 public:
  explicit Maker(Type value) : value_(value) {}

  Formula formula;

  int read(int number) { return leaf(Operation::read, value_, number); }
  int series(int number, Type type) { return leaf(Operation::series, type, number); }
  int index(int axis, int offset) {
    Node node{Operation::index, Type::i64};
    node.number = axis;
    node.offset[0] = offset;
    return formula.add(node);
  }
  int constant(Type type, double real, std::int64_t whole) {
    Node node{Operation::constant, type};
    node.real = is_real(type) ? real : 0;
    node.whole = is_real(type) ? 0 : whole;
    return formula.add(node);
  }
  int apply(Operation operation, Type type, std::array<int, 3> operands) {
    Node node{operation, type};
    node.operands = operands;
    return formula.add(node);
  }
  int to(Type type, int node) {
    return formula[node].type == type ? node : apply(Operation::convert, type, {node, -1, -1});
  }
  Type value() const { return value_; }

 private:
  int leaf(Operation operation, Type type, int number) {
    Node node{operation, type};
    node.number = number;
    return formula.add(node);
  }
  Type value_;
};

CellValue shared_leaf(const Node& node) {
  if (node.operation == Operation::series) {
    const double reals[numbers] = {0.3, -2.5, std::numeric_limits<double>::infinity()};
    const std::int64_t wholes[numbers] = {3, -7, 1};
    if (is_real(node.type)) {
      const double real = reals[node.number];
      return {node.type == Type::f32 ? static_cast<double>(static_cast<float>(real)) : real, 0};
    }
    return {0, node.type == Type::boolean ? node.number % 2 : wholes[node.number]};
  }
  return {0, 11 + node.offset[0]};  // an index along another axis
}

/// Computes cells [begin, end) of rows of random values by strips and as they are defined.
template <class T>
void check(const Formula& formula, InstructionSet set, std::mt19937& random) {
  const Type type = sizeof(T) == 4 ? Type::f32 : Type::f64;
  const Strips strips(formula, 2, type, set);
  StripFrame frame(strips);
  const std::int64_t cells = strips.cells(), begin = static_cast<std::int64_t>(random() % 20);
  const std::int64_t end = begin + cells + static_cast<std::int64_t>(random() % (2 * cells)), index = -3;
  std::vector<std::vector<T>> rows(reads, std::vector<T>(static_cast<std::size_t>(end + room)));
  for (auto& row : rows) {
    for (T& value : row) value = any_value<T>(random);
  }
  std::vector<std::vector<T>> made(strips.results(), std::vector<T>(static_cast<std::size_t>(end + room), T(77)));
  for (int twice = 0; twice < 2; ++twice) {  // a frame is used again and again
    frame.set_row(shared_leaf);
    for (std::size_t n = 0; n < strips.reads().size(); ++n) {
      frame.set_read(n, rows[static_cast<std::size_t>(strips.reads()[n].number)].data());
    }
    for (std::size_t n = 0; n < made.size(); ++n) frame.set_result(n, made[n].data());
    frame.run(begin, end, index);
  }
  std::vector<CellValue> values;
  for (std::int64_t x = 0; x < end + room; ++x) {
    const auto at = static_cast<std::size_t>(x);
    evaluate(
        formula,
        [&](const Node& node) {
          if (node.operation == Operation::read) return CellValue{rows[static_cast<std::size_t>(node.number)][at], 0};
          if (node.operation == Operation::index && node.number == 2) {
            return CellValue{0, index + std::clamp(x, begin, end - 1) + node.offset[0]};
          }
          return shared_leaf(node);
        },
        values);
    for (std::size_t n = 0; n < made.size(); ++n) {
      const bool is_made = x >= begin && x < end;
      const auto result = static_cast<std::size_t>(formula.results()[n]);
      const T right = is_made ? static_cast<T>(values[result].real) : T(77), got = made[n][at];
      if (std::memcmp(&right, &got, sizeof got) != 0 && (right == right || got == got)) {
        FAIL(device::name_of(set) << ", cell " << x << " of [" << begin << ", " << end << "): " << got
                                  << " in place of " << right << "\n"
                                  << formula.canonical());
      }
    }
  }
}

template <class Call>
void for_each_set(const Call& call) {
  for (const InstructionSet set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set <= device::best_instruction_set()) call(set);
    else WARN("not run here: this CPU has no " << device::name_of(set));
  }
}

struct Known {
  Operation operation;
  int operands;
  bool of_reals, of_wholes, of_conditions, compares;
};
constexpr Known known[] = {
    {Operation::negate, 1, true, true, false, false},     {Operation::absolute, 1, true, true, false, false},
    {Operation::root, 1, true, false, false, false},      {Operation::inverse, 1, false, false, true, false},
    {Operation::add, 2, true, true, false, false},        {Operation::subtract, 2, true, true, false, false},
    {Operation::multiply, 2, true, true, false, false},   {Operation::divide, 2, true, true, false, false},
    {Operation::remainder, 2, false, true, false, false}, {Operation::equal, 2, true, true, true, true},
    {Operation::not_equal, 2, true, true, true, true},    {Operation::less, 2, true, true, false, true},
    {Operation::less_equal, 2, true, true, false, true},  {Operation::both, 2, false, false, true, false},
    {Operation::either, 2, false, false, true, false},    {Operation::minimum, 2, true, true, false, false},
    {Operation::maximum, 2, true, true, false, false},    {Operation::fused, 3, true, false, false, false},
    {Operation::choose, 2, true, true, true, false}};

/// An operand of a type: 0 in a row or a buffer, 1 a number, 2 computed last where it is the last to be made.
int operand_of(Maker& maker, Type type, int source, int number) {
  if (source == 1) return maker.series(number, type);
  if (type == Type::boolean) return maker.apply(Operation::less, type, {maker.read(number), maker.read(3), -1});
  if (!is_real(type)) {
    const int index = maker.index(2, number - 40);
    if (source == 0) return index;
    return maker.apply(Operation::multiply, Type::i64, {index, maker.constant(Type::i64, 0, 2 * number + 1), -1});
  }
  const int read = maker.read(number);
  const int value = source == 0 ? read : maker.apply(Operation::negate, maker.value(), {read, -1, -1});
  return maker.to(type, value);
}

/// A result of the maker's type from a node of any.
int result_of(Maker& maker, int node) { return maker.to(maker.value(), node); }

TEST_CASE("every operation over strips gives the bits of its definition, whatever its operands are") {
  std::mt19937 random(1);
  for_each_set([&](InstructionSet set) {
    for (const Type value : {Type::f32, Type::f64}) {
      for (const Known& k : known) {
        for (const Type type : {Type::f32, Type::f64, Type::i64, Type::boolean}) {
          const bool is_of = is_real(type) ? k.of_reals : type == Type::boolean ? k.of_conditions : k.of_wholes;
          if (!is_of) continue;
          for (int sources = 0; sources < 27; ++sources) {
            Maker maker(value);
            std::array<int, 3> operands{-1, -1, -1};
            const int count = k.operation == Operation::choose ? 3 : k.operands;
            for (int n = 0, left = sources; n < count; ++n, left /= 3) {
              const Type own = k.operation == Operation::choose && n == 0 ? Type::boolean : type;
              operands[static_cast<std::size_t>(n)] = operand_of(maker, own, left % 3, n);
            }
            const bool divides = k.operation == Operation::divide || k.operation == Operation::remainder;
            if (divides && type == Type::i64) {  // by no 0
              int& divisor = operands[1];
              const int odd = maker.apply(Operation::multiply, type, {divisor, maker.constant(type, 0, 2), -1});
              divisor = maker.apply(Operation::add, type, {odd, maker.constant(type, 0, 1), -1});
            }
            const Type made = k.compares ? Type::boolean : type;
            maker.formula.add_result(result_of(maker, maker.apply(k.operation, made, operands)));
            if (value == Type::f32) check<float>(maker.formula, set, random);
            else check<double>(maker.formula, set, random);
          }
        }
      }
    }
  });
}

/// A formula of random nodes that are used by random others. @param wide true: of all types
Formula random_formula(std::mt19937& random, Type value, int count, bool wide) {
  Maker maker(value);
  std::vector<int> reals[2], wholes, conditions;
  const auto any = [&](const std::vector<int>& list) {
    // Mostly the last ones, which are in registers.
    const std::size_t back = random() % (random() % 3 == 0 ? list.size() : std::min<std::size_t>(list.size(), 3));
    return list[list.size() - 1 - back];
  };
  const auto own = static_cast<std::size_t>(value == Type::f64);
  for (int n = 0; n < reads; ++n) reals[own].push_back(maker.read(n));
  for (int n = 0; n < numbers; ++n) reals[own].push_back(maker.series(n, value));
  reals[1 - own].push_back(maker.to(value == Type::f32 ? Type::f64 : Type::f32, maker.read(0)));
  wholes = {maker.index(2, 0), maker.index(0, 3), maker.constant(Type::i64, 0, 5)};
  conditions = {maker.apply(Operation::less, Type::boolean, {maker.read(0), maker.read(1), -1})};
  for (int n = 0; n < count; ++n) {
    const Type type = !wide || random() % 3 != 0 ? value : random() % 2 == 0 ? Type::f32 : Type::f64;
    auto& list = reals[type == Type::f64];
    const Known& k = known[random() % std::size(known)];
    const auto kind = random() % 10;
    if (kind == 0 || (!k.of_reals && kind < 4)) {
      static constexpr Operation of_conditions[] = {Operation::both, Operation::either, Operation::equal};
      if (random() % 4 == 0) {
        conditions.push_back(maker.apply(Operation::inverse, Type::boolean, {any(conditions), -1, -1}));
      } else {
        conditions.push_back(
            maker.apply(of_conditions[random() % 3], Type::boolean, {any(conditions), any(conditions), -1}));
      }
    } else if (kind == 1 && wide) {
      const int condition = maker.to(Type::i64, any(conditions));
      const int whole = maker.apply(Operation::remainder, Type::i64,
                                    {any(wholes), maker.constant(Type::i64, 0, 1 + random() % 9), -1});
      wholes.push_back(
          maker.apply(random() % 2 == 0 ? Operation::add : Operation::maximum, Type::i64, {whole, condition, -1}));
      if (random() % 4 == 0) {
        const int narrow = maker.to(Type::i32, wholes.back());
        wholes.push_back(maker.to(Type::i64, narrow));
      }
    } else if (kind == 2) {
      list.push_back(maker.apply(Operation::choose, type, {any(conditions), any(list), any(list)}));
    } else if (kind == 3) {
      list.push_back(maker.to(type, wide && random() % 2 == 0 ? any(wholes) : any(conditions)));
    } else if (kind == 4 && wide) {
      list.push_back(maker.to(type, any(reals[type == Type::f32])));
    } else if (k.of_reals && k.operation != Operation::choose) {
      const int node = maker.apply(k.operation, k.compares ? Type::boolean : type,
                                   {any(list), k.operands > 1 ? any(list) : -1, k.operands > 2 ? any(list) : -1});
      (k.compares ? conditions : list).push_back(node);
    }
  }
  const int results = 1 + static_cast<int>(random() % 4);
  for (int n = 0; n < results; ++n) maker.formula.add_result(any(reals[own]));
  return maker.formula;
}

TEST_CASE("random formulas over strips give the bits of their definition") {
  std::mt19937 random(2);
  for_each_set([&](InstructionSet set) {
    for (int n = 0; n < 600; ++n) {
      const Type value = n % 2 == 0 ? Type::f32 : Type::f64;
      const int count = n % 100 == 99 ? 2000 : 1 + static_cast<int>(random() % 60);
      const Formula formula = random_formula(random, value, count, n % 3 != 0);
      if (value == Type::f32) check<float>(formula, set, random);
      else check<double>(formula, set, random);
    }
  });
}

TEST_CASE("parts of strips have the indices of their cells alone") {
  for_each_set([&](InstructionSet set) {
    Maker maker(Type::f64);
    // 1000 / (index - 9), where the cell of index 9 is one past the last.
    const int divisor =
        maker.apply(Operation::subtract, Type::i64, {maker.index(2, 0), maker.constant(Type::i64, 0, 9), -1});
    const int quotient = maker.apply(Operation::divide, Type::i64, {maker.constant(Type::i64, 0, 1000), divisor, -1});
    maker.formula.add_result(maker.to(Type::f64, quotient));
    const Strips strips(maker.formula, 2, Type::f64, set);
    StripFrame frame(strips);
    std::vector<double> made(static_cast<std::size_t>(strips.cells()));
    frame.set_result(0, made.data());
    frame.run_part(3, 6);
    CHECK(made[0] == 1000 / -3);
    CHECK(made[1] == -500);
    CHECK(made[2] == -1000);
  });
}

TEST_CASE("whole numbers are divided to the bit beyond those that f64 holds") {
  std::mt19937_64 random(3);
  for_each_set([&](InstructionSet set) {
    for (int n = 0; n < 200; ++n) {
      Maker maker(Type::f64);
      const auto wide = static_cast<std::int64_t>(random() >> (random() % 60)),
                 most = std::int64_t{1} << (random() % 62);
      const int a =
          maker.apply(Operation::add, Type::i64, {maker.index(2, 0), maker.constant(Type::i64, 0, wide / 2), -1});
      const int b = maker.constant(Type::i64, 0, n % 2 == 0 ? -most : most + 1);
      const Operation operation = n % 4 < 2 ? Operation::divide : Operation::remainder;
      const int made = maker.apply(operation, Type::i64, {a, b, -1});
      // The low and the high half, which f64 holds.
      const int half = maker.constant(Type::i64, 0, std::int64_t{1} << 31);
      maker.formula.add_result(maker.to(Type::f64, maker.apply(Operation::remainder, Type::i64, {made, half, -1})));
      maker.formula.add_result(maker.to(Type::f64, maker.apply(Operation::divide, Type::i64, {made, half, -1})));
      std::mt19937 values(1);
      check<double>(maker.formula, set, values);
    }
  });
}

}  // namespace
}  // namespace terrace::formula
