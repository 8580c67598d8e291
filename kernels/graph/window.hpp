// Some cells of a graph's values, made by its definition from the cells of inputs on which they depend.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/graph/reference/reference.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {

/// Cells take more work, or memory, than is allowed.
class TooMuchWork : public Error {
 public:
  TooMuchWork() : Error("cells of a graph depend on too many others") {}
};

struct WindowLimits {
  double operations, values;  // values that are in memory
};

/// The operations, and the values, that cells take, about. Warps are taken to move by some pixels.
WindowLimits work_of_cells(const Graph& graph, int value, const Cells& cells);

/// The values of cells, each made once. T is float or double, the type of the graph.
template <class T>
class Window {
 public:
  /// Reads cells of an input, row by row, as values of the graph.
  using ReadInput = std::function<std::vector<T>(int input, const Cells& cells)>;
  /// @param numbers the results of the graph's reductions that its nodes know
  /// @param advance called now and then; it may throw
  Window(const Graph& graph, ReadInput read, std::span<const double> numbers, WindowLimits limits,
         std::function<void()> advance);

  /// Makes cells of a value. @return them, and perhaps others; valid until the next call @throws TooMuchWork
  const Array<T>& make(int value, const Cells& cells);

 private:
  void add(int value, const Cells& cells);
  void add_cells(int value, const Cells& cells);
  void add_states(int first, int states, const Cells& cells);
  void take_step(const Iteration& iteration, const std::vector<Cells>& needed, std::vector<Array<T>>& inputs);
  void add_seen(const Node& node, const Cells& cells);
  Array<T>& of(int value) { return made_[static_cast<std::size_t>(value)]; }
  std::vector<const Array<T>*> operands_of(const Node& node) const;
  void count(double operations, double values);

  Graph graph_;  // whose nodes have the numbers that they know
  ReadInput read_;
  WindowLimits left_;
  std::function<void()> advance_;
  std::vector<Array<T>> made_;  // of each value the cells that are there
};

}  // namespace terrace::graph
