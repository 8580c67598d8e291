#include "stages/wavefront/alignment/program.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "kernels/wavefront/window.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {

using run::Mode;
using wavefront::BlockTask;
using wavefront::PathPlace;
using wavefront::TraceResult;
using wavefront::TraceTask;

namespace {

nlohmann::json json_of(const KeptBox& box) {
  return {box.cells.begin[0], box.cells.end[0],   box.cells.begin[1],
          box.cells.end[1],   box.row_generation, box.column_generation};
}
KeptBox box_from(const nlohmann::json& json) {
  return {{{json.at(0), json.at(2)}, {json.at(1), json.at(3)}}, json.at(4), json.at(5)};
}

/// Whether the cell that the path is in lies in the box.
bool holds(const Box& box, const PathPlace& place) {
  return place.row > box.begin[0] && place.row <= box.end[0] && place.column > box.begin[1] &&
         place.column <= box.end[1];
}

std::vector<run::Access> present(const std::optional<run::Access>& a, const std::optional<run::Access>& b,
                                 const std::optional<run::Access>& c, const std::optional<run::Access>& d) {
  std::vector<run::Access> accesses;
  for (const auto* part : {&a, &b, &c, &d}) {
    if (*part) accesses.push_back(**part);
  }
  return accesses;
}

/// Hands out the tiles of a block's accesses, each of which lies in one tile.
class Tiles {
 public:
  explicit Tiles(const run::BlockView& view) : view_(view) {}
  void* next() { return view_.accesses[at_++].tiles[0].data; }
  void* next_if(const std::optional<run::Access>& part) { return part ? next() : nullptr; }

 private:
  const run::BlockView& view_;
  std::size_t at_ = 0;
};

/// The sweep over a box of a level, of so many cells. Of what the table holds behind the box nothing is known there,
/// so nothing is left out.
wavefront::SweepSpec box_sweep(wavefront::SweepSpec spec, const AlignmentLevel& level, std::int64_t rows,
                               std::int64_t columns) {
  spec.rows = rows;
  spec.columns = columns;
  spec.block_rows = level.block_rows;
  spec.block_columns = level.block_columns;
  spec.cell_rows = spec.cell_columns = 0;
  spec.schedule = wavefront::with_all_work(spec.schedule);
  return spec;
}

wavefront::TraceSpec trace_spec(const wavefront::SweepSpec& spec, const AlignmentPlan& plan) {
  const AlignmentLevel& last = plan.levels.back();
  return {spec.problem, spec.settings, spec.value, spec.border, last.cell_rows, last.cell_columns};
}

}  // namespace

wavefront::SweepSpec table_sweep(wavefront::SweepSpec spec, const AlignmentPlan& plan) {
  const AlignmentLevel& table = plan.levels.front();
  spec.block_rows = table.block_rows;
  spec.block_columns = table.block_columns;
  spec.cell_rows = table.block_rows > table.cell_rows ? table.cell_rows : 0;
  spec.cell_columns = table.block_columns > table.cell_columns ? table.cell_columns : 0;
  return spec;
}

AlignmentWorkspace alignment_workspace(const wavefront::SweepSpec& spec, const AlignmentPlan& plan,
                                       const device::Limits& limits) {
  AlignmentWorkspace workspace;
  workspace.sweep = wavefront::cuda_workspace_bytes(table_sweep(spec, plan), limits);
  for (std::size_t level = 1; level < plan.levels.size(); ++level) {
    if (plan.levels[level].kept_rows() + plan.levels[level].kept_columns() == 0) continue;
    const wavefront::SweepSpec box =
        box_sweep(spec, plan.levels[level], plan.levels[level].rows, plan.levels[level].columns);
    workspace.sweep = std::max(workspace.sweep, wavefront::cuda_workspace_bytes(box, limits));
  }
  workspace.walk = wavefront::cuda_trace_bytes(trace_spec(spec, plan));
  return workspace;
}

/// What a device computes with: a sweep of the table, one of the box that is swept now, and what walks.
struct AlignmentProgram::Opened {
  std::unique_ptr<DeviceMemory> sweep_workspace, walk_workspace;
  std::unique_ptr<wavefront::Sweep> table, box;
  std::unique_ptr<wavefront::Tracer> tracer;
};

std::int64_t AlignmentProgram::BoxGrid::across() const {
  return (box.end[1] - box.begin[1] + block_columns - 1) / block_columns;
}

std::int64_t AlignmentProgram::BoxGrid::count() const {
  return (box.end[0] - box.begin[0] + block_rows - 1) / block_rows * across();
}

Box AlignmentProgram::BoxGrid::block(std::int64_t index) const {
  const std::int64_t row = box.begin[0] + index / across() * block_rows;
  const std::int64_t column = box.begin[1] + index % across() * block_columns;
  return {{row, column}, {std::min(box.end[0], row + block_rows), std::min(box.end[1], column + block_columns)}};
}

AlignmentProgram::AlignmentProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem,
                                   const WavefrontInputs& inputs, AlignmentPlan plan)
    : WavefrontProgram(std::move(spec), problem, inputs),
      plan_(std::move(plan)),
      borders_(plan_, planes_, spec_.border, spec_.rows, spec_.columns),
      boxes_(plan_.levels.size(), KeptBox{{{0, 0}, {0, 0}}, 0, 0}) {
  path_.begin(table());
  for (run::ArraySpec& array : borders_.arrays(static_cast<int>(arrays_.size()))) add(std::move(array));
}

AlignmentProgram::~AlignmentProgram() = default;

// --- phases
// ---------------------------------------------------------------------------------------------------------

AlignmentProgram::Task AlignmentProgram::next_task() const {
  const PathPlace& place = path_.place();
  const std::size_t last = plan_.levels.size() - 1;
  std::size_t level = last;
  while (!holds(boxes_[level].cells, place)) {
    if (level-- > 0) continue;
    throw ComputeError("the path has left the table at row " + std::to_string(place.row) + " and column " +
                       std::to_string(place.column) +
                       ": an input, the disk or the memory has changed since it was swept; start over with --fresh=all");
  }
  if (level == last) return {true, last, boxes_[last], place};
  const AlignmentLevel& grid = plan_.levels[level];
  const Box& around = boxes_[level].cells;
  const std::int64_t row = around.begin[0] + (place.row - 1 - around.begin[0]) / grid.cell_rows * grid.cell_rows;
  const std::int64_t column =
      around.begin[1] + (place.column - 1 - around.begin[1]) / grid.cell_columns * grid.cell_columns;
  const Box cells{{row, column}, {place.row, place.column}};
  const bool keeps_rows = borders_.rows_kept(level + 1, cells) > 0;
  const bool keeps_columns = borders_.columns_kept(level + 1, cells) > 0;
  const KeptBox& before = boxes_[level + 1];
  const KeptBox box{cells, before.row_generation + keeps_rows, before.column_generation + keeps_columns};
  return {level + 1 == last && !keeps_rows && !keeps_columns, level + 1, box, place};
}

std::optional<run::Phase> AlignmentProgram::phase(std::int64_t number) {
  run::Phase phase;
  if (number == 0) {
    phase.count = blocks();
    phase.chain = true;
    return phase;
  }
  if (path_.finished()) {
    path_.check(table(), *arrays_[static_cast<std::size_t>(rows_)].source,
                *arrays_[static_cast<std::size_t>(columns_)].source);
    return std::nullopt;
  }
  const Task task = next_task();
  phase.after_results = true;
  phase.chain = !task.walk;
  phase.count = task.walk ? 1 : grid_of(task).count();
  phase.data = nlohmann::json{task.walk, task.level, json_of(task.box), json_of(task.place)}.dump();
  return phase;
}

std::string AlignmentProgram::part(const run::Phase& phase) const {
  const Task task = task_of(phase);
  if (task.walk) return "walks";
  return task.level == 0 ? "table" : "boxes of level " + std::to_string(task.level);
}

AlignmentProgram::Task AlignmentProgram::task_of(const run::Phase& phase) const {
  if (phase.data.empty()) return {false, 0, {{{0, 0}, {spec_.rows, spec_.columns}}, 1, 1}, {}};
  const auto json = nlohmann::json::parse(phase.data);
  return {json.at(0), json.at(1), box_from(json.at(2)), place_from(json.at(3))};
}

AlignmentProgram::BoxGrid AlignmentProgram::grid_of(const Task& task) const {
  const AlignmentLevel& grid = plan_.levels[task.level];
  return {task.box.cells, grid.block_rows, grid.block_columns};
}

// --- blocks
// ---------------------------------------------------------------------------------------------------------

/// The border above cells of a box of `level`, from the boxes around it; nothing at the table's first row.
std::optional<run::Access> AlignmentProgram::above(std::size_t level, const Box& cells) const {
  for (std::size_t i = level; i-- > 0;) {
    if (auto part = borders_.above(i, boxes_[i], cells)) return part;
  }
  return std::nullopt;
}

std::optional<run::Access> AlignmentProgram::before(std::size_t level, const Box& cells) const {
  for (std::size_t i = level; i-- > 0;) {
    if (auto part = borders_.before(i, boxes_[i], cells)) return part;
  }
  return std::nullopt;
}

AlignmentProgram::BlockBorders AlignmentProgram::borders_of(const Task& task, const Box& block) const {
  BlockBorders borders;
  borders.top = borders_.above(task.level, task.box, block);
  borders.left = borders_.before(task.level, task.box, block);
  if (!borders.top) borders.top = above(task.level, block);
  if (!borders.left) borders.left = before(task.level, block);
  if (takes_box(task)) return borders;
  borders.bottom = borders_.below(task.level, task.box, block);
  borders.right = borders_.right_of(task.level, task.box, block);
  return borders;
}

run::Block AlignmentProgram::block(const run::Phase& phase, std::int64_t, std::int64_t index) const {
  const Task task = task_of(phase);
  const bool whole = takes_box(task);
  const Mode mode = task.walk ? Mode::read : Mode::write;
  const Box cells = whole ? task.box.cells : grid_of(task).block(index);
  const BlockBorders borders = borders_of(task, cells);
  run::Block block;
  read_inputs(cells, block.accesses);
  const auto below = whole ? borders_.rows_inside(task.level, task.box, mode) : borders.bottom;
  const auto right = whole ? borders_.columns_inside(task.level, task.box, mode) : borders.right;
  const std::vector<run::Access> parts = present(borders.top, borders.left, below, right);
  block.accesses.insert(block.accesses.end(), parts.begin(), parts.end());
  if (!task.walk) {
    block.operations =
        wavefront::cells_in_window(window_, cells.begin[0], cells.end[0], cells.begin[1], cells.end[1]);
  }
  return block;
}

std::size_t AlignmentProgram::descriptor_bytes() const { return std::max(sizeof(BlockTask), sizeof(TraceTask)); }

void AlignmentProgram::describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  const Task task = task_of(phase);
  if (takes_box(task)) describe_box(task, view, descriptor);
  else describe_sweep(task, view, descriptor);
}

void AlignmentProgram::describe_sweep(const Task& task, const run::BlockView& view, void* descriptor) const {
  const Box cells = grid_of(task).block(view.index);
  const BlockBorders borders = borders_of(task, cells);
  Tiles tiles(view);
  BlockTask block{};
  block.row_begin = cells.begin[0];
  block.row_end = cells.end[0];
  block.column_begin = cells.begin[1];
  block.column_end = cells.end[1];
  block.rows = tiles.next();
  block.columns = tiles.next();
  block.top = tiles.next_if(borders.top);
  block.left = tiles.next_if(borders.left);
  block.bottom = tiles.next_if(borders.bottom);
  block.right = tiles.next_if(borders.right);
  block.row_border_stride = borders_.row_plane();
  block.column_border_stride = borders_.column_plane();
  std::memcpy(descriptor, &block, sizeof block);
}

void AlignmentProgram::describe_box(const Task& task, const run::BlockView& view, void* descriptor) const {
  const Box& cells = task.box.cells;
  const BlockBorders borders = borders_of(task, cells);
  const AlignmentLevel& grid = plan_.levels[task.level];
  Tiles tiles(view);
  TraceTask walk{};
  walk.row_begin = cells.begin[0];
  walk.row_end = cells.end[0];
  walk.column_begin = cells.begin[1];
  walk.column_end = cells.end[1];
  walk.cell_rows = grid.cell_rows;
  walk.cell_columns = grid.cell_columns;
  walk.block_rows = grid.cell_rows;
  walk.rows = tiles.next();
  walk.columns = tiles.next();
  walk.top = tiles.next_if(borders.top);
  walk.left = tiles.next_if(borders.left);
  walk.row_border_stride = borders_.row_plane();
  walk.column_border_stride = borders_.column_plane();
  walk.row_borders_stride = borders_.row_stride();
  walk.column_borders_stride = borders_.column_stride();
  walk.row_borders = tiles.next_if(borders_.rows_inside(task.level, task.box, Mode::read));
  walk.column_borders = tiles.next_if(borders_.columns_inside(task.level, task.box, Mode::read));
  walk.place = task.place;
  std::memcpy(descriptor, &walk, sizeof walk);
}

// --- computing
// ------------------------------------------------------------------------------------------------------

void AlignmentProgram::open(device::Context& context, int) {
  auto opened = std::make_unique<Opened>();
  const wavefront::TraceSpec walk = trace_spec(spec_, plan_);
  if (context.shares_host_memory()) {
    opened->table = wavefront::make_cpu_sweep(spec_, context);
    opened->tracer = wavefront::make_cpu_tracer(walk);
  } else {
    const AlignmentWorkspace bytes = alignment_workspace(spec_, plan_, context.limits());
    opened->sweep_workspace = std::make_unique<DeviceMemory>(context, bytes.sweep);
    opened->walk_workspace = std::make_unique<DeviceMemory>(context, bytes.walk);
    opened->table = wavefront::make_cuda_sweep(spec_, context, opened->sweep_workspace->data());
    opened->tracer = wavefront::make_cuda_tracer(walk, context, opened->walk_workspace->data());
  }
  opened_.push_back(std::move(opened));
}

void AlignmentProgram::run(const run::Phase& phase, std::int64_t, const device::Port& port, int,
                           device::Context& context, int device) {
  Opened& opened = *opened_[static_cast<std::size_t>(device)];
  const Task task = task_of(phase);
  if (task.walk) return opened.tracer->run(port);
  if (task.level == 0) return opened.table->run(port);
  const AlignmentLevel& level = plan_.levels[task.level];
  const Box& cells = task.box.cells;
  const std::int64_t rows = cells.end[0] - cells.begin[0], columns = cells.end[1] - cells.begin[1];
  if (context.shares_host_memory()) {
    opened.box = wavefront::make_cpu_box_sweep(box_sweep(spec_, level, rows, columns), context);
  } else {
    // Its blocks are no smaller than the level's, so that what they need is known. The workspace is the table's,
    // whose sweep has ended.
    const wavefront::SweepSpec box =
        box_sweep(spec_, level, std::max(rows, level.block_rows), std::max(columns, level.block_columns));
    opened.box = wavefront::make_cuda_sweep(box, context, opened.sweep_workspace->data());
  }
  opened.box->run(port);
}

// --- folding
// --------------------------------------------------------------------------------------------------------

void AlignmentProgram::fold(const run::Phase& phase, std::int64_t, std::int64_t index, const void* result) {
  const Task task = task_of(phase);
  if (task.level == 0) fold_score(index, result);
  if (index + 1 == phase.count) boxes_[task.level] = task.box;
  if (task.level == 0 && index + 1 == phase.count) path_.begin(table());
  if (!task.walk) return;
  TraceResult found;
  std::memcpy(&found, result, sizeof found);
  path_.add(found);
}

std::string AlignmentProgram::save() const {
  nlohmann::json boxes = nlohmann::json::array();
  for (const KeptBox& box : boxes_) boxes.push_back(json_of(box));
  return nlohmann::json{
      {"score", {score_.score, score_.row, score_.column}}, {"boxes", boxes}, {"path", path_.save()}}
      .dump();
}

void AlignmentProgram::load(const std::string& state) {
  const auto json = nlohmann::json::parse(state);
  const auto& score = json.at("score");
  score_ = {score.at(0), score.at(1), score.at(2)};
  for (std::size_t i = 0; i < boxes_.size(); ++i) boxes_[i] = box_from(json.at("boxes").at(i));
  path_.load(json.at("path"));
}

}  // namespace terrace::stages
