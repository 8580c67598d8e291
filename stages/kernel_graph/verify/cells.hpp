// Cells of a finished graph, made again or read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/graph/window.hpp"
#include "stages/kernel_graph/definition.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// T is float or double, the type of the graph.
template <class T>
class GraphCells {
 public:
  explicit GraphCells(const VerifyRequest& request, const GraphDefinition& definition);

  /// Tells the result of a reduction to the nodes that know it.
  void set_number(int reduction, double number);
  /// Takes all that another one knows, of a graph with the same reductions.
  void take_numbers(const GraphCells& other) {
    numbers_ = other.numbers_;
    is_known_ = other.is_known_;
  }
  /// A reduction on which a value depends, and whose result is not known; nullopt: there is none.
  std::optional<int> missing_number(int value) const;

  /// Makes the cells of a box. @return them row by row @throws graph::TooMuchWork
  std::vector<T> make(int value, const Box& box);

  /// Visits all of an array in bands of rows, of the numbers `operations` of operations a cell beside making it: made
  /// again or, where that is too much work, as it is stored. @return what was done; empty: it is too much work
  std::string visit(int value, double operations, const std::function<void(const graph::Array<T>& band)>& visit);

 private:
  std::optional<std::int64_t> rows_of_bands(int value, double operations) const;
  /// The dataset that has the values of the graph; null: there is none.
  std::shared_ptr<io::Source> stored(int value) const;
  std::vector<T> read(int input, const graph::Cells& cells) const;
  void advance();

  const VerifyRequest& request_;
  const GraphDefinition& definition_;
  const graph::Graph& graph_;
  std::vector<double> numbers_;  // of reductions
  std::vector<bool> is_known_;
  std::int64_t steps_ = 0;
};

}  // namespace terrace::stages
