// A graph of operators over two-dimensional arrays, as a value.
//
// Values are numbered: the inputs from 0 on, then the nodes, of which each comes after its operands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/compiled/cxx_compiler.hpp"
#include "kernels/graph/operator.hpp"
#include "kernels/graph/reductions/histogram.hpp"
#include "kernels/graph/reductions/positions.hpp"
#include "kernels/graph/reductions/reduce.hpp"
#include "kernels/graph/times.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::graph {

inline constexpr std::size_t most_inputs = 16, most_kept = 16, most_nodes = 1024;
/// The most rows, and the most columns, of a value.
inline constexpr i64 most_extent = i64{1} << 30;
/// The most cells of a value: the bytes of all values of a graph are then numbers of 64 bits.
inline constexpr i64 most_cells = i64{1} << 48;

/// True if values of a graph may have the shape.
constexpr bool is_possible(Shape shape) {
  return shape.rows <= most_extent && shape.columns <= most_extent && shape.rows * shape.columns <= most_cells;
}

/// An array that the graph reads. Whole numbers are divided by the largest value of their type.
struct Input {
  std::string name;
  ElementType type = ElementType::f32;  // of the stored elements
  Shape shape;
  bool may_be_nan = false;  // else NaN is an error
};

/// A constant of a node that is `times` a number which is known when a block begins.
struct KnownNumber {
  std::size_t constant = 0;  // its place in Constants::numbers
  int number = 0;            // of Graph::numbers; of a graph that is cut into parts, of its reductions
  double times = 1;
};

/// The smallest and the largest displacement along rows of a warp: numbers, as KnownNumber has them.
struct KnownMoves {
  int smallest = 0, largest = 0;
};

struct NodeFormula;  // node_formula.hpp
struct Iteration;    // iteration.hpp

/// The parameters of a node, as its operator declares them.
struct NodeSettings {
  std::vector<double> numbers;  // Constants::numbers
  std::vector<KnownNumber> known;
  std::optional<KnownMoves> moves = std::nullopt;  // of a warp; without them it may move by any number of rows
  int row_radius = 0, column_radius = 0;
  int axis = 0;
  bool is_separable = false;
  Boundary boundary = Boundary::symmetric;
  double boundary_value = 0;  // of Boundary::value
  std::shared_ptr<const NodeFormula> formula = nullptr;
  std::shared_ptr<const Iteration> iteration = nullptr;
  int state = 0;  // of the iteration, whose last values the node has
};

struct Node {
  std::string name;
  int op = 0;                 // number of the operator in operators()
  std::vector<int> operands;  // values
  NodeSettings settings;
  Shape shape;
  bool is_stored = false;  // its values are kept for the parts that read them (stages/kernel_graph/parts.hpp)
  i64 renewed = 0;  // times that such an iteration is made again, from its own values in place of the first ones
};

/// A node whose values leave the graph. Whole numbers are its values times the largest value of the type, rounded to
/// the nearest (half to even) and clamped.
struct Kept {
  int value = 0;
  ElementType type = ElementType::f32;  // f32, f64, u8 or u16
};

/// A number, or a list, of all values of an array.
struct Reduction {
  std::string name;
  int value = 0;
  Makes makes = Makes::number;
  Measure measure = Measure::minimum;  // of a number
  Histogram bins;                      // of counts
  Positions positions;

  /// Elements of 8 bytes of the memory of its result.
  i64 elements() const {
    return makes == Makes::number ? 1 : makes == Makes::counts ? bins.bins : positions.elements();
  }
};

struct Graph {
  ElementType type = ElementType::f32;  // in which all nodes are computed: f32 or f64
  std::vector<Input> inputs;
  std::vector<Node> nodes;
  std::vector<Kept> kept;
  std::vector<Reduction> reductions;  // at most most_numbers
  int numbers = 0;                    // that a task brings, at most most_numbers

  /// The values that slabs cut: those of kept nodes, then those that reductions read.
  std::size_t targets() const { return kept.size() + reductions.size(); }
  int target(std::size_t n) const { return n < kept.size() ? kept[n].value : reductions[n - kept.size()].value; }
  int values() const { return static_cast<int>(inputs.size() + nodes.size()); }
  bool is_node(int value) const { return value >= static_cast<int>(inputs.size()); }
  const Node& node(int value) const { return nodes[static_cast<std::size_t>(value) - inputs.size()]; }
  /// Adds a reduction. A list of positions has memory for no more than there are values. @return its number
  int add(Reduction reduction) {
    const Shape own = shape(reduction.value);
    reduction.positions.most = std::min(reduction.positions.most, own.rows * own.columns);
    reductions.push_back(std::move(reduction));
    return static_cast<int>(reductions.size()) - 1;
  }
  Shape shape(int value) const {
    return is_node(value) ? node(value).shape : inputs[static_cast<std::size_t>(value)].shape;
  }
};

/// The constants of a node. @param numbers its numbers in the type of values, which outlive the constants
template <class T>
Constants<T> constants_of(const NodeSettings& settings, const T* numbers) {
  return {numbers, settings.row_radius, settings.column_radius, settings.axis, settings.is_separable};
}

/// The numbers of a node in the type of values. @param known those of the task
template <class T>
std::vector<T> numbers_of(const NodeSettings& settings, const double* known) {
  std::vector<T> made(settings.numbers.begin(), settings.numbers.end());
  for (const KnownNumber& one : settings.known) made[one.constant] = static_cast<T>(known[one.number] * one.times);
  return made;
}

class Rooms;

/// A graph, and the cut into slabs of its kept nodes, which does not change the result.
struct GraphSpec {
  std::shared_ptr<const Graph> graph;
  i64 slab_rows = 1;  // of the kept node with the most rows
  /// Graph::numbers as slabs take them for the rows that warps reach; empty: any number of rows.
  std::vector<double> known = {};
  /// Steps that a pass of an iteration makes, whose slabs come one after another and hand rows on (carry.hpp); 0:
  /// they hand none on.
  i64 pass_steps = 0;
  /// Memory on the CPU for kernels of which one works at a time; null: the kernel has its own.
  std::shared_ptr<Rooms> rooms = nullptr;
  /// What launches take on the device, for methods that cut them by it; null: the family's rates (measured.hpp).
  std::shared_ptr<const TimeTable> times = nullptr;
  /// Groups of nodes, by value, that one kernel each makes where a method fuses nodes; null: the method chooses them.
  std::shared_ptr<const std::vector<std::vector<int>>> groups = nullptr;
  compiled::CxxCompiler compiler = {};  // by which formulas may be compiled for the CPU
};

}  // namespace terrace::graph
