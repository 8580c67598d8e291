#include "stages/nest/plan.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

using nest::Array;
using nest::NestTask;
using nest::Point;
using nest::Ranges;
using nest::Statement;

namespace {

/// Names of the accesses of a block. Their index is an input, a coordinate, or what part_index() gives.
enum class Slot { input, border, part };

/// The index of the part of a dataset that a statement makes, or that none does.
constexpr std::size_t parts_of_dataset = nest::most_statements + 1;
constexpr std::size_t part_index(std::size_t dataset, int statement) {
  return dataset * parts_of_dataset + static_cast<std::size_t>(statement + 1);
}

/// The work of a phase.
struct PhaseWork {
  std::int64_t makes_rest;
};

/// The facts of a block that rows of slots need.
struct BlockContext {
  const std::vector<NestDataset>& datasets;
  const Point& number;  // of the block, along each coordinate
  const Point& last;    // of the last block
};

/// The elements of an array that a box of a dataset holds.
Ranges elements_in(const NestDataset& dataset, const Box& box) {
  Ranges elements = dataset.box;
  const std::size_t dropped = elements.size() - static_cast<std::size_t>(box.begin.rank());
  for (std::size_t axis = dropped; axis < elements.size(); ++axis) {
    const int own = static_cast<int>(axis - dropped);
    elements[axis] = {dataset.box[axis].begin + box.begin[own], dataset.box[axis].begin + box.end[own]};
  }
  return elements;
}

void bind_input(NestTask& task, const run::SlotPiece& piece, const BlockContext&) {
  const run::TileView& tile = piece.tile;
  nest::InputView& read = task.inputs[piece.index];
  read.data = tile.data;
  for (int axis = 0; axis < tile.strides.rank(); ++axis) {
    read.begin[axis] = tile.box.begin[axis];
    read.end[axis] = tile.box.end[axis];
    read.stride[axis] = tile.strides[axis];
  }
}

void bind_border(NestTask& task, const run::SlotPiece& piece, const BlockContext& block) {
  auto* words = reinterpret_cast<nest::Word*>(piece.tile.data);
  const auto coordinate = static_cast<std::size_t>(piece.index);
  if (block.number[coordinate] > 0) task.before[coordinate] = words;
  if (block.number[coordinate] < block.last[coordinate]) task.after[coordinate] = words;
}

void bind_part(NestTask& task, const run::SlotPiece& piece, const BlockContext& block) {
  const run::TileView& tile = piece.tile;
  const auto index = static_cast<std::size_t>(piece.index);
  const NestDataset& dataset = block.datasets[index / parts_of_dataset];
  if (task.part_count == nest::most_parts) throw Error("a block of a nest writes too many parts of tiles");
  nest::Part& made = task.parts[task.part_count++];
  made.data = tile.data;
  made.array = dataset.array;
  made.statement = static_cast<int>(index % parts_of_dataset) - 1;
  const Ranges elements = elements_in(dataset, tile.box);
  const std::size_t dropped = elements.size() - static_cast<std::size_t>(tile.strides.rank());
  for (std::size_t axis = 0; axis < elements.size(); ++axis) {
    made.begin[axis] = elements[axis].begin;
    made.end[axis] = elements[axis].end;
    made.stride[axis] = axis < dropped ? 0 : tile.strides[static_cast<int>(axis - dropped)];
  }
}

/// The indices of parts: datasets are the table and the last slice of an array.
constexpr int part_indices = static_cast<int>(2 * nest::most_arrays * parts_of_dataset);
constexpr run::SlotField<NestTask, BlockContext> slots[] = {
    {Slot::input, "input", bind_input, nest::most_views},
    {Slot::border, "border", bind_border, nest::most_coordinates},
    {Slot::part, "part of a dataset", bind_part, part_indices, true},
};

/// Bytes of a tile of an input, at most: some rows.
constexpr std::int64_t input_tile_bytes = 4 << 20;

}  // namespace

NestPlan::NestPlan(NestDefinition definition, std::vector<std::int64_t> sides, const nest::NestMethod& method,
                   Dealing dealing)
    : definition_(std::move(definition)),
      sweep_(definition_.spec),
      reads_(*definition_.spec.nest, sweep_),
      sides_(std::move(sides)),
      dealing_(std::move(dealing)),
      method_(method, nest::method_instead) {
  definition_.spec.block.assign(sides_.begin(), sides_.end());
  add_inputs();
  add_datasets();
  add_faces();
  find_rest();
  if (dealing_.devices > 1) levels_ = levels();
}

void NestPlan::add_inputs() {
  for (std::size_t n = 0; n < definition_.inputs.size(); ++n) {
    const io::Source& source = *definition_.inputs[n];
    run::ArraySpec spec;
    spec.name = "input_" + std::to_string(n);
    spec.role = run::Role::input;
    spec.type = source.type();
    spec.shape = source.shape();
    std::int64_t row = static_cast<std::int64_t>(size_of(spec.type));
    for (int axis = 0; axis < spec.shape.rank(); ++axis) {
      spec.tile.push_back(std::max<std::int64_t>(1, spec.shape[axis]));
      if (axis > 0) row *= spec.tile[axis];
    }
    // Tiles pass through memory beside the block, which copies its part of them.
    double of_block = static_cast<double>(size_of(spec.type));
    for (const std::int64_t side : sides_) of_block *= static_cast<double>(side);
    const double bytes = std::clamp<double>(of_block / 2, page_bytes, input_tile_bytes);
    spec.tile[0] = std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes) / row, 1, spec.tile[0]);
    spec.source = definition_.inputs[n];
    arrays_.push_back(std::move(spec));
  }
}

void NestPlan::add_datasets() {
  for (std::size_t number = 0; number < nest().arrays.size(); ++number) {
    const Array& array = nest().arrays[number];
    const nest::Kept& kept = spec().kept[number];
    for (const bool is_table : {true, false}) {
      if (is_table ? !kept.table : !kept.last) continue;
      NestDataset dataset{static_cast<int>(number), is_table, array.box};
      if (!is_table && array.first_loop == 0) dataset.box[0] = {array.written[0].end - 1, array.written[0].end};
      const bool drops_axis = !is_table && array.first_loop == 0 && dataset.box.size() > 1;
      run::ArraySpec spec;
      spec.name = array.name + (is_table || array.first_loop > 0 ? "" : "_last");
      spec.role = run::Role::result;
      spec.type = array.type;
      for (std::size_t axis = drops_axis ? 1 : 0; axis < dataset.box.size(); ++axis) {
        const std::size_t coordinate = array.first_loop + axis - definition_.spec.skew.first;
        const std::int64_t extent = dataset.box[axis].size();
        spec.shape.push_back(extent);
        const bool is_cut = count_along(coordinate) > 1;
        spec.tile.push_back(
            std::max<std::int64_t>(1, is_cut ? std::min<std::int64_t>(extent, sides_[coordinate]) : extent));
      }
      spec.kept = 1;
      arrays_.push_back(std::move(spec));
      datasets_.push_back(std::move(dataset));
    }
  }
}

void NestPlan::add_faces() {
  for (std::size_t n = 0; n < sweep_.rank(); ++n) {
    faces_.push_back(-1);
    if (count_along(n) <= 1) continue;
    Ranges largest;
    for (const std::int64_t side : sides_) largest.push_back({0, side});
    const std::int64_t words = sweep_.face_words(n, largest);
    if (words == 0) continue;  // nothing depends on what is before
    faces_.back() = static_cast<int>(arrays_.size());
    run::ArraySpec spec;
    spec.name = "border_" + std::to_string(n);
    spec.type = ElementType::i64;
    spec.shape = {blocks() / count_along(n), words};
    spec.tile = {1, words};
    spec.kept = 1;
    arrays_.push_back(std::move(spec));
  }
}

bool NestPlan::is_never_made(const Array& array) const {
  bool is_empty_loop = false;
  for (std::size_t loop = 0; loop < array.first_loop; ++loop) is_empty_loop |= nest().loops[loop].range.size() == 0;
  return is_empty_loop || nest::is_empty(array.written);
}

void NestPlan::find_rest() {
  rest_begin_ = {0};
  for (std::size_t number = 0; number < datasets_.size(); ++number) {
    const NestDataset& dataset = datasets_[number];
    const Array& array = nest().arrays[static_cast<std::size_t>(dataset.array)];
    const std::vector<Ranges> parts =
        is_never_made(array) ? std::vector<Ranges>{dataset.box} : nest::difference(dataset.box, array.written);
    for (const Ranges& box : parts) {
      if (nest::is_empty(box)) continue;
      const run::ArraySpec& spec = arrays_[definition_.inputs.size() + number];
      const Box at = box_of(dataset, box);
      std::int64_t tiles = 1;
      for (int axis = 0; axis < spec.tile.rank(); ++axis) {
        tiles *= (at.end[axis] - 1) / spec.tile[axis] - at.begin[axis] / spec.tile[axis] + 1;
      }
      rest_.push_back({static_cast<int>(number), box});
      rest_begin_.push_back(rest_begin_.back() + tiles);
    }
  }
}

std::int64_t NestPlan::count_along(std::size_t coordinate) const {
  const std::int64_t cells = sweep_.space()[coordinate].size();
  return std::max<std::int64_t>(1, (cells + sides_[coordinate] - 1) / sides_[coordinate]);
}

std::int64_t NestPlan::blocks() const {
  std::int64_t all = 1;
  for (std::size_t n = 0; n < sweep_.rank(); ++n) all *= count_along(n);
  return all;
}

Point NestPlan::number_of(std::int64_t index) const {
  Point number{};
  for (std::size_t n = sweep_.rank(); n-- > 0;) {
    number[n] = index % count_along(n);
    index /= count_along(n);
  }
  return number;
}

std::int64_t NestPlan::row_of(std::size_t coordinate, const Point& number) const {
  std::int64_t row = 0;
  for (std::size_t n = 0; n < sweep_.rank(); ++n) {
    if (n != coordinate) row = row * count_along(n) + number[n];
  }
  return row;
}

Ranges NestPlan::ranges_of(const Point& number) const {
  Ranges ranges;
  for (std::size_t n = 0; n < sweep_.rank(); ++n) {
    const nest::Range all = sweep_.space()[n];
    const nest::i64 begin = all.begin + number[n] * sides_[n];
    ranges.push_back({begin, std::min<nest::i64>(all.end, begin + sides_[n])});
  }
  return ranges;
}

Box NestPlan::box_of(const NestDataset& dataset, const Ranges& elements) const {
  const Array& array = nest().arrays[static_cast<std::size_t>(dataset.array)];
  const bool drops_axis = !dataset.is_table && array.first_loop == 0 && dataset.box.size() > 1;
  Box box;
  for (std::size_t axis = drops_axis ? 1 : 0; axis < elements.size(); ++axis) {
    box.begin.push_back(elements[axis].begin - dataset.box[axis].begin);
    box.end.push_back(elements[axis].end - dataset.box[axis].begin);
  }
  return box;
}

const NestDataset* NestPlan::dataset(int array) const {
  const int number = array - static_cast<int>(definition_.inputs.size());
  return number >= 0 && number < static_cast<int>(datasets_.size()) ? &datasets_[static_cast<std::size_t>(number)]
                                                                    : nullptr;
}

std::optional<run::Phase> NestPlan::phase(std::int64_t number, const run::Tally&) const {
  const bool has_rest = rest_begin_.back() > 0;
  if (number > (has_rest ? 1 : 0)) return std::nullopt;
  const bool makes_rest = has_rest && number == 0;
  return run::Phase{number, makes_rest ? rest_begin_.back() : blocks(), run::Order::in_turn,
                    PhaseWork{makes_rest ? 1 : 0}};
}

std::string NestPlan::part(const run::Phase& phase) const {
  if (rest_begin_.back() == 0) return "";
  return phase.value.as<PhaseWork>().makes_rest != 0 ? "what no statement writes" : "iterations";
}

BlockLevels NestPlan::levels() const {
  std::vector<std::int64_t> counts;
  for (std::size_t n = 0; n < sweep_.rank(); ++n) counts.push_back(count_along(n));
  return BlockLevels(std::move(counts));
}

int NestPlan::devices(int available) const {
  return static_cast<int>(std::min<std::int64_t>(available, dealing_.devices));
}

int NestPlan::device(const run::Phase& phase, std::int64_t index, int devices) const {
  if (!levels_) return 0;
  if (phase.value.as<PhaseWork>().makes_rest != 0) return static_cast<int>(index % devices);
  return levels_->device(index, devices);
}

std::string NestPlan::dealt() const {
  if (!levels_) return dealing_.why_not;
  return std::to_string(blocks()) + " blocks in " + std::to_string(levels_->count()) + " levels";
}

run::Block NestPlan::block(const run::Phase& phase, std::int64_t index) const {
  return phase.value.as<PhaseWork>().makes_rest != 0 ? block_of_rest(index) : block_of_iterations(index);
}

run::Block NestPlan::block_of_rest(std::int64_t index) const {
  const auto next = std::upper_bound(rest_begin_.begin(), rest_begin_.end(), index);
  const auto number = static_cast<std::size_t>(next - rest_begin_.begin()) - 1;
  const Rest& rest = rest_[number];
  const NestDataset& dataset = datasets_[static_cast<std::size_t>(rest.dataset)];
  const int array = static_cast<int>(definition_.inputs.size()) + rest.dataset;
  const Extents& tile = arrays_[static_cast<std::size_t>(array)].tile;
  Box box = box_of(dataset, rest.box);
  std::int64_t left = index - rest_begin_[number];
  for (int axis = tile.rank(); axis-- > 0;) {
    const std::int64_t first = box.begin[axis] / tile[axis], count = (box.end[axis] - 1) / tile[axis] - first + 1;
    const std::int64_t at = first + left % count;
    left /= count;
    box.begin[axis] = std::max(box.begin[axis], at * tile[axis]);
    box.end[axis] = std::min(box.end[axis], (at + 1) * tile[axis]);
  }
  run::Block block;
  block.accesses.push_back(
      {{Slot::part, part_index(static_cast<std::size_t>(rest.dataset), -1)}, array, 1, box, run::Mode::write});
  std::vector<Box> boxes = reads_.none();
  reads_.read_first(dataset.array, elements_in(dataset, box), boxes);
  add_inputs_read(boxes, block);
  return block;
}

run::Block NestPlan::block_of_iterations(std::int64_t index) const {
  const Point number = number_of(index);
  const Ranges ranges = ranges_of(number);
  run::Block block;
  add_parts(ranges, block);
  add_borders(number, block);
  std::vector<Box> boxes = reads_.by_iterations(ranges);
  for (std::size_t n = 0; index == 0 && n < nest().arrays.size(); ++n) {
    const Array& array = nest().arrays[n];
    if (!spec().kept[n].corner || !is_never_made(array)) continue;
    Ranges corner = array.written;
    for (nest::Range& range : corner) range.begin = range.end - 1;
    reads_.read_first(static_cast<int>(n), corner, boxes);
  }
  add_inputs_read(boxes, block);
  for (const Statement& statement : nest().statements) {
    const auto at = static_cast<int>(&statement - nest().statements.data());
    double cells = 1;
    for (const nest::Range& range : sweep_.iterations(at, ranges)) cells *= static_cast<double>(range.size());
    block.operations += cells;
  }
  return block;
}

void NestPlan::add_parts(const Ranges& ranges, run::Block& block) const {
  for (std::size_t number = 0; number < datasets_.size(); ++number) {
    const NestDataset& dataset = datasets_[number];
    for (std::size_t n = 0; n < nest().statements.size(); ++n) {
      const Statement& statement = nest().statements[n];
      if (statement.array != dataset.array) continue;
      const Ranges made = sweep_.kept_iterations(static_cast<int>(n), ranges, dataset.is_table);
      const std::size_t first = nest().arrays[static_cast<std::size_t>(dataset.array)].first_loop;
      Ranges elements;
      for (std::size_t axis = 0; axis < statement.offset.size(); ++axis) {
        elements.push_back(made[first + axis].shifted(statement.offset[axis]));
      }
      if (nest::is_empty(made)) continue;
      block.accesses.push_back({{Slot::part, part_index(number, static_cast<int>(n))},
                                static_cast<int>(definition_.inputs.size() + number),
                                1,
                                box_of(dataset, elements),
                                run::Mode::write});
    }
  }
}

void NestPlan::add_borders(const Point& number, run::Block& block) const {
  for (std::size_t n = 0; n < sweep_.rank(); ++n) {
    if (faces_[n] < 0) continue;
    const std::int64_t row = row_of(n, number), words = arrays_[static_cast<std::size_t>(faces_[n])].tile[1];
    const Box box{{row, 0}, {row + 1, words}};
    const bool is_last = number[n] + 1 == count_along(n);
    const run::Mode mode = is_last ? run::Mode::read : number[n] == 0 ? run::Mode::write : run::Mode::update;
    const std::int64_t generation = mode == run::Mode::write ? 1 : number[n];
    block.accesses.push_back({{Slot::border, n}, faces_[n], generation, box, mode});
    if (is_last) block.last_uses.push_back({faces_[n], generation, box});
  }
}

void NestPlan::add_inputs_read(const std::vector<Box>& boxes, run::Block& block) const {
  for (std::size_t n = 0; n < boxes.size(); ++n) {
    if (volume(boxes[n].shape()) == 0) continue;
    block.accesses.push_back(
        {{Slot::input, n}, static_cast<int>(n), 0, boxes[n], run::Mode::read, run::View::contiguous});
  }
}

NestTask NestPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  NestTask task{};
  const bool makes_rest = phase.value.as<PhaseWork>().makes_rest != 0;
  const Point number = makes_rest ? Point{} : number_of(view.index);
  if (!makes_rest) {
    const Ranges ranges = ranges_of(number);
    for (std::size_t n = 0; n < ranges.size(); ++n) task.begin[n] = ranges[n].begin, task.end[n] = ranges[n].end;
  }
  task.makes_corners = !makes_rest && view.index == 0 ? 1 : 0;
  Point last{};
  for (std::size_t n = 0; n < sweep_.rank(); ++n) last[n] = count_along(n) - 1;
  run::bind_slots(slots, view, task, BlockContext{datasets_, number, last});
  return task;
}

bool NestPlan::parts_fit() const {
  std::int64_t most = 0;
  for (std::size_t number = 0; number < datasets_.size(); ++number) {
    const run::ArraySpec& spec = arrays_[definition_.inputs.size() + number];
    std::int64_t tiles = 1;
    for (int axis = 0; axis < spec.tile.rank(); ++axis) tiles *= spec.tile[axis] < spec.shape[axis] ? 2 : 1;
    for (const Statement& statement : nest().statements)
      most += statement.array == datasets_[number].array ? tiles : 0;
  }
  return most <= nest::most_parts;
}

BlockMemory NestPlan::block_memory() const {
  // The first, a middle and the last block along each coordinate.
  BlockMemory most;
  Ranges tried;
  for (std::size_t n = 0; n < sweep_.rank(); ++n) tried.push_back({0, std::min<nest::i64>(3, count_along(n))});
  Point at = nest::first_point(tried);
  do {
    std::int64_t index = 0;
    for (std::size_t n = 0; n < tried.size(); ++n) {
      const std::int64_t count = count_along(n);
      index = index * count + (at[n] == 0 ? 0 : at[n] == 1 ? count / 2 : count - 1);
    }
    BlockMemory own;
    for (const run::Access& access : block_of_iterations(index).accesses) add_bytes(access, own);
    most.block = std::max(most.block, own.block);
    most.written = std::max(most.written, own.written);
    most.tile = std::max(most.tile, own.tile);
  } while (nest::step(tried, tried.size(), at));
  return most;
}

void NestPlan::add_bytes(const run::Access& access, BlockMemory& memory) const {
  const run::ArraySpec& spec = arrays_[static_cast<std::size_t>(access.array)];
  const auto element = static_cast<std::int64_t>(size_of(spec.type));
  const std::int64_t tile = whole_pages(volume(spec.tile) * element);
  std::int64_t bytes = whole_pages(volume(access.box.shape()) * element);
  if (access.view == run::View::tiles) {
    // Whole tiles, each in pages of its own; a part that is written may lie in two along each axis.
    bytes = tile;
    for (int axis = 0; axis < spec.tile.rank() && access.mode == run::Mode::write; ++axis) {
      bytes *= spec.tile[axis] < spec.shape[axis] ? 2 : 1;
    }
  }
  memory.block += bytes;
  if (access.mode != run::Mode::read) memory.written += bytes;
  memory.tile = std::max(memory.tile, tile);
}

std::unique_ptr<run::Worker> NestPlan::make_worker(device::Context& context) const {
  auto workspace = workspace_for(method(), spec(), context);
  auto kernel = method_.make(spec(), context, workspace.get());
  return std::make_unique<KernelWorker<NestPlan>>(*this, std::move(kernel), std::move(workspace));
}

}  // namespace terrace::stages
