// Formulas as values: what the cells of a stage compute, typed, each operation once.
//
// The nodes are in an order in which operands come before what uses them; equal nodes are one. Every operation is
// rounded once, to its type, in the order written; nothing is contracted but what says fma. Names are gone: formulas
// that differ in names alone are equal.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/formula/syntax.hpp"

namespace terrace::formula {

enum class Type : std::uint8_t { boolean, i32, i64, f32, f64 };

/// "bool", "i32", "i64", "f32", "f64".
std::string_view name_of(Type type);
constexpr bool is_real(Type type) { return type >= Type::f32; }
constexpr bool is_whole(Type type) { return type == Type::i32 || type == Type::i64; }

enum class Operation : std::uint8_t {
  constant,
  read,     // the value of an array (Leaf::number) at offsets from the cell
  series,   // the value of a series at the step that is made
  index,    // the index of the cell along axis Leaf::number, plus offset[0]
  extent,   // cells along axis Leaf::number
  step,     // the step that is made, from 0
  look_up,  // the value of an array (Leaf::number) at the subscripts that its operands are, 1 to 3
  negate,
  add,
  subtract,
  multiply,
  divide,     // whole numbers: without the fraction
  remainder,  // of whole numbers, as in C
  equal,
  not_equal,
  less,
  less_equal,
  both,    // && of conditions
  either,  // ||
  inverse,
  choose,   // operands: condition, value if it holds, value if not
  minimum,  // b < a ? b : a
  maximum,  // a < b ? b : a
  absolute,
  root,
  fused,   // a * b + c, rounded once
  convert  // to the node's type
};

/// "read", "add", ...
std::string_view name_of(Operation operation);

inline constexpr int most_axes = 4;

/// A node of a formula.
struct Node {
  Operation operation;
  Type type;
  std::array<int, 3> operands{-1, -1, -1};
  int number = 0;                       // of an array, a series or an axis
  std::array<int, most_axes> offset{};  // of a read, an axis each; of an index offset[0]
  double real = 0;                      // of a constant
  std::int64_t whole = 0;               // of a constant that is no real; a condition's is 0 or 1
  std::size_t at = 0;                   // byte of the text; not compared

  int operand_count() const;
};

__extension__ using Wide = __int128;

/// The least and the largest value of whole numbers of a node.
struct Bounds {
  Wide least, most;
};

/// The least and the largest offset along each axis of the reads of an array.
struct Reach {
  std::array<int, most_axes> low{}, high{};
};

/// One or more results over shared nodes.
class Formula {
 public:
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<int>& results() const { return results_; }
  const Node& operator[](int node) const { return nodes_[static_cast<std::size_t>(node)]; }

  /// Adds a node, or finds the equal one. Constants that an operation of constants would give stay operations.
  int add(const Node& node);
  void add_result(int node) { results_.push_back(node); }

  /// The largest offsets of all reads, of any array.
  Reach reach() const;
  /// True if a node of that operation is used.
  bool uses(Operation operation) const;
  /// The text of the nodes that results need, names aside: equal for equal formulas, part of a stage's identity.
  std::string canonical() const;
  /// The same without the nodes that no result needs.
  Formula compact() const;
  /// Operations of a cell: nodes that are neither constants, reads nor places.
  int operations() const;

 private:
  struct Order {
    bool operator()(const Node& a, const Node& b) const;
  };
  std::vector<Node> nodes_;
  std::vector<int> results_;
  std::map<Node, int, Order> known_;
};

/// What a name, or a name with subscripts, means where a formula stands.
struct Meaning {
  enum Kind { unknown, number, node } kind = unknown;
  // Of a number (a parameter of the job), which takes the type beside it as one that stands in the formula.
  bool is_whole = false;
  double real = 0;
  std::int64_t whole = 0;
  Node of_node{};         // of a node: a read, a series, an index, ...
  Bounds bounds{0, 0};    // of a node that is a whole number
  bool looks_up = false;  // of_node is a look-up: the subscripts become its operands, as i64
};

/// The place where a formula stands: its names, and the types of its constants.
struct Scope {
  /// The meaning of a name (Form::name), of a name with subscripts, or of a call of size. @throws Fault
  std::function<Meaning(const Syntax&)> meaning;
  std::vector<std::string> names;  // for guesses of the name that was meant
  Type real = Type::f64;           // of real numbers that no type stands beside
  /// True where operations of whole numbers are checked as they are computed (checked.hpp). Else what could be beyond
  /// its type, a divisor that could be 0, and i32(x) of a real x are faults.
  bool is_checked = false;
};

/// Adds an expression to a formula, typed. @param wanted the type of the result, to which whole numbers and the
/// conditions are converted @return the node @throws Fault
int check(const Syntax& syntax, const Scope& scope, Type wanted, Formula& formula);

/// The type that an expression has by itself. @throws Fault
Type type_of(const Syntax& syntax, const Scope& scope);

/// The value of an expression of numbers alone, of a subscript: an offset. @throws Fault
std::int64_t constant_of(const Syntax& syntax);

}  // namespace terrace::formula
