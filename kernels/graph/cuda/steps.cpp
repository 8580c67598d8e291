#include "kernels/graph/cuda/steps.hpp"

#include <algorithm>
#include <utility>

#include "kernels/graph/operators.hpp"
#include "kernels/graph/slabs.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

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
Work work_of(const Graph& graph, const Node& node, const GraphMemory& memory, std::byte* numbers) {
  Work work{};
  work.state = memory.state;
  work.columns = node.shape.columns;
  work.operand = node.operands.empty() ? node.shape : graph.shape(node.operands.front());
  work.inner = inner_of(graph, node);
  work.boundary = node.settings.boundary;
  work.boundary_value = node.settings.boundary_value;
  work.numbers = numbers;
  work.row_radius = node.settings.row_radius;
  work.column_radius = node.settings.column_radius;
  work.axis = node.settings.axis;
  work.is_separable = node.settings.is_separable ? 1 : 0;
  return work;
}

}  // namespace

SlabSteps::SlabSteps(const GraphSpec& spec, GraphLaunches launches, const GraphMemory& memory)
    : spec_(spec),
      graph_(*spec_.graph),
      launches_(std::move(launches)),
      memory_(memory),
      room_bytes_(most_room_bytes(spec)) {
  std::byte* numbers = memory.numbers;
  for (const Node& node : graph_.nodes) {
    nodes_.push_back(work_of(graph_, node, memory, numbers));
    numbers += node.settings.numbers.size() * size_of(graph_.type);
  }
}

/// The values of a slab, and the steps that make them.
class SlabSteps::Slab {
 public:
  Slab(const SlabSteps& own, const GraphTask& task)
      : own_(own),
        graph_(own.graph_),
        task_(task),
        needed_(rows_needed(own.spec_, task.slab)),
        rooms_(rooms_of(graph_, needed_)),
        pieces_(needed_.size()) {
    if (rooms_.bytes > own.room_bytes_) throw DeviceError("graph", "a slab needs more memory than the kernel has");
    for (int value = 0; value < graph_.values(); ++value) {
      if (graph_.is_node(value)) make(value);
      else load(value);
      for (std::size_t n = 0; n < graph_.reductions.size(); ++n) {
        if (graph_.reductions[n].value == value) reduce(n);
      }
    }
  }
  std::vector<Step> take() { return std::move(steps_); }

 private:
  /// The parts of an input or of a kept node.
  Pieces parts_of(std::size_t number, bool is_kept) const {
    Pieces found;
    for (i64 at = 0; at < task_.part_count; ++at) {
      const Part& part = task_.parts[at];
      if ((part.is_kept != 0) != is_kept || part.number != static_cast<i64>(number)) continue;
      found.push_back({{part.begin, part.end}, {part.data, part.begin, part.stride}});
    }
    return found;
  }

  /// The part of a value that has all of the rows. @throws DeviceError if none has
  static const Piece& piece_with(const Pieces& pieces, Range rows) {
    for (const Piece& piece : pieces) {
      if (piece.rows.begin <= rows.begin && rows.end <= piece.rows.end) return piece;
    }
    throw DeviceError("graph", "rows " + std::to_string(rows.begin) + " to " + std::to_string(rows.end) +
                                   " of a value are not in its memory");
  }

  /// The rows that are needed of a value in its room.
  Pieces room_of(int value) const {
    Pieces made;
    const i64 columns = graph_.shape(value).columns;
    std::byte* at = own_.memory_.rooms + rooms_.at[index(value)];
    for (const Range& rows : needed_[index(value)].ranges()) {
      made.push_back({rows, {at, rows.begin, columns}});
      at += static_cast<std::size_t>(rows.size() * columns) * size_of(graph_.type);
    }
    return made;
  }

  void load(int input) {
    const auto& [name, stored, shape, may_be_nan] = graph_.inputs[index(input)];
    const Pieces parts = parts_of(index(input), false);
    pieces_[index(input)] = stored == graph_.type ? parts : room_of(input);
    Work work{};
    work.state = own_.memory_.state;
    work.columns = shape.columns;
    work.input = may_be_nan ? -1 : input;
    if (stored == graph_.type && may_be_nan) return;  // neither checked nor changed
    for (const Range& rows : needed_[index(input)].ranges()) {
      work.rows = rows;
      work.operands[0] = piece_with(parts, rows).memory;
      work.made = piece_with(pieces_[index(input)], rows).memory;
      steps_.push_back({input, false, own_.launches_.loads[index(input)], work});
    }
  }

  void make(int value) {
    const std::vector<std::size_t> kept = kept_of(value);
    const auto in_place = std::ranges::find_if(kept, [&](std::size_t number) { return is_in_place(value, number); });
    pieces_[index(value)] = in_place == kept.end() ? room_of(value) : parts_of(*in_place, true);
    for (const Range& rows : needed_[index(value)].ranges()) make_rows(value, rows);
    for (const std::size_t number : kept) {
      if (in_place == kept.end() || number != *in_place) keep(value, number);
    }
  }

  std::vector<std::size_t> kept_of(int value) const {
    std::vector<std::size_t> found;
    for (std::size_t number = 0; number < graph_.kept.size(); ++number) {
      if (graph_.kept[number].value == value) found.push_back(number);
    }
    return found;
  }

  /// True if a value is made where it is kept: there are all rows that are needed, as they are computed.
  bool is_in_place(int value, std::size_t number) const {
    const Range rows = rows_of_slab(own_.spec_, task_.slab, number);
    const Pieces parts = parts_of(number, true);
    return graph_.kept[number].type == graph_.type && parts.size() == 1 && parts.front().rows == rows &&
           needed_[index(value)].ranges() == std::vector<Range>{rows};
  }

  void make_rows(int value, Range rows) {
    const Node& node = graph_.node(value);
    const std::size_t number = index(value) - graph_.inputs.size();
    Work work = own_.nodes_[number];
    work.rows = rows;
    work.made = piece_with(pieces_[index(value)], rows).memory;
    for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
      const Area area = reach_of(graph_, node, static_cast<int>(operand), {rows, {0, node.shape.columns}});
      const Pieces& pieces = pieces_[index(node.operands[operand])];
      const Range inside{std::max<i64>(area.rows.begin, 0), std::min(area.rows.end, work.operand.rows)};
      if (inside.size() > 0) work.operands[operand] = piece_with(pieces, inside).memory;
      if (operand == 0) point_outside(work, pieces, area.rows);
    }
    steps_.push_back({value, false, own_.launches_.nodes[number], work});
  }

  /// Finds the rows that are read for those outside of the operand.
  void point_outside(Work& work, const Pieces& pieces, Range rows) const {
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

  void keep(int value, std::size_t number) {
    const Range rows = rows_of_slab(own_.spec_, task_.slab, number);
    Work work{};
    work.state = own_.memory_.state;
    work.columns = graph_.shape(value).columns;
    for (const Piece& part : parts_of(number, true)) {
      work.rows = {std::max(rows.begin, part.rows.begin), std::min(rows.end, part.rows.end)};
      if (work.rows.size() <= 0) continue;
      work.operands[0] = piece_with(pieces_[index(value)], work.rows).memory;
      work.made = part.memory;
      steps_.push_back({value, true, own_.launches_.keeps[number], work});
    }
  }

  void reduce(std::size_t number) {
    const Reduction& own = graph_.reductions[number];
    Work work{};
    work.state = own_.memory_.state;
    work.columns = graph_.shape(own.value).columns;
    work.rows = rows_of_slab(own_.spec_, task_.slab, graph_.kept.size() + number);
    work.bins = own.bins;
    work.reduced = task_.reduced[number];
    work.is_first = task_.slab == 0 ? 1 : 0;
    const std::vector<Launch>& launches = own_.launches_.reductions[number];
    const auto add = [&](Launch launch) { steps_.push_back({own.value, true, launch, work}); };
    if (work.rows.size() == 0) {
      if (work.is_first == 0) return;
    } else {
      work.operands[0] = piece_with(pieces_[index(own.value)], work.rows).memory;
    }
    if (own.counts) {
      if (work.is_first != 0) add(launches[0]);
      if (work.rows.size() > 0) add(launches[1]);
      return;
    }
    const RowsInMemory results{own_.memory_.row_results, work.rows.begin, 1};
    work.made = results;
    if (work.rows.size() > 0) add(launches[0]);
    work.operands[0] = results;
    add(launches[1]);
  }

  const SlabSteps& own_;
  const Graph& graph_;
  const GraphTask& task_;
  std::vector<Rows> needed_;
  ValueRooms rooms_;
  std::vector<Pieces> pieces_;
  std::vector<Step> steps_;
};

std::vector<Step> SlabSteps::of(const GraphTask& task) const { return Slab(*this, task).take(); }

}  // namespace terrace::graph
