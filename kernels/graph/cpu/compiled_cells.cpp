#include "kernels/graph/cpu/compiled_cells.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "kernels/compiled/cxx.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/formula/print.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/node_formula.hpp"

namespace terrace::graph {
namespace {

using formula::Formula;
using formula::Operation;

bool is_same_read(const formula::Node& a, const formula::Node& b) {
  return a.number == b.number && a.offset == b.offset;
}

/// The formulas of a graph, as they come.
std::vector<const Formula*> formulas_of(const Graph& graph) {
  std::vector<const Formula*> found;
  for (const auto& node : graph.nodes) {
    if (node.settings.formula) found.push_back(&node.settings.formula->cells);
    if (!node.settings.iteration) continue;
    const Iteration& iteration = *node.settings.iteration;
    if (iteration.joined) found.push_back(&iteration.joined->cells);
    else std::ranges::copy(formulas_of(iteration.body), std::back_inserter(found));
  }
  return found;
}

/// The expression of a read, an index or an extent in a loop over the cells n of a row.
std::string leaf_of(const formula::Node& node, const std::vector<formula::Node>& reads) {
  const std::string plus = " + " + std::to_string(node.offset[0]);
  switch (node.operation) {
    case Operation::read: {
      const auto read =
          std::ranges::find_if(reads, [&](const formula::Node& one) { return is_same_read(one, node); });
      return "r" + std::to_string(read - reads.begin()) + "[n]";
    }
    case Operation::index:
      return (node.number == 0 ? "call.row" : "(call.column + n)") + plus;
    default:
      return node.number == 0 ? "call.rows" : "call.columns";
  }
}

std::string cells_source(const Formula& all, const std::string& type, const std::string& name) {
  const Formula cells = all.compact();
  const std::vector<formula::Node> reads = reads_of(cells);
  std::string text = "void " + name + "(const CellsCall<" + type + ">& call) {\n";
  for (std::size_t n = 0; n < reads.size(); ++n) {
    const std::string number = std::to_string(n);
    text += "  const " + type + "* __restrict r" + number + " = call.reads[" + number + "];\n";
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
      cells, nodes, [&](const formula::Node& node) { return leaf_of(node, reads); }, "    ");
  for (std::size_t n = 0; n < cells.results().size(); ++n) {
    text += "    w" + std::to_string(n) + "[n] = " + formula::name_in_source(cells.results()[n]) + ";\n";
  }
  return text + "  }\n}\n";
}

}  // namespace

std::vector<formula::Node> reads_of(const Formula& cells) {
  const Formula used = cells.compact();
  std::vector<formula::Node> reads;
  for (const formula::Node& node : used.nodes()) {
    const auto is_same = [&](const formula::Node& one) { return is_same_read(one, node); };
    if (node.operation == Operation::read && std::ranges::none_of(reads, is_same)) reads.push_back(node);
  }
  return reads;
}

bool has_formulas(const Graph& graph) { return !formulas_of(graph).empty(); }

CompiledCells::CompiledCells(const GraphSpec& spec, compiled::Store& store) {
  const std::string type = spec.graph->type == ElementType::f32 ? "float" : "double";
  compiled::Source source;
  source.text =
      "#include \"kernels/graph/cpu/cells_call.hpp\"\n#include \"kernels/values/rounded.hpp\"\n"
      "namespace terrace::graph {\n";
  for (const Formula* cells : formulas_of(*spec.graph)) {
    const std::string name = "make_cells_" + std::to_string(numbers_.size());
    if (!numbers_.try_emplace(cells->canonical(), numbers_.size()).second) continue;
    source.text += cells_source(*cells, type, name);
    source.kernels.push_back("terrace::graph::" + name);
  }
  source.text += "}  // namespace terrace::graph\n";
  code_ = store.object(source, {spec.compiler.command, compiled::cell_options(device::best_instruction_set())});
}

}  // namespace terrace::graph
