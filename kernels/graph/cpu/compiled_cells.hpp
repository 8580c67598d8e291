// Formulas of a graph, compiled at run time for the CPU.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/compiled/store.hpp"
#include "kernels/formula/formula.hpp"
#include "kernels/graph/cpu/cells_call.hpp"
#include "kernels/graph/graph.hpp"

namespace terrace::graph {

/// A row that a formula reads, around that of its cells.
struct SourceRow {
  int source, offset;

  friend bool operator==(const SourceRow&, const SourceRow&) = default;
};

/// The rows that a formula reads, in the order in which compiled cells take them.
std::vector<SourceRow> rows_of(const formula::Formula& cells);

/// True if a node of the graph has a formula, or is made by one again and again.
bool has_formulas(const Graph& graph);

/// The compiled cells of all formulas of a graph: those of nodes, and those that iterations join.
class CompiledCells {
 public:
  /// @throws compiled::NotCompiled; IoError
  CompiledCells(const GraphSpec& spec, compiled::Store& store);

  template <class T>
  MakeCells<T> of(const formula::Formula& cells) const {
    return reinterpret_cast<MakeCells<T>>(const_cast<void*>(code_->kernel(numbers_.at(cells.canonical()))));
  }

 private:
  std::map<std::string, std::size_t> numbers_;  // by canonical formula
  std::shared_ptr<const compiled::SharedObject> code_;
};

}  // namespace terrace::graph
