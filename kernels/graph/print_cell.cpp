#include "kernels/graph/print_cell.hpp"

#include <algorithm>

#include "kernels/formula/print.hpp"

namespace terrace::graph {
namespace {

using formula::Operation;

/// "i", or "i + (-2)".
std::string moved(const char* index, int offset) {
  return offset == 0 ? index : std::string(index) + " + (" + std::to_string(offset) + ")";
}

std::string leaf_of(const formula::Node& node) {
  const char* index = node.number == 0 ? "i" : "j";
  switch (node.operation) {
    case Operation::read:
      return "read(" + std::to_string(node.number) + ", " + moved("i", node.offset[0]) + ", " +
             moved("j", node.offset[1]) + ")";
    case Operation::index:
      return moved(("read.index(" + std::to_string(node.number) + ", " + index + ")").c_str(), node.offset[0]);
    default:  // extent
      return std::string("read.shape().") + (node.number == 0 ? "rows" : "columns");
  }
}

}  // namespace

bool reads_neighbours(const formula::Formula& cells) {
  for (const formula::Node& node : cells.nodes()) {
    if (node.operation == Operation::read && node.offset != std::array<int, formula::most_axes>{}) return true;
  }
  return false;
}

std::string cell_statements(const formula::Formula& cells, const std::map<int, std::string>& instead) {
  std::string text;
  for (int n = 0; n < std::ssize(cells.nodes()); ++n) {
    const auto other = instead.find(n);
    text += other == instead.end() ? formula::statements(cells, {n}, leaf_of, "    ")
                                   : "    const " + formula::type_in_source(cells[n].type) + " " +
                                         formula::name_in_source(n) + " = " + other->second + ";\n";
  }
  for (std::size_t n = 0; n < cells.results().size(); ++n) {
    text += "    made[" + std::to_string(n) + "] = " + formula::name_in_source(cells.results()[n]) + ";\n";
  }
  return text;
}

std::string cell_source(const std::string& name, const formula::Formula& cells, int sources,
                        const std::string& type) {
  return "struct " + name + " {\n  static constexpr i32 sources = " + std::to_string(std::max(1, sources)) +
         ", results = " + std::to_string(cells.results().size()) +
         ", operations = " + std::to_string(cells.operations()) +
         ";\n  static constexpr bool reaches = " + (reads_neighbours(cells) ? "true" : "false") +
         ";\n  using T = " + type +
         ";\n  template <class Read>\n"
         "  TERRACE_HOST_DEVICE static void make(const Read& read, i64 i, i64 j, T (&made)[results]) {\n" +
         cell_statements(cells) + "  }\n};\n";
}

}  // namespace terrace::graph
