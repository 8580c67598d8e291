#include "stages/wavefront/sweep_program.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/window.hpp"
#include "stages/wavefront/blocks.hpp"

namespace terrace::stages {

using run::ArraySpec;
using run::Mode;
using run::Role;
using wavefront::BlockTask;

/// The sweep of one device with its workspace.
struct SweepProgram::Opened {
  std::unique_ptr<DeviceMemory> workspace;
  std::unique_ptr<wavefront::Sweep> sweep;
};

SweepProgram::SweepProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem,
                           const WavefrontInputs& inputs)
    : WavefrontProgram(std::move(spec), problem, inputs) {
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
  if (spec_.kept) every_ = spec_.settings.get<std::int64_t>("every");
  const bool keeps = every_ > 0 && blocks() > 0;
  if (down_ > 1 || keeps) row_border_ = border("row_border", {layers * across_, planes_.row, spec_.block_columns});
  if (across_ > 1 || keeps) {
    column_border_ = border("column_border", {down_ * layers, planes_.column, spec_.block_rows + 1});
  }
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
  const auto lines = [&](const char* name, std::int64_t along, std::int64_t across, std::int64_t tile) {
    ArraySpec array;
    array.name = name;
    array.role = Role::result;
    array.type = *spec_.kept;
    array.shape = {kept_lines(across, every_), along};
    array.tile = {1, tile};
    return add(std::move(array));
  };
  kept_rows_ = lines("border_rows", spec_.columns, spec_.rows, spec_.block_columns);
  kept_columns_ = lines("border_columns", spec_.rows, spec_.columns, spec_.block_rows);
  if (planes_.row > 1) kept_row_gaps_ = lines("border_row_gaps", spec_.columns, spec_.rows, spec_.block_columns);
  if (planes_.column > 1)
    kept_column_gaps_ = lines("border_column_gaps", spec_.rows, spec_.columns, spec_.block_rows);
}

std::optional<run::Phase> SweepProgram::phase(std::int64_t number) {
  if (number > 0) return std::nullopt;
  run::Phase phase;
  phase.count = blocks();
  phase.chain = true;
  return phase;
}

/// Where rows and columns are kept, the last blocks hand on what is kept of them, too.
SweepProgram::Handing SweepProgram::handing(std::int64_t i, std::int64_t j) const {
  return {i > 0, i + 1 < down_ || every_ > 0, j > 0, j + 1 < across_ || every_ > 0};
}

/// What a block writes of the kept row that is its last, and of the kept column that is its last.
std::vector<run::Access> SweepProgram::kept_parts(const Box& cells) const {
  std::vector<run::Access> parts;
  const auto add_part = [&](int array, int across, int along, std::int64_t extent) {
    const std::int64_t last = cells.end[across];
    if (array < 0 || (last % every_ != 0 && last != extent)) return;
    const std::int64_t line = (last - 1) / every_;
    parts.push_back({array, 1, {{line, cells.begin[along]}, {line + 1, cells.end[along]}}, Mode::write});
  };
  add_part(kept_rows_, 0, 1, spec_.rows);
  add_part(kept_row_gaps_, 0, 1, spec_.rows);
  add_part(kept_columns_, 1, 0, spec_.columns);
  add_part(kept_column_gaps_, 1, 0, spec_.columns);
  return parts;
}

run::Block SweepProgram::block(const run::Phase&, std::int64_t, std::int64_t index) const {
  const auto [i, layer, j] = place_of(index);
  const Box cells = part(index);
  run::Block block;
  block.operations = wavefront::cells_in_window(window_, cells.begin[0], cells.end[0], cells.begin[1], cells.end[1]);
  auto& accesses = block.accesses;
  read_inputs(cells, accesses);
  const std::int64_t above = layer * across_ + j, before = i * spec_.layers + layer;
  const Box row_tile{{above, 0, 0}, {above + 1, planes_.row, spec_.block_columns}};
  const Box column_tile{{before, 0, 0}, {before + 1, planes_.column, spec_.block_rows + 1}};
  const Handing hands = handing(i, j);
  if (hands.top) accesses.push_back({row_border_, i, row_tile, Mode::read});
  if (hands.bottom) accesses.push_back({row_border_, i + 1, row_tile, Mode::write});
  if (hands.left) accesses.push_back({column_border_, j, column_tile, Mode::read});
  if (hands.right) accesses.push_back({column_border_, j + 1, column_tile, Mode::write});
  if (every_ > 0) {
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
  const Handing hands = handing(i, j);
  if (hands.top) task.top = next().data;
  if (hands.bottom) task.bottom = next().data;
  if (hands.left) task.left = next().data;
  if (hands.right) task.right = next().data;
  task.row_border_stride = spec_.block_columns;
  task.column_border_stride = spec_.block_rows + 1;
  if (every_ > 0) {
    for (const run::Access& part : kept_parts(cells)) {
      void* data = next().data;
      if (part.array == kept_rows_) task.kept.row = data;
      if (part.array == kept_row_gaps_) task.kept.row_gaps = data;
      if (part.array == kept_columns_) task.kept.column = data;
      if (part.array == kept_column_gaps_) task.kept.column_gaps = data;
    }
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
  if (context.shares_host_memory()) {
    opened->sweep = wavefront::make_cpu_sweep(spec_, context);
  } else {
    const std::size_t bytes = wavefront::cuda_workspace_bytes(spec_, context.limits());
    opened->workspace = std::make_unique<DeviceMemory>(context, bytes);
    opened->sweep = wavefront::make_cuda_sweep(spec_, context, opened->workspace->data());
  }
  opened_.push_back(std::move(opened));
}

void SweepProgram::run(const run::Phase&, std::int64_t, const device::Port& port, int, device::Context&, int device) {
  opened_[static_cast<std::size_t>(device)]->sweep->run(port);
}

void SweepProgram::fold(const run::Phase&, std::int64_t, std::int64_t index, const void* result) {
  fold_score(index, result);
}

std::string SweepProgram::save() const { return nlohmann::json{score_.score, score_.row, score_.column}.dump(); }

void SweepProgram::load(const std::string& state) {
  const auto json = nlohmann::json::parse(state);
  score_ = {json[0], json[1], json[2]};
}

}  // namespace terrace::stages
