#include "kernels/graph/cuda/streamed/plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/formula/print.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/print_cell.hpp"

namespace terrace::graph {
namespace {

using formula::Reach;

/// Sizes that are tried, one after another. H200, 500 iterations of optical flow, ms. Fast arithmetic, 2026-12-01,
/// over 4096 x 4096 and 16384 x 16384: {8, 4, 4, 1, 2, 2} 14.7, 186; {8, 2, 8, 1, 2, 1} 14.6, 188; {8, 3, 4, 1, 3,
/// 1} 15.2, 193; {8, 2, 4, 1, 3, 1} 16.4, 239; {8, 4, 4, 1, 2, 1} 18.8, 210; {8, 3, 4, 1, 2, 1} 18.2, 227. Exact,
/// which does not fit into the first ones, over 4096 x 4096: {8, 2, 4, 1, 3, 1} 24.3; {8, 2, 8, 1, 1, 2} 28.2; {8, 3,
/// 4, 1, 2, 1} 28.2; {8, 2, 4, 1, 2, 2} 29.8; {8, 2, 8, 1, 1, 1} 30.1; {8, 4, 4, 1, 2, 1} 30.3. Those of f64 were not
/// measured.
constexpr StreamedSizes sizes_of_f32[] = {
    {8, 4, 4, 1, 2, 2}, {8, 2, 4, 1, 3, 1}, {8, 2, 8, 2, 1, 2}, {8, 2, 8, 1, 1, 2}, {8, 2, 7, 2, 1, 2},
    {8, 4, 4, 2, 1, 2}, {8, 1, 8, 2, 1, 2}, {4, 1, 8, 2, 1, 2}, {4, 1, 4, 2, 1, 2}, {4, 1, 1, 2, 1, 2}};
constexpr StreamedSizes sizes_of_f64[] = {
    {4, 2, 8, 2, 1, 2}, {4, 1, 8, 2, 1, 2}, {4, 1, 4, 2, 1, 2}, {4, 1, 1, 2, 1, 2}};
/// Columns of an array, whose places in a row are 32 bits.
constexpr i64 most_columns = i64{1} << 30;
/// States of which a warp's levels are all in registers.
constexpr std::size_t most_states_of_levels = 2;

bool is_read(const formula::Formula& cells, int source) {
  return std::ranges::any_of(cells.nodes(), [&](const formula::Node& node) {
    return node.operation == formula::Operation::read && node.number == source;
  });
}

bool reads_neighbours(const Reach& reach) { return reach.low != Reach{}.low || reach.high != Reach{}.high; }

/// Boundaries of which a neighbour's value is the same.
Boundary near_boundary(Boundary boundary) { return boundary == Boundary::symmetric ? Boundary::edge : boundary; }

/// Finds the places of the sources, and the boundary. @return the reason why there are none
std::string place_sources(const Iteration& iteration, StreamedPlan& plan) {
  const auto& [cells, sources] = *iteration.joined;
  bool has_boundary = false;
  for (int n = 0; n < std::ssize(sources); ++n) {
    const FormulaSource& source = sources[static_cast<std::size_t>(n)];
    const Reach reach = reach_of_source(cells, n);
    const bool is_state = source.operand < static_cast<int>(iteration.states());
    plan.places.push_back(0);
    if (!is_read(cells, n)) continue;
    if (!is_state) {
      if (reads_neighbours(reach)) return "its iteration reads neighbours in arrays that no step changes";
      const auto at = std::ranges::find(plan.constants, source.operand) - plan.constants.begin();
      if (at == std::ssize(plan.constants)) plan.constants.push_back(source.operand);
      plan.places.back() = -1 - static_cast<int>(at);
      continue;
    }
    plan.places.back() = source.operand;
    if (!reads_neighbours(reach)) continue;
    const Boundary boundary = near_boundary(source.boundary);
    const bool is_other = boundary != plan.boundary ||
                          (boundary == Boundary::value &&
                           std::bit_cast<u64>(source.boundary_value) != std::bit_cast<u64>(plan.boundary_value));
    if (has_boundary && is_other) return "its iteration reads states beyond several boundaries";
    has_boundary = true;
    plan.boundary = boundary;
    plan.boundary_value = source.boundary_value;
  }
  return "";
}

/// The number of the constant by which a node divides numbers of f32; -1: it does not.
int constant_divisor(const Iteration& iteration, const StreamedPlan& plan, const formula::Node& node) {
  if (node.operation != formula::Operation::divide || node.type != formula::Type::f32) return -1;
  const formula::Node& divisor = iteration.joined->cells[node.operands[1]];
  if (divisor.operation != formula::Operation::read) return -1;
  return -1 - plan.places[static_cast<std::size_t>(divisor.number)];
}

void find_divisors(const Iteration& iteration, StreamedPlan& plan) {
  for (const formula::Node& node : iteration.joined->cells.nodes()) {
    const int constant = constant_divisor(iteration, plan, node);
    if (constant >= 0 && std::ranges::count(plan.divisors, constant) == 0) plan.divisors.push_back(constant);
  }
}

std::string why_unfit(const Iteration& iteration, StreamedPlan& plan) {
  if (!iteration.joined) return "its iteration is not one formula";
  const std::size_t states = iteration.states();
  if (iteration.row_radius > 1 || iteration.column_radius > 1) return "its iteration has a radius above 1";
  if (states > std::size_t{most_streamed_states}) {
    return "its iteration has more than " + std::to_string(most_streamed_states) + " states";
  }
  if (std::string why = place_sources(iteration, plan); !why.empty()) return why;
  if (iteration.shape().columns > most_columns) return "its rows are too long";
  if (plan.boundary == Boundary::periodic) return "its iteration is periodic";
  if (plan.boundary == Boundary::reflect && iteration.shape().rows < 2) return "its array has one row";
  if (plan.constants.size() > std::size_t{most_streamed_constants}) {
    return "its iteration reads more than " + std::to_string(most_streamed_constants) +
           " arrays that no step changes";
  }
  return "";
}

}  // namespace

StreamedPlan plan_stream(const Iteration& iteration, const device::Limits& limits) {
  StreamedPlan plan;
  plan.unfit = why_unfit(iteration, plan);
  if (!plan.unfit.empty()) return plan;
  find_divisors(iteration, plan);
  const std::size_t bytes = size_of(iteration.body.type);
  const auto fits = [&](const StreamedSizes& sizes) {
    plan.sizes = sizes;
    const bool has_registers = iteration.states() <= most_states_of_levels || sizes.levels * sizes.cells <= 8;
    const StreamedLayout layout = plan.layout(static_cast<int>(iteration.states()), sizes.warps);
    return has_registers && layout.useful() > 0 && iteration.shape().columns >= layout.tile &&
           static_cast<std::size_t>(sizes.beside * layout.values()) * bytes <= limits.block_shared_bytes;
  };
  const bool found = bytes == 4 ? std::ranges::any_of(sizes_of_f32, fits) : std::ranges::any_of(sizes_of_f64, fits);
  if (!found) plan.unfit = "rows of its iteration are shorter than a tile, or its rows need more shared memory";
  return plan;
}

std::string streamed_cell_source(const std::string& name, const std::string& cell, const Iteration& iteration,
                                 const StreamedPlan& plan) {
  const formula::Formula& cells = iteration.joined->cells;
  const auto number = [](auto value) { return std::to_string(value); };
  const auto choice = [&](const std::vector<int>& values) {
    std::string text;
    for (std::size_t n = 0; n < values.size(); ++n) text += "n == " + number(n) + " ? " + number(values[n]) + " : ";
    return text + "0;\n  }\n";
  };
  const std::string value =
      iteration.body.type == ElementType::f32
          ? "float_of(" + number(std::bit_cast<std::uint32_t>(static_cast<float>(plan.boundary_value))) + "u)"
          : "double_of(" + number(std::bit_cast<std::uint64_t>(plan.boundary_value)) + "ull)";
  std::string text =
      "struct " + name + " : " + cell + " {\n  static constexpr i32 constants = " + number(plan.constants.size()) +
      ", divisors = " + number(plan.divisors.size()) +
      ";\n  static constexpr Boundary boundary = static_cast<Boundary>(" + number(static_cast<int>(plan.boundary)) +
      ");\n  TERRACE_HOST_DEVICE static T boundary_value() { return values::" + value +
      "; }\n  TERRACE_HOST_DEVICE static constexpr i32 place(i32 n) {\n    return " + choice(plan.places) +
      "  TERRACE_HOST_DEVICE static constexpr i32 divisor(i32 n) {\n    return " + choice(plan.divisors);
  std::map<int, std::string> quotients;
  for (int n = 0; n < std::ssize(cells.nodes()); ++n) {
    const formula::Node& node = cells[n];
    const int constant = constant_divisor(iteration, plan, node);
    if (constant < 0) continue;
    const auto divisor = std::ranges::find(plan.divisors, constant) - plan.divisors.begin();
    quotients[n] = "values::divided_by_known(" + formula::name_in_source(node.operands[0]) + ", " +
                   formula::name_in_source(node.operands[1]) + ", read.reciprocal(" + number(divisor) + "), misses)";
  }
  if (!quotients.empty()) {
    text +=
        "  template <class Read>\n"
        "  TERRACE_HOST_DEVICE static void make_quick(const Read& read, i64 i, i64 j, T (&made)[results], u32& "
        "misses) "
        "{\n" +
        cell_statements(cells, quotients) + "  }\n";
  }
  return text + "};\n";
}

std::string streamed_kernel_name(const std::string& cell, const StreamedPlan& plan) {
  std::string text = "terrace::graph::streamed_kernel<terrace::graph::" + cell;
  const auto& [cells, levels, warps, buffers, beside, rows] = plan.sizes;
  for (const i32 size : {cells, levels, warps, buffers, beside, rows}) text += ", " + std::to_string(size);
  return text + ">";
}

i64 streamed_chunk_rows(i64 rows, i64 tiles, i64 resident, const StreamedLayout& layout) {
  const i64 extra = 2 * layout.depth() + layout.warps * layout.rows;
  i64 best = rows, least = std::numeric_limits<i64>::max();
  for (i64 chunks = 1; chunks <= std::min<i64>(rows, 4096); ++chunks) {
    const i64 height = (rows + chunks - 1) / chunks, blocks = (rows + height - 1) / height * tiles;
    const i64 time = (blocks + resident - 1) / resident * (height + extra);
    if (time < least) least = time, best = height;
  }
  return best;
}

}  // namespace terrace::graph
