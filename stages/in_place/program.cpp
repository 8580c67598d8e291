#include "stages/in_place/program.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/in_place/task.hpp"
#include "pipeline/base/error.hpp"
#include "stages/wavefront/blocks.hpp"

namespace terrace::stages {

using run::ArraySpec;
using run::Mode;
using run::Role;
using wavefront::InPlaceTask;

namespace {

constexpr int input_array = 0, grid_array = 1, border_array = 2;

}  // namespace

/// The sweep of one device with its workspace.
struct InPlaceProgram::Opened {
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

InPlaceProgram::InPlaceProgram(wavefront::InPlaceSpec spec, std::int64_t sweeps, std::shared_ptr<io::Source> grid)
    : spec_(std::move(spec)), sweeps_(sweeps) {
  passes_ = spec_.slabs() == 0 ? 1 : (sweeps_ + spec_.pass_sweeps - 1) / spec_.pass_sweeps;
  ArraySpec input;
  input.name = "input";
  input.role = Role::input;
  input.type = spec_.value;
  input.shape = {spec_.rows, spec_.columns};
  input.tile = {spec_.slab_rows, std::max<std::int64_t>(1, spec_.columns)};
  input.source = std::move(grid);
  ArraySpec result = input;
  result.name = "grid";
  result.role = Role::result;
  result.source = nullptr;
  result.generations = passes_;
  result.reads = 1;  // by the next pass
  ArraySpec border;
  border.name = "border";
  border.type = spec_.value;
  border.shape = {1, spec_.pass_sweeps + 1, spec_.columns};
  border.tile = border.shape;
  border.kept = blocks_in_flight + 2;
  border.reads = 1;
  arrays_ = {std::move(input), std::move(result)};
  if (spec_.slabs() > 1) arrays_.push_back(std::move(border));
}

InPlaceProgram::~InPlaceProgram() = default;

std::int64_t InPlaceProgram::sweeps_of(std::int64_t pass) const {
  return std::min(spec_.pass_sweeps, sweeps_ - pass * spec_.pass_sweeps);
}

InPlaceProgram::Rows InPlaceProgram::rows_of(std::int64_t slab, std::int64_t sweeps) const {
  Rows rows{};
  rows.begin = slab * spec_.slab_rows;
  rows.end = std::min(spec_.rows, rows.begin + spec_.slab_rows);
  rows.done_begin = slab == 0 ? 0 : rows.begin - sweeps;
  rows.done_end = rows.end == spec_.rows ? rows.end : rows.end - sweeps;
  return rows;
}

std::optional<run::Phase> InPlaceProgram::phase(std::int64_t number) {
  if (number >= passes_) return std::nullopt;
  run::Phase phase;
  phase.count = spec_.slabs();
  phase.chain = true;
  phase.data = std::to_string(sweeps_of(number)) + " sweeps of pass " + std::to_string(number + 1);
  return phase;
}

std::string InPlaceProgram::part(const run::Phase& phase) const {
  constexpr std::int64_t most_parts = 16;
  return passes_ == 1 || passes_ > most_parts ? "" : phase.data.substr(phase.data.find("pass"));
}

run::Block InPlaceProgram::block(const run::Phase&, std::int64_t number, std::int64_t index) const {
  const std::int64_t sweeps = sweeps_of(number), slabs = spec_.slabs();
  const Rows rows = rows_of(index, sweeps);
  const Box border = Box::whole({1, spec_.pass_sweeps + 1, spec_.columns});
  const std::int64_t generation = number * (slabs - 1) + index;
  run::Block block;
  block.operations =
      static_cast<double>(rows.end - rows.begin) * static_cast<double>(spec_.columns) * static_cast<double>(sweeps);
  block.accesses.push_back(
      {number == 0 ? input_array : grid_array, number, rows_box(rows.begin, rows.end), Mode::read});
  block.accesses.push_back({grid_array, number + 1, rows_box(rows.done_begin, rows.done_end), Mode::write});
  if (index > 0) block.accesses.push_back({border_array, generation, border, Mode::read});
  if (index + 1 < slabs) block.accesses.push_back({border_array, generation + 1, border, Mode::write});
  return block;
}

std::size_t InPlaceProgram::descriptor_bytes() const { return sizeof(InPlaceTask); }
std::size_t InPlaceProgram::result_bytes() const { return sizeof(wavefront::InPlaceResult); }

void InPlaceProgram::describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  InPlaceTask task{};
  task.sweeps = std::stoll(phase.data);
  const Rows rows = rows_of(view.index, task.sweeps);
  task.row_begin = rows.begin;
  task.row_end = rows.end;
  const run::TileView& grid = view.accesses[0].tiles[0];
  task.grid = grid.data;
  task.grid_stride = grid.strides[0];
  for (const run::TileView& part : view.accesses[1].tiles) {
    (part.box.begin[0] < rows.begin ? task.before : task.result) = part.data;
    task.result_stride = part.strides[0];
  }
  std::size_t next = 2;
  if (view.index > 0) task.above = view.accesses[next++].tiles[0].data;
  if (view.index + 1 < spec_.slabs()) task.below = view.accesses[next].tiles[0].data;
  task.carry_stride = spec_.columns;
  std::memcpy(descriptor, &task, sizeof task);
}

void InPlaceProgram::open(device::Context& context, int) {
  auto opened = std::make_unique<Opened>(context);
  if (context.shares_host_memory()) {
    opened->sweep = wavefront::make_in_place_cpu(spec_, context);
  } else {
    opened->bytes = wavefront::in_place_cuda_bytes(spec_, context.limits());
    opened->workspace = context.allocate(opened->bytes);
    opened->sweep = wavefront::make_in_place_cuda(spec_, context, opened->workspace);
  }
  opened_.push_back(std::move(opened));
}

void InPlaceProgram::run(const run::Phase&, std::int64_t, const device::Port& port, int, device::Context&,
                         int device) {
  opened_[static_cast<std::size_t>(device)]->sweep->run(port);
}

void InPlaceProgram::failed(const run::Phase&, std::int64_t, std::int64_t index, int) {
  throw ComputeError("slab " + std::to_string(index) + " of an in-place pass failed, which no slab does");
}

}  // namespace terrace::stages
