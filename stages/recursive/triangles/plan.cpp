#include "stages/recursive/triangles/program.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::stages {

using recursive::IntervalResult;
using recursive::IntervalStep;
using recursive::IntervalTask;
using recursive::reported_nodes;
using run::ArraySpec;
using run::Mode;
using run::Role;

namespace {

constexpr int terms_array = 0, table_array = 1;

}  // namespace

TriangleProgram::TriangleProgram(TrianglePlan plan, std::shared_ptr<io::Source> terms)
    : plan_(std::move(plan)), across_((plan_.nodes + plan_.tile - 1) / plan_.tile), order_(across_, plan_.ways) {
  const auto triangle = [&](const std::string& name, ElementType type, bool result) {
    ArraySpec spec;
    spec.name = name;
    spec.role = result ? Role::result : Role::scratch;
    spec.type = type;
    spec.shape = result ? Extents{plan_.nodes, plan_.nodes} : Extents{tiles() * plan_.tile, plan_.tile};
    spec.tile = {plan_.tile, plan_.tile};
    spec.generations = across_;
    spec.kept = 1;
    return spec;
  };
  ArraySpec input;
  input.name = "terms";
  input.role = Role::input;
  input.type = plan_.spec.value;
  input.shape = input.tile = {3, plan_.nodes};
  input.source = std::move(terms);
  arrays_.push_back(std::move(input));
  arrays_.push_back(triangle("table", plan_.spec.value, plan_.table));
  if (!plan_.spec.splits) return;
  split_array_ = static_cast<int>(arrays_.size());
  arrays_.push_back(triangle("split", ElementType::i32, true));
  trace_array_ = static_cast<int>(arrays_.size());
  ArraySpec trace;
  trace.name = "trace";
  trace.type = ElementType::i32;
  trace.shape = trace.tile = {3, plan_.nodes};
  trace.kept = 1;
  arrays_.push_back(std::move(trace));
}

TriangleProgram::~TriangleProgram() = default;

std::int64_t TriangleProgram::below_tiles() const {
  return plan_.table || plan_.spec.splits ? across_ * (across_ - 1) / 2 : 0;
}

std::int64_t TriangleProgram::reports() const { return (plan_.nodes + reported_nodes - 1) / reported_nodes; }

std::int64_t TriangleProgram::blocks() const {
  return order_.count() + below_tiles() + (plan_.spec.splits ? 1 + tiles() + reports() : 0);
}

std::optional<run::Phase> TriangleProgram::phase(std::int64_t number) {
  if (number > 0) return std::nullopt;
  run::Phase phase;
  phase.count = blocks();
  return phase;
}

TriangleProgram::Place TriangleProgram::place_of(std::int64_t index) const {
  if (index < order_.count()) return {IntervalStep::multiply, index};
  index -= order_.count();
  if (index < below_tiles()) return {IntervalStep::below, index};
  index -= below_tiles();
  if (index == 0) return {IntervalStep::begin_trace, 0};
  if (index <= tiles()) return {IntervalStep::trace, index - 1};
  return {IntervalStep::report, index - 1 - tiles()};
}

TriangleProgram::Tile TriangleProgram::below_tile(std::int64_t number) const {
  std::int64_t i = 1;
  while (number >= i) number -= i++;
  return {i, number};
}

TriangleProgram::Tile TriangleProgram::traced_tile(std::int64_t number) const {
  std::int64_t i = 0;
  while (number >= across_ - i) number -= across_ - i++;
  return {i, across_ - 1 - number};
}

std::int64_t TriangleProgram::size_of(std::int64_t tile) const {
  return std::min(plan_.tile, plan_.nodes - tile * plan_.tile);
}

Box TriangleProgram::box_of(int array, const Tile& tile) const {
  const std::int64_t side = plan_.tile;
  if (arrays_[static_cast<std::size_t>(array)].role == Role::scratch) {
    const std::int64_t piece = tile.j * (tile.j + 1) / 2 + tile.i;
    return {{piece * side, 0}, {(piece + 1) * side, side}};
  }
  return {{tile.i * side, tile.j * side}, {tile.i * side + size_of(tile.i), tile.j * side + size_of(tile.j)}};
}

Box TriangleProgram::report_box(std::int64_t number) const {
  return {{1, number * reported_nodes}, {3, std::min<std::int64_t>(plan_.nodes, (number + 1) * reported_nodes)}};
}

double TriangleProgram::operations_of(const TriangleUpdate& at) const {
  const auto rows = static_cast<double>(size_of(at.i)), columns = static_cast<double>(size_of(at.j));
  if (!at.closes()) return rows * columns * static_cast<double>(size_of(at.k));
  return at.i == at.j ? rows * rows * rows / 6 : rows * columns * (rows + columns) / 2;
}

/// The finished tiles that an update reads: two factors, or the tiles on the diagonal and, where the rule looks
/// inside, those below, on the left, and between.
std::vector<TriangleProgram::Tile> TriangleProgram::factors(const TriangleUpdate& at) const {
  if (at.i == at.j) return {};
  if (!at.closes()) return {{at.i, at.k}, {at.k, at.j}};
  std::vector<Tile> tiles = {{at.i, at.i}, {at.j, at.j}};
  if (!plan_.pairs || at.i + 1 == at.j) return tiles;  // the neighbours are those on the diagonal
  tiles.push_back({at.i + 1, at.j});
  tiles.push_back({at.i, at.j - 1});
  tiles.push_back({at.i + 1, at.j - 1});
  return tiles;
}

run::Block TriangleProgram::block(const run::Phase&, std::int64_t, std::int64_t index) const {
  const Place place = place_of(index);
  run::Block block;
  const auto add = [&](int array, std::int64_t generation, const Box& box, Mode mode) {
    block.accesses.push_back({array, generation, box, mode});
  };
  const Box whole = {{0, 0}, {3, plan_.nodes}};
  switch (place.step) {
    case IntervalStep::multiply: {
      const TriangleUpdate at = order_.at(index);
      const std::int64_t first = across_ - TriangleOrder::updates_of(at.i, at.j) + 1;
      for (const int array : {table_array, split_array_}) {
        if (array < 0) continue;
        const Box x = box_of(array, {at.i, at.j});
        if (at.before == 0) add(array, first, x, Mode::write);
        else add(array, first + at.before - 1, x, Mode::update);
      }
      add(terms_array, 0, whole, Mode::read);
      for (const Tile& tile : factors(at)) add(table_array, across_, box_of(table_array, tile), Mode::read);
      block.operations = operations_of(at);
      break;
    }
    case IntervalStep::below:
      for (const int array : {table_array, split_array_}) {
        if (array < 0 || arrays_[static_cast<std::size_t>(array)].role == Role::scratch) continue;
        add(array, across_, box_of(array, below_tile(place.number)), Mode::write);
      }
      break;
    case IntervalStep::begin_trace:
      add(trace_array_, 1, whole, Mode::write);
      break;
    case IntervalStep::trace:
      add(trace_array_, 1 + place.number, whole, Mode::update);
      add(split_array_, across_, box_of(split_array_, traced_tile(place.number)), Mode::read);
      break;
    default:
      add(trace_array_, 1 + tiles(), report_box(place.number), Mode::read);
  }
  return block;
}

std::size_t TriangleProgram::descriptor_bytes() const { return sizeof(IntervalTask); }
std::size_t TriangleProgram::result_bytes() const { return sizeof(IntervalResult); }

void TriangleProgram::describe_update(const TriangleUpdate& at, const run::BlockView& view,
                                      IntervalTask& task) const {
  std::size_t next = 0;
  const auto take = [&] { return view.accesses[next++].tiles[0]; };
  const run::TileView x = take();
  task.step = !at.closes() ? IntervalStep::multiply : at.i == at.j ? IntervalStep::diagonal : IntervalStep::close;
  task.empty = at.before == 0;
  task.top = at.closes() && at.i == 0 && at.j + 1 == across_;
  task.wobble = plan_.wobble;
  task.least_inside = plan_.least_inside;
  task.x = x.data;
  task.x_stride = x.strides[0];
  task.first_split = at.k * plan_.tile;
  if (split_array_ >= 0) {
    const run::TileView split = take();
    task.split = reinterpret_cast<std::int32_t*>(split.data);
    task.split_stride = split.strides[0];
  }
  task.terms = take().data;
  if (at.i == at.j) return;
  const run::TileView u = take(), v = take();
  task.depth = at.closes() ? 0 : size_of(at.k);
  task.u = u.data;
  task.u_stride = u.strides[0];
  task.v = v.data;
  task.v_stride = v.strides[0];
  if (!at.closes() || !plan_.pairs) return;
  const bool neighbours = at.i + 1 == at.j;
  const std::int64_t element = static_cast<std::int64_t>(terrace::size_of(plan_.spec.value));
  const run::TileView under = neighbours ? v : take(), beside = neighbours ? u : take();
  task.under = under.data;
  task.beside = beside.data + (size_of(at.j - 1) - 1) * element;
  task.beside_stride = beside.strides[0];
  if (!neighbours) task.corner = take().data + (size_of(at.j - 1) - 1) * element;
}

void TriangleProgram::describe(const run::Phase&, const run::BlockView& view, void* descriptor) const {
  const Place place = place_of(view.index);
  IntervalTask task{};
  task.step = place.step;
  task.nodes = plan_.nodes;
  task.pairs = plan_.pairs;
  const auto lies_at = [&](const Tile& tile) {
    task.row = tile.i * plan_.tile;
    task.column = tile.j * plan_.tile;
    task.rows = size_of(tile.i);
    task.columns = size_of(tile.j);
  };
  const auto data = [&](std::size_t access) { return view.accesses[access].tiles[0].data; };
  const auto stride = [&](std::size_t access) { return view.accesses[access].tiles[0].strides[0]; };
  const auto splits_at = [&](std::size_t access) {
    task.split = reinterpret_cast<std::int32_t*>(data(access));
    task.split_stride = stride(access);
  };
  switch (place.step) {
    case IntervalStep::multiply: {
      const TriangleUpdate at = order_.at(view.index);
      lies_at({at.i, at.j});
      describe_update(at, view, task);
      break;
    }
    case IntervalStep::below:
      lies_at(below_tile(place.number));
      if (plan_.table) task.x = data(0), task.x_stride = stride(0);
      if (plan_.spec.splits) splits_at(plan_.table ? 1 : 0);
      break;
    case IntervalStep::begin_trace:
      task.trace = reinterpret_cast<std::int32_t*>(data(0));
      break;
    case IntervalStep::trace:
      lies_at(traced_tile(place.number));
      task.trace = reinterpret_cast<std::int32_t*>(data(0));
      splits_at(1);
      break;
    default: {
      const Box box = report_box(place.number);
      task.row = box.begin[1];
      task.rows = box.end[1] - box.begin[1];
      task.trace = reinterpret_cast<std::int32_t*>(data(0));
    }
  }
  std::memcpy(descriptor, &task, sizeof task);
}

void TriangleProgram::open(device::Context& context, int) {
  if (context.shares_host_memory()) {
    opened_.push_back(recursive::make_intervals_cpu(plan_.spec, context));
    return;
  }
  const std::size_t bytes = recursive::intervals_cuda_bytes(plan_.spec, plan_.tile);
  workspaces_.push_back(std::make_unique<DeviceMemory>(context, bytes));
  opened_.push_back(recursive::make_intervals_cuda(plan_.spec, plan_.tile, context, workspaces_.back()->data()));
}

void TriangleProgram::run(const run::Phase&, std::int64_t, const device::Port& port, int, device::Context&,
                          int device) {
  opened_[static_cast<std::size_t>(device)]->run(port);
}

void TriangleProgram::failed(const run::Phase&, std::int64_t, std::int64_t index, int) {
  throw ComputeError("block " + std::to_string(index) + " of a triangle failed, which no block does");
}

void TriangleProgram::fold(const run::Phase&, std::int64_t, std::int64_t index, const void* folded) {
  const Place place = place_of(index);
  IntervalResult result;
  std::memcpy(&result, folded, sizeof result);
  if (result.lost != 0) {
    throw ComputeError("the table of splits does not split what begins at node " + std::to_string(result.lost - 1) +
                       ": an input, the disk or the memory has changed since it was computed; start over with "
                       "--fresh=all");
  }
  if (index + 1 == order_.count()) {  // the tile in the upper right corner needs all others
    findings_.whole = result.whole;
    findings_.real = result.real;
  } else if (place.step == IntervalStep::report) {
    const Box box = report_box(place.number);
    const std::int64_t count = box.end[1] - box.begin[1];
    findings_.opens.insert(findings_.opens.end(), result.opens, result.opens + count);
    findings_.closes.insert(findings_.closes.end(), result.closes, result.closes + count);
  }
}

std::string TriangleProgram::save() const {
  return nlohmann::json{{"whole", findings_.whole},
                        {"real", number_json(findings_.real)},
                        {"opens", findings_.opens},
                        {"closes", findings_.closes}}
      .dump();
}

void TriangleProgram::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  findings_.whole = state.at("whole");
  findings_.real = number_from(state.at("real"));
  findings_.opens = state.at("opens").get<std::vector<std::int32_t>>();
  findings_.closes = state.at("closes").get<std::vector<std::int32_t>>();
}

}  // namespace terrace::stages
