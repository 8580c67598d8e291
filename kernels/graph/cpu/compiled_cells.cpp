#include "kernels/graph/cpu/compiled_cells.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/compiled/cxx.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/formula/print.hpp"
#include "kernels/graph/written_formula.hpp"

namespace terrace::graph {
namespace {

using formula::Formula;
using formula::Operation;

/// The expression of a read, an index or an extent in a loop over the cells n of a row.
std::string leaf_of(const formula::Node& node, const std::vector<SourceRow>& rows) {
  const std::string plus = " + " + std::to_string(node.offset[0]);
  switch (node.operation) {
    case Operation::read: {
      const auto row = std::ranges::find(rows, SourceRow{node.number, node.offset[0]});
      return "r" + std::to_string(row - rows.begin()) + "[n + " + std::to_string(node.offset[1]) + "]";
    }
    case Operation::index:
      return (node.number == 0 ? "call.row" : "(call.column + n)") + plus;
    default:
      return node.number == 0 ? "call.rows" : "call.columns";
  }
}

std::string cells_source(const Formula& all, const std::string& type, const std::string& name) {
  const Formula cells = all.compact();
  const std::vector<SourceRow> rows = rows_of(cells);
  std::string text = "void " + name + "(const CellsCall<" + type + ">& call) {\n";
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const std::string number = std::to_string(n);
    text += "  const " + type + "* __restrict r" + number + " = call.rows_read[" + number + "];\n";
  }
  for (std::size_t n = 0; n < cells.results().size(); ++n) {
    const std::string number = std::to_string(n);
    text += "  " + type + "* __restrict w" + number + " = call.results[" + number + "];\n";
  }
  // Cells do not depend on one another: results are not where reads are.
  text += "#pragma GCC ivdep\n  for (long long n = call.begin; n < call.end; ++n) {\n";
  std::vector<int> nodes(cells.nodes().size());
  std::iota(nodes.begin(), nodes.end(), 0);
  text += formula::statements(
      cells, nodes, [&](const formula::Node& node) { return leaf_of(node, rows); }, "    ");
  for (std::size_t n = 0; n < cells.results().size(); ++n) {
    text += "    w" + std::to_string(n) + "[n] = " + formula::name_in_source(cells.results()[n]) + ";\n";
  }
  return text + "  }\n}\n";
}

/// Rows of iterations begin with a cache line in the ring, where vectors of 512 bits cross none.
std::string options() {
  const device::InstructionSet set = device::best_instruction_set();
  return compiled::cell_options(set) + (set == device::InstructionSet::avx512 ? " -mprefer-vector-width=512" : "");
}

}  // namespace

std::vector<SourceRow> rows_of(const Formula& cells) {
  const Formula used = cells.compact();
  std::vector<SourceRow> rows;
  for (const formula::Node& node : used.nodes()) {
    const SourceRow row{node.number, node.offset[0]};
    if (node.operation == Operation::read && std::ranges::count(rows, row) == 0) rows.push_back(row);
  }
  return rows;
}

bool has_formulas(const Graph& graph) { return !formulas_of(graph).empty(); }

CompiledCells::CompiledCells(const GraphSpec& spec, compiled::Store& store) {
  const std::string type = spec.graph->type == ElementType::f32 ? "float" : "double";
  compiled::Source source;
  source.text =
      "#include \"kernels/graph/cpu/cells_call.hpp\"\n#include \"kernels/values/rounded.hpp\"\n"
      "namespace terrace::graph {\n";
  for (const WrittenFormula& formula : formulas_of(*spec.graph)) {
    const Formula& cells = *formula.cells;
    const std::string name = "make_cells_" + std::to_string(numbers_.size());
    if (!numbers_.try_emplace(cells.canonical(), numbers_.size()).second) continue;
    source.text += cells_source(cells, type, name);
    source.kernels.push_back("terrace::graph::" + name);
  }
  source.text += "}  // namespace terrace::graph\n";
  code_ = store.object(source, {spec.compiler.command, options()});
}

}  // namespace terrace::graph
