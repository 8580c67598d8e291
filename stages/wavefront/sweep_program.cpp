#include "stages/wavefront/sweep_program.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "kernels/wavefront/window.hpp"
#include "stages/wavefront/blocks.hpp"

namespace terrace::stages {

using run::ArraySpec;
using run::Mode;
using run::Role;
using wavefront::BlockTask;

namespace {

/// Whether bands of diagonals may take the place of the whole table.
bool may_widen(const wavefront::SweepSpec& spec) {
  return spec.schedule.work != wavefront::Schedule::Work::all && wavefront::has_bits(spec.problem, spec.settings);
}

}  // namespace

/// The sweep of one device with its workspace, for the phase with that margin.
struct SweepProgram::Opened {
  std::unique_ptr<DeviceMemory> workspace;
  std::unique_ptr<wavefront::Sweep> sweep;
  std::int64_t margin = Widening::whole;
};

SweepProgram::SweepProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem,
                           const WavefrontInputs& inputs, std::optional<std::int64_t> least_margin)
    : WavefrontProgram(std::move(spec), problem, inputs),
      widening_(spec_.rows, spec_.columns, least_margin.value_or(Widening::least_margin)) {
  if (least_margin && may_widen(spec_)) margin_ = first_margin_ = widening_.first();
  const auto border = [&](const char* name, Extents shape) {
    ArraySpec array;
    array.name = name;
    array.type = spec_.border;
    array.shape = shape;
    array.tile = {1, shape[1], shape[2]};
    array.kept = blocks_in_flight + 2;
    array.reads = 1;
    return add(std::move(array));
  };
  const std::int64_t layers = spec_.layers;
  if (problem.counts) edges_ = wavefront::bin_edges(spec_.settings, spec_.grid);
  if (down_ > 1) row_border_ = border("row_border", {layers * across_, planes_.row, spec_.block_columns});
  if (across_ > 1) column_border_ = border("column_border", {down_ * layers, planes_.column, spec_.block_rows + 1});
  if (spec_.kept) add_kept();
  if (spec_.table) {
    ArraySpec table;
    table.name = "table";
    table.role = Role::result;
    table.type = *spec_.table;
    table.shape = {spec_.rows, spec_.columns};
    table.tile = {spec_.block_rows, spec_.block_columns};
    if (problem.counts) {
      table.shape = {layers, spec_.rows, spec_.columns};
      table.tile = {1, spec_.block_rows, spec_.block_columns};
    }
    table_ = add(std::move(table));
  }
}

SweepProgram::~SweepProgram() = default;

/// Kept rows and columns, and where the border has a plane of gaps, that of each.
void SweepProgram::add_kept() {
  const auto lines = [&](const char* name, std::int64_t across, std::int64_t block, std::int64_t along,
                         std::int64_t along_block) {
    ArraySpec array;
    array.name = name;
    array.role = Role::result;
    array.type = spec_.kept->type;
    const std::int64_t count = spec_.kept->count(across, across);
    array.shape = {count, along};
    array.tile = {std::max<std::int64_t>(1, block < across ? block / spec_.kept->every : count), along_block};
    return add(std::move(array));
  };
  const auto rows = [&](const char* name) {
    return lines(name, spec_.rows, spec_.block_rows, spec_.columns, spec_.block_columns);
  };
  const auto columns = [&](const char* name) {
    return lines(name, spec_.columns, spec_.block_columns, spec_.rows, spec_.block_rows);
  };
  kept_rows_ = rows("border_rows");
  kept_columns_ = columns("border_columns");
  if (planes_.row > 1) kept_row_gaps_ = rows("border_row_gaps");
  if (planes_.column > 1) kept_column_gaps_ = columns("border_column_gaps");
}

std::optional<run::Phase> SweepProgram::phase(std::int64_t number) {
  run::Phase phase;
  phase.count = blocks();
  phase.chain = true;
  if (number > 0) {
    const auto next = margin_ == Widening::whole ? std::nullopt : widening_.next(margin_, to_prove());
    if (!next) return std::nullopt;
    phase.after_results = true;
    phase.data = std::to_string(*next);
  }
  return phase;
}

/// What a block writes of the kept rows that end in it, and of the columns.
std::vector<run::Access> SweepProgram::kept_parts(const Box& cells) const {
  std::vector<run::Access> parts;
  const auto add_part = [&](int array, int across, int along, std::int64_t extent) {
    const std::int64_t first = spec_.kept->count(cells.begin[across], extent);
    const std::int64_t last = spec_.kept->count(cells.end[across], extent);
    if (array < 0 || first == last) return;
    parts.push_back({array, 1, {{first, cells.begin[along]}, {last, cells.end[along]}}, Mode::write});
  };
  add_part(kept_rows_, 0, 1, spec_.rows);
  add_part(kept_row_gaps_, 0, 1, spec_.rows);
  add_part(kept_columns_, 1, 0, spec_.columns);
  add_part(kept_column_gaps_, 1, 0, spec_.columns);
  return parts;
}

std::int64_t SweepProgram::distance() const {
  std::int64_t distance = 0;
  wavefront::visit_problem(spec_.problem, spec_.settings, [&]<class P>(P) {
    if constexpr (requires { typename P::Bits; }) {
      distance = wavefront::distance_of<P>(score_.score, spec_.rows + spec_.columns);
    }
  });
  return distance;
}

std::int64_t SweepProgram::margin_of(const run::Phase& phase) const {
  return phase.data.empty() ? first_margin_ : std::stoll(phase.data);
}

/// Bands of diagonals, where there are any.
std::string SweepProgram::part(const run::Phase& phase) const {
  if (first_margin_ == Widening::whole) return "";
  const std::int64_t margin = margin_of(phase);
  return margin == Widening::whole ? "table" : "band of margin " + std::to_string(margin);
}

double SweepProgram::cells_in_band(std::int64_t margin, std::int64_t index) const {
  const Box cells = part(index);
  const wavefront::DiagonalBand diagonals = band(margin);
  return wavefront::cells_on_diagonals(std::max<std::int64_t>(-window_, diagonals.low),
                                       std::min<std::int64_t>(window_, diagonals.high), cells.begin[0], cells.end[0],
                                       cells.begin[1], cells.end[1]);
}

run::Block SweepProgram::block(const run::Phase& phase, std::int64_t number, std::int64_t index) const {
  const auto [i, layer, j] = place_of(index);
  const Box cells = part(index);
  run::Block block;
  block.operations = cells_in_band(margin_of(phase), index);
  auto& accesses = block.accesses;
  read_inputs(cells, accesses);
  const std::int64_t above = layer * across_ + j, before = i * spec_.layers + layer;
  const Box row_tile{{above, 0, 0}, {above + 1, planes_.row, spec_.block_columns}};
  const Box column_tile{{before, 0, 0}, {before + 1, planes_.column, spec_.block_rows + 1}};
  const std::int64_t row_generation = number * (down_ - 1) + i, column_generation = number * (across_ - 1) + j;
  if (i > 0) accesses.push_back({row_border_, row_generation, row_tile, Mode::read});
  if (i + 1 < down_) accesses.push_back({row_border_, row_generation + 1, row_tile, Mode::write});
  if (j > 0) accesses.push_back({column_border_, column_generation, column_tile, Mode::read});
  if (j + 1 < across_) accesses.push_back({column_border_, column_generation + 1, column_tile, Mode::write});
  if (spec_.kept) {
    const std::vector<run::Access> parts = kept_parts(cells);
    accesses.insert(accesses.end(), parts.begin(), parts.end());
  }
  if (table_ < 0) return block;
  Box written = cells;
  if (problem_.counts) {
    written = {{layer, cells.begin[0], cells.begin[1]}, {layer + 1, cells.end[0], cells.end[1]}};
  }
  accesses.push_back({table_, 1, written, Mode::write});
  return block;
}

void SweepProgram::describe(const run::Phase&, const run::BlockView& view, void* descriptor) const {
  const auto [i, layer, j] = place_of(view.index);
  const Box cells = part(view.index);
  auto next = [&, at = std::size_t{0}]() mutable -> const run::TileView& { return view.accesses[at++].tiles[0]; };
  BlockTask task{};
  task.row_begin = cells.begin[0];
  task.row_end = cells.end[0];
  task.column_begin = cells.begin[1];
  task.column_end = cells.end[1];
  if (grid_ >= 0) {
    const run::TileView& grid = next();
    task.grid = grid.data;
    task.grid_stride = grid.strides[0];
  } else {
    task.rows = next().data;
    task.columns = next().data;
  }
  if (i > 0) task.top = next().data;
  if (i + 1 < down_) task.bottom = next().data;
  if (j > 0) task.left = next().data;
  if (j + 1 < across_) task.right = next().data;
  task.row_border_stride = spec_.block_columns;
  task.column_border_stride = spec_.block_rows + 1;
  if (spec_.kept) {
    wavefront::KeptTask kept{task, nullptr, nullptr, nullptr, nullptr, 0, 0};
    for (const run::Access& part : kept_parts(cells)) {
      const run::TileView& tile = next();
      const bool rows = part.array == kept_rows_ || part.array == kept_row_gaps_;
      (rows ? kept.row_stride : kept.column_stride) = tile.strides[0];
      if (part.array == kept_rows_) kept.rows = tile.data;
      if (part.array == kept_row_gaps_) kept.row_gaps = tile.data;
      if (part.array == kept_columns_) kept.columns = tile.data;
      if (part.array == kept_column_gaps_) kept.column_gaps = tile.data;
    }
    std::memcpy(descriptor, &kept, sizeof kept);
    return;
  }
  if (table_ >= 0) {
    const run::TileView& table = next();
    task.table = table.data;
    task.table_stride = table.strides[table.strides.rank() - 2];
  }
  if (problem_.counts) task.keys = wavefront::bin_keys(edges_, layer, spec_.grid);
  std::memcpy(descriptor, &task, sizeof task);
}

void SweepProgram::open(device::Context& context, int) {
  auto opened = std::make_unique<Opened>();
  if (!context.shares_host_memory()) {
    const std::size_t bytes = wavefront::cuda_workspace_bytes(spec_, context.limits());
    opened->workspace = std::make_unique<DeviceMemory>(context, bytes);
    make_sweep(*opened, context, first_margin_);
  }
  opened_.push_back(std::move(opened));
}

void SweepProgram::make_sweep(Opened& opened, device::Context& context, std::int64_t margin) const {
  wavefront::SweepSpec spec = spec_;
  spec.band = band(margin);
  opened.sweep = opened.workspace ? wavefront::make_cuda_sweep(spec, context, opened.workspace->data())
                                  : wavefront::make_cpu_sweep(spec, context);
  opened.margin = margin;
}

void SweepProgram::run(const run::Phase& phase, std::int64_t, const device::Port& port, int, device::Context& context,
                       int device) {
  Opened& opened = *opened_[static_cast<std::size_t>(device)];
  const std::int64_t margin = margin_of(phase);
  if (!opened.sweep || opened.margin != margin) make_sweep(opened, context, margin);
  opened.sweep->run(port);
}

void SweepProgram::fold(const run::Phase& phase, std::int64_t, std::int64_t index, const void* result) {
  fold_score(index, result);
  if (index + 1 == blocks()) margin_ = margin_of(phase);
}

std::string SweepProgram::save() const {
  return nlohmann::json{score_.score, score_.row, score_.column, margin_}.dump();
}

void SweepProgram::load(const std::string& state) {
  const auto json = nlohmann::json::parse(state);
  score_ = {json.at(0), json.at(1), json.at(2)};
  margin_ = json.at(3);
}

}  // namespace terrace::stages
