#include "kernels/graph/cuda/node_steps.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/graph/cuda/touches.hpp"
#include "kernels/graph/operators.hpp"

namespace terrace::graph {
namespace {

/// True if the cell reads nothing outside of its operands.
bool is_inner(const Graph& graph, const Node& node, i64 row, i64 column) {
  for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
    const Area area = reach_of(graph, node, static_cast<int>(operand), {{row, row + 1}, {column, column + 1}});
    const Shape shape = graph.shape(node.operands[operand]);
    if (area.rows.begin < 0 || area.rows.end > shape.rows || area.columns.begin < 0 ||
        area.columns.end > shape.columns)
      return false;
  }
  return true;
}

/// The largest range around the middle of [0, extent) for whose numbers is(number) is true.
template <class Is>
Range range_of(i64 extent, const Is& is) {
  Range range{0, extent};
  while (range.begin < extent && !is(range.begin)) ++range.begin;
  while (range.end > range.begin && !is(range.end - 1)) --range.end;
  return range;
}

/// The cells that read nothing outside; rows and columns do not depend on each other.
Area inner_of(const Graph& graph, const Node& node) {
  Area inner;
  const i64 row = node.shape.rows / 2, column = node.shape.columns / 2;
  inner.columns = range_of(node.shape.columns, [&](i64 at) { return is_inner(graph, node, row, at); });
  const i64 inside = inner.columns.size() > 0 ? inner.columns.begin : column;
  inner.rows = range_of(node.shape.rows, [&](i64 at) { return is_inner(graph, node, at, inside); });
  return inner;
}

/// The arguments that a node has in all slabs.
Work work_of(const Graph& graph, const Node& node, GraphState* state, std::byte* numbers) {
  Work work{};
  work.state = state;
  work.columns = node.shape.columns;
  work.operand = node.operands.empty() ? node.shape : graph.shape(node.operands.front());
  if (!node.settings.iteration) work.inner = inner_of(graph, node);
  work.boundary = node.settings.boundary;
  work.boundary_value = node.settings.boundary_value;
  work.numbers = numbers;
  work.row_radius = node.settings.row_radius;
  work.column_radius = node.settings.column_radius;
  work.axis = node.settings.axis;
  work.is_separable = node.settings.is_separable ? 1 : 0;
  return work;
}

/// The memory of the rows that are read for a range that lies outside of an array; none if it is empty, or a value is
/// read instead.
RowsInMemory memory_for(const Pieces& pieces, Range outer, i64 extent, Boundary boundary) {
  Range read{extent, 0};
  for (i64 row = outer.begin; row < outer.end; ++row) {
    const i64 inside = index_inside(row, extent, boundary);
    if (inside != outside) read = {std::min(read.begin, inside), std::max(read.end, inside + 1)};
  }
  return read.size() > 0 ? piece_with(pieces, read).memory : RowsInMemory{};
}

}  // namespace

WrittenKernel written_kernel(WrittenLaunch launch, const formula::Formula& cells,
                             const std::vector<FormulaSource>& sources, Shape shape) {
  const auto& [low, high] = cells.reach();
  WrittenKernel made{std::move(launch), {}, {{-low[0], shape.rows - high[0]}, {-low[1], shape.columns - high[1]}}};
  for (int n = 0; n < std::ssize(sources); ++n) {
    const bool is_read = std::ranges::any_of(cells.nodes(), [&](const formula::Node& node) {
      return node.operation == formula::Operation::read && node.number == n;
    });
    made.sources.push_back({sources[static_cast<std::size_t>(n)], reach_of_source(cells, n), is_read});
  }
  return made;
}

WrittenWork written_work(const WrittenKernel& kernel, const GraphState* state, Shape shape, Range rows,
                         const std::vector<Pieces>& inputs, const std::vector<Pieces>& made) {
  WrittenWork work{};
  work.state = state;
  work.rows = rows;
  work.shape = shape;
  work.inner = kernel.inner;
  for (std::size_t n = 0; n < made.size(); ++n) work.made[n] = piece_with(made[n], rows).memory;
  for (std::size_t n = 0; n < kernel.sources.size(); ++n) {
    const auto& [from, reach, is_read] = kernel.sources[n];
    if (!is_read) continue;
    const Pieces& pieces = inputs[static_cast<std::size_t>(from.operand)];
    const i64 begin = std::min<i64>(rows.begin + reach.low[0], 0), end = rows.end + reach.high[0];
    const auto beyond = [&](Range outer) { return memory_for(pieces, outer, shape.rows, from.boundary); };
    work.sources[n] = {piece_with(pieces, rows).memory, beyond({begin, 0}),
                       beyond({shape.rows, std::max(end, shape.rows)}), from.boundary, from.boundary_value};
  }
  return work;
}

std::vector<Touch> touches_of_written(const WrittenKernel& kernel, Shape shape, ElementType type, Range rows,
                                      const std::vector<Pieces>& inputs, const std::vector<Pieces>& made) {
  std::vector<Touch> touches;
  for (const Pieces& pieces : made) {
    touches.push_back(touch_of_made(piece_with(pieces, rows).memory, shape.columns, type));
  }
  for (const auto& [from, reach, is_read] : kernel.sources) {
    if (!is_read) continue;
    const RowReach of_rows{.low = reach.low[0], .high = reach.high[0], .boundary = from.boundary};
    add_touches(touches, inputs[static_cast<std::size_t>(from.operand)], {shape, type, of_rows}, rows);
  }
  return touches;
}

NodeSteps::NodeSteps(const Graph& graph, std::vector<double> known, std::vector<NodeLaunch> launches,
                     GraphState* state, std::byte* numbers)
    : graph_(graph), known_(std::move(known)), launches_(std::move(launches)) {
  for (const Node& node : graph.nodes) {
    works_.push_back(work_of(graph, node, state, numbers));
    numbers += node.settings.numbers.size() * size_of(graph.type);
  }
}

Step NodeSteps::make(int value, Range rows, const std::vector<Pieces>& pieces) const {
  const Node& node = graph_.node(value);
  const std::size_t number = static_cast<std::size_t>(value) - graph_.inputs.size();
  if (launches_[number].written.launch) return make_written(value, rows, pieces);
  Work work = works_[number];
  work.rows = rows;
  work.made = piece_with(pieces[static_cast<std::size_t>(value)], rows).memory;
  std::vector<Touch> touches = {touch_of_made(work.made, work.columns, graph_.type)};
  for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
    const Area area = reach_of(graph_, node, static_cast<int>(operand), {rows, {0, node.shape.columns}}, known_);
    const Pieces& own = pieces[static_cast<std::size_t>(node.operands[operand])];
    const Range inside{std::max<i64>(area.rows.begin, 0), std::min(area.rows.end, work.operand.rows)};
    if (inside.size() > 0) work.operands[operand] = piece_with(own, inside).memory;
    if (operand == 0) point_outside(work, own, area.rows);
    const RowReach reach{
        .graph = &graph_, .node = &node, .operand = static_cast<int>(operand), .boundary = work.boundary};
    add_touches(touches, own, {work.operand, graph_.type, reach}, rows);
  }
  return {value, false, launches_[number].cells, work, std::move(touches)};
}

/// The launch takes the sources from here, and the rows from the step's work.
Step NodeSteps::make_written(int value, Range rows, const std::vector<Pieces>& pieces) const {
  const Node& node = graph_.node(value);
  const std::size_t number = static_cast<std::size_t>(value) - graph_.inputs.size();
  const WrittenKernel& kernel = launches_[number].written;
  Work work = works_[number];
  work.rows = rows;
  std::vector<Pieces> inputs;
  for (const int operand : node.operands) inputs.push_back(pieces[static_cast<std::size_t>(operand)]);
  const auto written = std::make_shared<WrittenWork>(
      written_work(kernel, work.state, node.shape, rows, inputs, {pieces[static_cast<std::size_t>(value)]}));
  const auto launch = [written, of = kernel.launch](const Work& own, cudaStream_t stream) {
    WrittenWork part = *written;
    part.rows = own.rows;
    of(part, stream);
  };
  return {
      value, false, launch, work,
      touches_of_written(kernel, node.shape, graph_.type, rows, inputs, {pieces[static_cast<std::size_t>(value)]})};
}

/// Finds the rows that are read for those outside of the operand.
void NodeSteps::point_outside(Work& work, const Pieces& pieces, Range rows) const {
  const auto row_for = [&](i64 row) -> const void* {
    const i64 inside = index_inside(row, work.operand.rows, work.boundary);
    if (inside == outside) return nullptr;
    const RowsInMemory& memory = piece_with(pieces, {inside, inside + 1}).memory;
    return static_cast<const std::byte*>(memory.data) +
           (inside - memory.first) * memory.stride * static_cast<i64>(size_of(graph_.type));
  };
  for (i64 row = rows.begin; row < 0; ++row) work.above[-1 - row] = row_for(row);
  for (i64 row = work.operand.rows; row < rows.end; ++row) work.below[row - work.operand.rows] = row_for(row);
}

}  // namespace terrace::graph
