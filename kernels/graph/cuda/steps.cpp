#include "kernels/graph/cuda/steps.hpp"

#include <algorithm>
#include <utility>

#include "kernels/graph/carry.hpp"
#include "kernels/graph/cuda/touches.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/slabs.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

}  // namespace

std::vector<const Node*> numbered_nodes(const Graph& graph) {
  std::vector<const Node*> all;
  for (const Node& node : graph.nodes) all.push_back(&node);
  for (const int value : iterations_of(graph)) {
    for (const Node& node : graph.node(value).settings.iteration->body.nodes) all.push_back(&node);
  }
  return all;
}

SlabSteps::SlabSteps(const GraphSpec& spec, GraphLaunches launches, const GraphMemory& memory, Lifetimes lifetimes)
    : spec_(spec),
      graph_(*spec_.graph),
      launches_(std::move(launches)),
      memory_(memory),
      lifetimes_(std::move(lifetimes)),
      room_bytes_(most_room_bytes(spec, lifetimes_)),
      nodes_(graph_, spec_.known, launches_.nodes, memory.state, memory.numbers) {
  std::byte* numbers = memory.numbers;
  const auto add = [&](const Node& node) { numbers += node.settings.numbers.size() * size_of(graph_.type); };
  for (const Node& node : graph_.nodes) add(node);
  for (const int value : iterations_of(graph_)) {
    const Iteration& iteration = *graph_.node(value).settings.iteration;
    iterations_[value] =
        std::make_unique<IterationSteps>(iteration, launches_.iterations.at(value), memory.state, numbers);
    for (const Node& node : iteration.body.nodes) add(node);
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
        rooms_(rooms_of(own.spec_, needed_, own.lifetimes_)),
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
  SlabWork take() { return {std::move(steps_), std::move(pieces_)}; }

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

  /// The rows that are needed of a value in its room.
  Pieces room_of(int value) const {
    return pieces_in(own_.memory_.rooms + rooms_.at[index(value)], needed_[index(value)], graph_.shape(value).columns,
                     graph_.type);
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
      std::vector<Touch> touches = {touch_of_same(work.operands[0], work.columns, stored)};
      if (stored != graph_.type) touches.push_back(touch_of_made(work.made, work.columns, graph_.type));
      steps_.push_back({input, false, own_.launches_.loads[index(input)], work, std::move(touches)});
    }
  }

  void make(int value) {
    const Node& node = graph_.node(value);
    if (!node.settings.iteration) {
      pieces_[index(value)] = place_of(value);
      for (const Range& rows : needed_[index(value)].ranges()) {
        steps_.push_back(own_.nodes_.make(value, rows, pieces_));
      }
    } else if (own_.iterations_.contains(value)) {
      iterate(value);
    }
    const std::vector<std::size_t> kept = kept_of(value);
    const auto in_place = in_place_among(value, kept);
    for (const std::size_t number : kept) {
      if (in_place == kept.end() || number != *in_place) keep(value, number);
    }
  }

  /// Makes all states of an iteration. @param first its first node
  void iterate(int first) {
    const Iteration& iteration = *graph_.node(first).settings.iteration;
    std::vector<Pieces> operands, made(iteration.states());
    for (const int operand : graph_.node(first).operands) operands.push_back(pieces_[index(operand)]);
    for (int value = first; value < first + nodes_of_iteration(graph_, first); ++value) {
      pieces_[index(value)] = made[index(graph_.node(value).settings.state)] = place_of(value);
    }
    std::byte* beside = own_.memory_.rooms + rooms_.beside[index(first)];
    CarryMemory carry;
    if (const auto carrier = carrier_of(graph_, carriers_of(own_.spec_), first)) {
      carry = {static_cast<std::byte*>(task_.carried[*carrier]), own_.spec_.pass_steps};
    }
    ManySteps many =
        own_.iterations_.at(first)->all(needed_[index(first)], std::move(operands), std::move(made), beside, carry);
    const auto launch = [many](const Work&, cudaStream_t stream) {
      many([&](const Step& step) { step.launch(step.work, stream); });
    };
    steps_.push_back({first, false, launch, {}, {}, many});
  }

  /// The memory in which a node is made: where it is kept, or its room.
  Pieces place_of(int value) const {
    const std::vector<std::size_t> kept = kept_of(value);
    const auto in_place = in_place_among(value, kept);
    return in_place == kept.end() ? room_of(value) : parts_of(*in_place, true);
  }
  std::vector<std::size_t>::const_iterator in_place_among(int value, const std::vector<std::size_t>& kept) const {
    return std::ranges::find_if(kept, [&](std::size_t number) { return is_in_place(value, number); });
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
      steps_.push_back({value,
                        true,
                        own_.launches_.keeps[number],
                        work,
                        {touch_of_same(work.operands[0], work.columns, graph_.type),
                         touch_of_made(work.made, work.columns, graph_.kept[number].type)}});
    }
  }

  void reduce(std::size_t number) {
    const Reduction& own = graph_.reductions[number];
    Work work{};
    work.state = own_.memory_.state;
    work.columns = graph_.shape(own.value).columns;
    work.rows = rows_of_slab(own_.spec_, task_.slab, graph_.kept.size() + number);
    work.bins = own.bins;
    work.positions = own.positions;
    work.elements = own.elements();
    work.reduced = task_.reduced[number];
    work.is_first = task_.slab == 0 ? 1 : 0;
    const std::vector<Launch>& launches = own_.launches_.reductions[number];
    const auto add = [&](const Launch& launch) { steps_.push_back({own.value, true, launch, work}); };
    if (work.rows.size() == 0) {
      if (work.is_first == 0) return;
    } else {
      work.operands[0] = piece_with(pieces_[index(own.value)], work.rows).memory;
    }
    const bool has_rows = work.rows.size() > 0;
    if (own.makes != Makes::number && work.is_first != 0) add(launches[0]);
    if (own.makes == Makes::counts && has_rows) add(launches[1]);
    if (own.makes == Makes::counts) return;
    const RowsInMemory results{own_.memory_.row_results, work.rows.begin, 1};
    work.made = results;
    if (own.makes == Makes::positions) {
      work.operands[1] = results;
      for (std::size_t n = 1; has_rows && n < launches.size(); ++n) add(launches[n]);
      return;
    }
    if (has_rows) add(launches[0]);
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

SlabWork SlabSteps::of(const GraphTask& task) const { return Slab(*this, task).take(); }

}  // namespace terrace::graph
