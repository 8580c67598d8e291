#include "stages/recursive/triangles/plan.hpp"

#include <algorithm>

#include "pipeline/run/slots.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

using recursive::IntervalStep;
using recursive::IntervalTask;
using recursive::reported_nodes;
using run::ArraySpec;
using run::Mode;
using run::Role;

namespace {

constexpr int terms_array = 0, table_array = 1;

/// Names of the accesses of a block: fields of IntervalTask.
enum class Slot { x, split, terms, u, v, under, beside, corner, trace };

constexpr run::SlotField<IntervalTask> slots[] = {
    run::field<&IntervalTask::x, &IntervalTask::x_stride>(Slot::x, "x"),
    run::field<&IntervalTask::split, &IntervalTask::split_stride>(Slot::split, "split"),
    run::field<&IntervalTask::terms>(Slot::terms, "terms"),
    run::field<&IntervalTask::u, &IntervalTask::u_stride>(Slot::u, "u"),
    run::field<&IntervalTask::v, &IntervalTask::v_stride>(Slot::v, "v"),
    run::field<&IntervalTask::under>(Slot::under, "under"),
    run::field<&IntervalTask::beside, &IntervalTask::beside_stride>(Slot::beside, "beside"),
    run::field<&IntervalTask::corner>(Slot::corner, "corner"),
    run::field<&IntervalTask::trace>(Slot::trace, "trace"),
};

}  // namespace

TrianglePlan::TrianglePlan(TriangleCut cut, std::shared_ptr<io::Source> terms)
    : cut_(std::move(cut)), across_((cut_.nodes + cut_.tile - 1) / cut_.tile), order_(across_, cut_.ways) {
  const auto triangle = [&](const std::string& name, ElementType type, bool result) {
    ArraySpec spec;
    spec.name = name;
    spec.role = result ? Role::result : Role::scratch;
    spec.type = type;
    spec.shape = result ? Extents{cut_.nodes, cut_.nodes} : Extents{tiles() * cut_.tile, cut_.tile};
    spec.tile = {cut_.tile, cut_.tile};
    spec.generations = across_;
    spec.kept = 1;
    return spec;
  };
  ArraySpec input;
  input.name = "terms";
  input.role = Role::input;
  input.type = cut_.spec.value;
  input.shape = input.tile = {3, cut_.nodes};
  input.source = std::move(terms);
  arrays_.push_back(std::move(input));
  arrays_.push_back(triangle("table", cut_.spec.value, cut_.table));
  if (!cut_.spec.splits) return;
  split_array_ = static_cast<int>(arrays_.size());
  arrays_.push_back(triangle("split", ElementType::i32, true));
  trace_array_ = static_cast<int>(arrays_.size());
  ArraySpec trace;
  trace.name = "trace";
  trace.type = ElementType::i32;
  trace.shape = trace.tile = {3, cut_.nodes};
  trace.kept = 1;
  arrays_.push_back(std::move(trace));
}

std::int64_t TrianglePlan::below_tiles() const {
  return cut_.table || cut_.spec.splits ? across_ * (across_ - 1) / 2 : 0;
}

std::int64_t TrianglePlan::reports() const { return (cut_.nodes + reported_nodes - 1) / reported_nodes; }

std::int64_t TrianglePlan::blocks() const {
  return order_.count() + below_tiles() + (cut_.spec.splits ? 1 + tiles() + reports() : 0);
}

std::optional<run::Phase> TrianglePlan::phase(std::int64_t number, const run::Tally&) const {
  if (number > 0) return std::nullopt;
  return run::Phase{number, blocks(), run::Order::in_turn};
}

TrianglePlan::Place TrianglePlan::place_of(std::int64_t index) const {
  if (index < order_.count()) return {IntervalStep::multiply, index};
  index -= order_.count();
  if (index < below_tiles()) return {IntervalStep::below, index};
  index -= below_tiles();
  if (index == 0) return {IntervalStep::begin_trace, 0};
  if (index <= tiles()) return {IntervalStep::trace, index - 1};
  return {IntervalStep::report, index - 1 - tiles()};
}

TrianglePlan::Tile TrianglePlan::below_tile(std::int64_t number) const {
  std::int64_t i = 1;
  while (number >= i) number -= i++;
  return {i, number};
}

TrianglePlan::Tile TrianglePlan::traced_tile(std::int64_t number) const {
  std::int64_t i = 0;
  while (number >= across_ - i) number -= across_ - i++;
  return {i, across_ - 1 - number};
}

std::int64_t TrianglePlan::size_of(std::int64_t tile) const {
  return std::min(cut_.tile, cut_.nodes - tile * cut_.tile);
}

Box TrianglePlan::box_of(int array, const Tile& tile) const {
  const std::int64_t side = cut_.tile;
  if (arrays_[static_cast<std::size_t>(array)].role == Role::scratch) {
    const std::int64_t piece = tile.j * (tile.j + 1) / 2 + tile.i;
    return {{piece * side, 0}, {(piece + 1) * side, side}};
  }
  return {{tile.i * side, tile.j * side}, {tile.i * side + size_of(tile.i), tile.j * side + size_of(tile.j)}};
}

std::pair<std::int64_t, std::int64_t> TrianglePlan::reported(std::int64_t number) const {
  return {number * reported_nodes, std::min<std::int64_t>(cut_.nodes, (number + 1) * reported_nodes)};
}

double TrianglePlan::operations_of(const TriangleUpdate& at) const {
  const auto rows = static_cast<double>(size_of(at.i)), columns = static_cast<double>(size_of(at.j));
  if (!at.closes()) return rows * columns * static_cast<double>(size_of(at.k));
  return at.i == at.j ? rows * rows * rows / 6 : rows * columns * (rows + columns) / 2;
}

/// The parts of finished tiles that an update reads: two factors, or the tiles on the diagonal and, if the rule
/// looks inside, the row below x, the column on its left, and the value between them.
std::vector<run::Access> TrianglePlan::factors(const TriangleUpdate& at) const {
  std::vector<run::Access> accesses;
  const auto add = [&](Slot slot, const Box& box) {
    accesses.push_back({slot, table_array, across_, box, Mode::read});
  };
  const auto add_tile = [&](Slot slot, const Tile& tile) { add(slot, box_of(table_array, tile)); };
  // `rows` x `columns` values of a tile, from column `column` of its first row on.
  const auto add_part = [&](Slot slot, const Tile& tile, std::int64_t column, std::int64_t rows,
                            std::int64_t columns) {
    const Extents begin = box_of(table_array, tile).begin;
    add(slot, {{begin[0], begin[1] + column}, {begin[0] + rows, begin[1] + column + columns}});
  };
  if (at.i == at.j) return accesses;
  add_tile(Slot::u, {at.i, at.closes() ? at.i : at.k});
  add_tile(Slot::v, {at.closes() ? at.j : at.k, at.j});
  if (!at.closes() || !cut_.pairs) return accesses;
  const std::int64_t last = size_of(at.j - 1) - 1;
  add_part(Slot::under, {at.i + 1, at.j}, 0, 1, size_of(at.j));
  add_part(Slot::beside, {at.i, at.j - 1}, last, size_of(at.i), 1);
  if (at.i + 1 < at.j) add_part(Slot::corner, {at.i + 1, at.j - 1}, last, 1, 1);
  return accesses;
}

run::Block TrianglePlan::update(const TriangleUpdate& at) const {
  run::Block block;
  const std::int64_t first = across_ - TriangleOrder::updates_of(at.i, at.j) + 1;
  const auto add = [&](Slot slot, int array) {
    const Box x = box_of(array, {at.i, at.j});
    if (at.before == 0) block.accesses.push_back({slot, array, first, x, Mode::write});
    else block.accesses.push_back({slot, array, first + at.before - 1, x, Mode::update});
  };
  add(Slot::x, table_array);
  if (split_array_ >= 0) add(Slot::split, split_array_);
  block.accesses.push_back({Slot::terms, terms_array, 0, {{0, 0}, {3, cut_.nodes}}, Mode::read});
  for (const run::Access& factor : factors(at)) block.accesses.push_back(factor);
  block.operations = operations_of(at);
  return block;
}

int TrianglePlan::device(const run::Phase&, std::int64_t index, int devices) const {
  const Place place = place_of(index);
  if (place.step == IntervalStep::multiply) return lines().device(order_.at(index).j, devices);
  // The walk through the splits goes from one tile to the next.
  return place.step == IntervalStep::below ? lines().device(place.number, devices) : 0;
}

run::Block TrianglePlan::block(const run::Phase&, std::int64_t index) const {
  const Place place = place_of(index);
  run::Block block;
  const auto add = [&](Slot slot, int array, std::int64_t generation, const Box& box, Mode mode) {
    block.accesses.push_back({slot, array, generation, box, mode});
  };
  const Box whole = {{0, 0}, {3, cut_.nodes}};
  switch (place.step) {
    case IntervalStep::multiply:
      return update(order_.at(index));
    case IntervalStep::below: {
      const Tile tile = below_tile(place.number);
      if (cut_.table) add(Slot::x, table_array, across_, box_of(table_array, tile), Mode::write);
      if (split_array_ >= 0) add(Slot::split, split_array_, across_, box_of(split_array_, tile), Mode::write);
      break;
    }
    case IntervalStep::begin_trace:
      add(Slot::trace, trace_array_, 1, whole, Mode::write);
      break;
    case IntervalStep::trace:
      add(Slot::trace, trace_array_, 1 + place.number, whole, Mode::update);
      add(Slot::split, split_array_, across_, box_of(split_array_, traced_tile(place.number)), Mode::read);
      break;
    default: {
      const auto [begin, end] = reported(place.number);
      add(Slot::trace, trace_array_, 1 + tiles(), {{1, begin}, {3, end}}, Mode::read);
    }
  }
  return block;
}

void TrianglePlan::describe_update(const TriangleUpdate& at, IntervalTask& task) const {
  task.step = !at.closes() ? IntervalStep::multiply : at.i == at.j ? IntervalStep::diagonal : IntervalStep::close;
  task.depth = at.closes() ? 0 : size_of(at.k);
  task.first_split = at.k * cut_.tile;
  task.empty = at.before == 0;
  task.top = at.closes() && at.i == 0 && at.j + 1 == across_;
  task.wobble = cut_.wobble;
  task.least_inside = cut_.least_inside;
}

IntervalTask TrianglePlan::task(const run::Phase&, const run::BlockView& view) const {
  const Place place = place_of(view.index);
  IntervalTask task{};
  task.step = place.step;
  task.nodes = cut_.nodes;
  task.pairs = cut_.pairs;
  const auto lies_at = [&](const Tile& tile) {
    task.row = tile.i * cut_.tile;
    task.column = tile.j * cut_.tile;
    task.rows = size_of(tile.i);
    task.columns = size_of(tile.j);
  };
  if (place.step == IntervalStep::multiply) {
    const TriangleUpdate at = order_.at(view.index);
    lies_at({at.i, at.j});
    describe_update(at, task);
  } else if (place.step == IntervalStep::below) {
    lies_at(below_tile(place.number));
  } else if (place.step == IntervalStep::trace) {
    lies_at(traced_tile(place.number));
  } else if (place.step == IntervalStep::report) {
    const auto [begin, end] = reported(place.number);
    task.row = begin;
    task.rows = end - begin;
  }
  run::bind_slots(slots, view, task);
  return task;
}

std::unique_ptr<run::Worker> TrianglePlan::make_worker(device::Context& context) const {
  using Worker = KernelWorker<TrianglePlan>;
  const recursive::TriangleSpec triangle{cut_.spec, cut_.tile};
  const recursive::TriangleMethod& method = triangle_method(triangle, backend_of(context), context.limits());
  auto workspace = workspace_for(method, triangle, context);
  auto kernel = make_kernel(method, triangle, context, workspace.get());
  return std::make_unique<Worker>(*this, std::move(kernel), std::move(workspace));
}

}  // namespace terrace::stages
