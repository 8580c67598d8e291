#include "stages/wavefront/alignment/bit_program.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/wavefront/window.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {

using run::Access;
using run::Mode;
using wavefront::BitTraceTask;
using wavefront::KeptTask;
using wavefront::word_cells;

wavefront::SweepSpec bit_sweep(wavefront::SweepSpec spec, const BitAlignmentPlan& plan) {
  spec.block_rows = plan.block_rows;
  spec.block_columns = plan.block_columns;
  spec.bit_lines = wavefront::BitLines{plan.cell_rows, plan.cell_columns};
  return spec;
}

namespace {

wavefront::TraceSpec trace_spec(const wavefront::SweepSpec& spec) {
  return {spec.problem,
          spec.settings,
          spec.value,
          spec.border,
          spec.bit_lines->rows,
          spec.bit_lines->columns,
          cells_of_walk(spec.bit_lines->columns)};
}

int planes_of(const wavefront::SweepSpec& spec) {
  int planes = 0;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (requires { typename P::Bits; }) planes = P::Bits::planes;
  });
  return planes;
}

}  // namespace

std::size_t bit_walk_bytes(const wavefront::SweepSpec& spec, const BitAlignmentPlan& plan, bool cuda) {
  const wavefront::TraceSpec walk = trace_spec(bit_sweep(spec, plan));
  return cuda ? wavefront::cuda_trace_bytes(walk) : wavefront::cpu_bit_trace_bytes(walk);
}

/// The tracer of a device, with its workspace.
struct BitAlignmentProgram::Walker {
  std::unique_ptr<DeviceMemory> workspace;
  std::unique_ptr<wavefront::Tracer> tracer;
};

BitAlignmentProgram::~BitAlignmentProgram() = default;

BitAlignmentProgram::BitAlignmentProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem,
                                         const WavefrontInputs& inputs, std::optional<std::int64_t> least_margin)
    : SweepProgram(std::move(spec), problem, inputs, least_margin) {
  path_.begin(table());
  const auto add_lines = [&](const char* name, std::int64_t count, std::int64_t cells) {
    run::ArraySpec array;
    array.name = name;
    array.type = ElementType::u64;
    array.tile = {1, count, planes_of(spec_), cells / word_cells};
    array.shape = array.tile;
    array.shape[0] = std::max<std::int64_t>(1, blocks());
    array.kept = 1;
    return add(std::move(array));
  };
  row_lines_ = add_lines("row_lines", spec_.block_rows / spec_.bit_lines->rows, spec_.block_columns);
  column_lines_ = add_lines("column_lines", spec_.block_columns / spec_.bit_lines->columns, spec_.block_rows);
}

// --- phases
// ---------------------------------------------------------------------------------------------------------

std::optional<run::Phase> BitAlignmentProgram::phase(std::int64_t number) {
  if (auto sweep = SweepProgram::phase(number)) return sweep;
  if (path_.finished()) {
    path_.check(table(), *arrays_[static_cast<std::size_t>(rows_)].source,
                *arrays_[static_cast<std::size_t>(columns_)].source);
    return std::nullopt;
  }
  run::Phase walk;
  walk.count = 1;
  walk.after_results = true;
  walk.data = nlohmann::json{json_of(path_.place()), margin(), swept_}.dump();
  return walk;
}

std::optional<BitAlignmentProgram::Walk> BitAlignmentProgram::walk_of(const run::Phase& phase) const {
  if (!phase.data.starts_with('[')) return std::nullopt;
  const auto json = nlohmann::json::parse(phase.data);
  Walk walk{place_from(json.at(0)), json.at(1), json.at(2), 0};
  walk.index = (walk.place.row - 1) / spec_.block_rows * across_ + (walk.place.column - 1) / spec_.block_columns;
  return walk;
}

std::string BitAlignmentProgram::part(const run::Phase& phase) const {
  if (walk_of(phase)) return "walks";
  const std::string band = SweepProgram::part(phase);
  return band.empty() ? "table" : band;
}

// --- blocks
// ---------------------------------------------------------------------------------------------------------

/// Whether the block has cells in the band of that margin: others keep nothing.
bool BitAlignmentProgram::has_lines(std::int64_t margin, std::int64_t index) const {
  return cells_in_band(margin, index) > 0;
}

/// Lines from `first` on of a block.
Access BitAlignmentProgram::lines(int array, std::int64_t generation, std::int64_t index, std::int64_t first,
                                  Mode mode) const {
  const Extents& tile = arrays_[static_cast<std::size_t>(array)].tile;
  return {array, generation, {{index, first, 0, 0}, {index + 1, tile[1], tile[2], tile[3]}}, mode};
}

run::Block BitAlignmentProgram::block(const run::Phase& phase, std::int64_t number, std::int64_t index) const {
  if (const auto walk = walk_of(phase)) return walk_block(*walk);
  run::Block block = SweepProgram::block(phase, number, index);
  if (has_lines(margin_of(phase), index)) {
    for (const int array : {row_lines_, column_lines_}) {
      block.accesses.push_back(lines(array, number + 1, index, 0, Mode::write));
    }
  }
  return block;
}

/// The lines of the block, and the last ones of the blocks before it, so far as there are any: the path leads through
/// cells of the band.
run::Block BitAlignmentProgram::walk_block(const Walk& walk) const {
  const auto [i, layer, j] = place_of(walk.index);
  if (!has_lines(walk.margin, walk.index)) {
    throw ComputeError("the path has left the band that was swept at row " + std::to_string(walk.place.row) +
                       " and column " + std::to_string(walk.place.column) +
                       ": an input, the disk or the memory has changed since then; start over with --fresh=all");
  }
  run::Block block;
  read_inputs(part(walk.index), block.accesses);
  const auto read = [&](int array, std::int64_t index, std::int64_t first) {
    block.accesses.push_back(lines(array, walk.generation, index, first, Mode::read));
  };
  read(row_lines_, walk.index, 0);
  read(column_lines_, walk.index, 0);
  const auto last = [&](int array) { return arrays_[static_cast<std::size_t>(array)].tile[1] - 1; };
  if (i > 0 && has_lines(walk.margin, walk.index - across_)) read(row_lines_, walk.index - across_, last(row_lines_));
  if (j > 0 && has_lines(walk.margin, walk.index - 1)) read(column_lines_, walk.index - 1, last(column_lines_));
  return block;
}

std::size_t BitAlignmentProgram::descriptor_bytes() const { return std::max(sizeof(KeptTask), sizeof(BitTraceTask)); }

void BitAlignmentProgram::describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  if (const auto walk = walk_of(phase)) return describe_walk(*walk, view, descriptor);
  KeptTask task{};
  SweepProgram::describe(phase, view, &task.block);
  if (has_lines(margin_of(phase), view.index)) {
    const run::TileView& rows = view.accesses[view.accesses.size() - 2].tiles[0];
    const run::TileView& columns = view.accesses.back().tiles[0];
    task.rows = rows.data;
    task.columns = columns.data;
    task.row_stride = rows.strides[2];
    task.column_stride = columns.strides[2];
  }
  std::memcpy(descriptor, &task, sizeof task);
}

void BitAlignmentProgram::describe_walk(const Walk& walk, const run::BlockView& view, void* descriptor) const {
  const auto [i, layer, j] = place_of(walk.index);
  const Box cells = part(walk.index);
  auto next = [&, at = std::size_t{0}]() mutable -> const run::TileView& { return view.accesses[at++].tiles[0]; };
  const auto words = [](const run::TileView& tile) { return reinterpret_cast<const device::u64*>(tile.data); };
  BitTraceTask task{};
  task.row_begin = cells.begin[0];
  task.row_end = cells.end[0];
  task.column_begin = cells.begin[1];
  task.column_end = cells.end[1];
  task.cell_rows = spec_.bit_lines->rows;
  task.cell_columns = spec_.bit_lines->columns;
  task.rows = next().data;
  task.columns = next().data;
  const run::TileView& rows = next();
  const run::TileView& columns = next();
  task.row_lines = words(rows);
  task.column_lines = words(columns);
  task.row_plane = rows.strides[2];
  task.column_plane = columns.strides[2];
  if (i > 0 && has_lines(walk.margin, walk.index - across_)) task.above = words(next());
  if (j > 0 && has_lines(walk.margin, walk.index - 1)) task.before = words(next());
  task.band = band(walk.margin);
  task.place = walk.place;
  std::memcpy(descriptor, &task, sizeof task);
}

// --- computing
// ------------------------------------------------------------------------------------------------------

void BitAlignmentProgram::open(device::Context& context, int device) {
  SweepProgram::open(context, device);
  const wavefront::TraceSpec walk = trace_spec(spec_);
  auto walker = std::make_unique<Walker>();
  if (context.shares_host_memory()) {
    walker->tracer = wavefront::make_cpu_bit_tracer(walk);
  } else {
    walker->workspace = std::make_unique<DeviceMemory>(context, wavefront::cuda_trace_bytes(walk));
    walker->tracer = wavefront::make_cuda_bit_tracer(walk, context, walker->workspace->data());
  }
  walkers_.push_back(std::move(walker));
}

void BitAlignmentProgram::run(const run::Phase& phase, std::int64_t number, const device::Port& port, int attempt,
                              device::Context& context, int device) {
  if (walk_of(phase)) walkers_[static_cast<std::size_t>(device)]->tracer->run(port);
  else SweepProgram::run(phase, number, port, attempt, context, device);
}

// --- folding
// --------------------------------------------------------------------------------------------------------

void BitAlignmentProgram::fold(const run::Phase& phase, std::int64_t number, std::int64_t index, const void* result) {
  if (!walk_of(phase)) {
    SweepProgram::fold(phase, number, index, result);
    if (index + 1 < phase.count) return;
    ++swept_;
    return path_.begin(table());
  }
  wavefront::TraceResult found;
  std::memcpy(&found, result, sizeof found);
  path_.add(found);
}

std::string BitAlignmentProgram::save() const {
  return nlohmann::json{{"sweeps", SweepProgram::save()}, {"swept", swept_}, {"path", path_.save()}}.dump();
}

void BitAlignmentProgram::load(const std::string& state) {
  const auto json = nlohmann::json::parse(state);
  SweepProgram::load(json.at("sweeps"));
  swept_ = json.at("swept");
  path_.load(json.at("path"));
}

}  // namespace terrace::stages
