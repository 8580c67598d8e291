#include "stages/wavefront/program.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "pipeline/base/error.hpp"
#include "stages/wavefront/blocks.hpp"

namespace terrace::stages {

using run::Access;
using run::ArraySpec;
using run::Mode;
using run::Role;
using wavefront::BlockResult;
using wavefront::BlockTask;

/// The sweep of one device with its workspace.
struct WavefrontProgram::Opened {
  device::Context& context;
  std::size_t bytes = 0;
  void* workspace = nullptr;
  std::unique_ptr<wavefront::Sweep> sweep;

  explicit Opened(device::Context& of) : context(of) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    sweep.reset();
    if (workspace != nullptr) context.release(workspace, bytes);
  }
};

BorderPlanes border_planes(const wavefront::SweepSpec& spec) {
  BorderPlanes planes;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    planes = {P::row_planes, P::column_planes};
  });
  return planes;
}

WavefrontProgram::WavefrontProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem,
                                   const WavefrontInputs& inputs)
    : spec_(std::move(spec)), problem_(problem) {
  const BorderPlanes planes = border_planes(spec_);
  row_planes_ = planes.row;
  column_planes_ = planes.column;
  down_ = (spec_.rows + spec_.block_rows - 1) / spec_.block_rows;
  across_ = (spec_.columns + spec_.block_columns - 1) / spec_.block_columns;
  const auto input = [&](const char* name, const std::shared_ptr<io::Source>& source, Extents tile) {
    ArraySpec array;
    array.name = name;
    array.role = Role::input;
    array.type = source->type();
    array.shape = source->shape();
    array.tile = tile;
    array.source = source;
    return add(std::move(array));
  };
  if (inputs.grid) {
    grid_ = input("grid", inputs.grid, {spec_.block_rows, spec_.block_columns});
  } else {
    rows_ = input("rows", inputs.rows, {spec_.block_rows});
    columns_ = input("columns", inputs.columns, {spec_.block_columns});
  }
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
  if (down_ > 1) row_border_ = border("row_border", {across_, row_planes_, spec_.block_columns});
  if (across_ > 1) column_border_ = border("column_border", {down_, column_planes_, spec_.block_rows + 1});
  if (spec_.table) {
    ArraySpec table;
    table.name = "table";
    table.role = Role::result;
    table.type = *spec_.table;
    table.shape = {spec_.rows, spec_.columns};
    table.tile = {spec_.block_rows, spec_.block_columns};
    table_ = add(std::move(table));
  }
}

WavefrontProgram::~WavefrontProgram() = default;

int WavefrontProgram::add(ArraySpec spec) {
  arrays_.push_back(std::move(spec));
  return static_cast<int>(arrays_.size()) - 1;
}

std::optional<run::Phase> WavefrontProgram::phase(std::int64_t number) {
  if (number > 0) return std::nullopt;
  run::Phase phase;
  phase.count = blocks();
  phase.chain = true;
  return phase;
}

Box WavefrontProgram::part(std::int64_t index) const {
  const std::int64_t i = index / across_, j = index % across_;
  return {{i * spec_.block_rows, j * spec_.block_columns},
          {std::min(spec_.rows, (i + 1) * spec_.block_rows), std::min(spec_.columns, (j + 1) * spec_.block_columns)}};
}

run::Block WavefrontProgram::block(const run::Phase&, std::int64_t, std::int64_t index) const {
  const std::int64_t i = index / across_, j = index % across_;
  const Box cells = part(index);
  run::Block block;
  block.operations = static_cast<double>(cells.volume());
  auto& accesses = block.accesses;
  if (grid_ >= 0) {
    accesses.push_back({grid_, 0, cells, Mode::read});
  } else {
    accesses.push_back({rows_, 0, {{cells.begin[0]}, {cells.end[0]}}, Mode::read});
    accesses.push_back({columns_, 0, {{cells.begin[1]}, {cells.end[1]}}, Mode::read});
  }
  const Box row_tile{{j, 0, 0}, {j + 1, row_planes_, spec_.block_columns}};
  const Box column_tile{{i, 0, 0}, {i + 1, column_planes_, spec_.block_rows + 1}};
  if (i > 0) accesses.push_back({row_border_, i, row_tile, Mode::read});
  if (i + 1 < down_) accesses.push_back({row_border_, i + 1, row_tile, Mode::write});
  if (j > 0) accesses.push_back({column_border_, j, column_tile, Mode::read});
  if (j + 1 < across_) accesses.push_back({column_border_, j + 1, column_tile, Mode::write});
  if (table_ >= 0) accesses.push_back({table_, 1, cells, Mode::write});
  return block;
}

void WavefrontProgram::describe(const run::Phase&, const run::BlockView& view, void* descriptor) const {
  const std::int64_t i = view.index / across_, j = view.index % across_;
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
  if (table_ >= 0) {
    const run::TileView& table = next();
    task.table = table.data;
    task.table_stride = table.strides[0];
  }
  std::memcpy(descriptor, &task, sizeof task);
}

void WavefrontProgram::open(device::Context& context, int) {
  auto opened = std::make_unique<Opened>(context);
  if (context.shares_host_memory()) {
    opened->sweep = wavefront::make_cpu_sweep(spec_, context);
  } else {
    opened->bytes = wavefront::cuda_workspace_bytes(spec_, context.limits());
    opened->workspace = context.allocate(opened->bytes);
    opened->sweep = wavefront::make_cuda_sweep(spec_, context, opened->workspace);
  }
  opened_.push_back(std::move(opened));
}

void WavefrontProgram::run(const run::Phase&, std::int64_t, const device::Port& port, int, device::Context&,
                           int device) {
  opened_[static_cast<std::size_t>(device)]->sweep->run(port);
}

void WavefrontProgram::failed(const run::Phase&, std::int64_t, std::int64_t index, int) {
  const bool widest = spec_.value == ElementType::i64;
  throw ComputeError("a sum in " + to_string(part(index)) + " (rows x columns) of " + problem_.name +
                     " does not fit type " + std::string(name_of(spec_.value)) + ": say " +
                     (widest ? "`type: f64`, which rounds" : "`type: i64`") +
                     ", or `overflow: wrap` to count modulo 2^" + std::to_string(8 * size_of(spec_.value)));
}

void WavefrontProgram::fold(const run::Phase& phase, std::int64_t, std::int64_t index, const void* result) {
  BlockResult found;
  std::memcpy(&found, result, sizeof found);
  if (problem_.report == wavefront::Report::last) {
    if (index + 1 == phase.count) score_ = {found.score, found.row, found.column};
    return;
  }
  const bool better = found.score > score_.score;
  const bool earlier = found.score == score_.score && found.score > 0 &&
                       (found.row < score_.row || (found.row == score_.row && found.column < score_.column));
  if (better || earlier) score_ = {found.score, found.row, found.column};
}

std::string WavefrontProgram::save() const { return nlohmann::json{score_.score, score_.row, score_.column}.dump(); }

void WavefrontProgram::load(const std::string& state) {
  const auto json = nlohmann::json::parse(state);
  score_ = {json[0], json[1], json[2]};
}

}  // namespace terrace::stages
