#include "kernels/wavefront/cpu/sweep.hpp"

#include <limits>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/for_instruction_set.hpp"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/problems.hpp"
#include "kernels/wavefront/tile_sizes.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront {
namespace {

class CpuSweep : public device::BlockKernel {
 public:
  CpuSweep(const BlockGrid& grid, device::ThreadPool& pool, CpuSweeper made)
      : grid_(grid),
        pool_(pool),
        sweeper_(std::move(made.sweeper)),
        slots_(made.slots, most_bands(grid, [this](std::int64_t rows) { return sweeper_->bands(rows); })) {}

  void run(const device::Port& port) override {
    BandLaunch launch(port, grid_, *sweeper_, slots_);
    pool_.run_on_all([&](int thread) { launch.work(thread); });
  }

 private:
  BlockGrid grid_;
  device::ThreadPool& pool_;
  std::unique_ptr<BandSweeper> sweeper_;
  BandSlots slots_;
};

class CpuWaveSweep : public device::BlockKernel {
 public:
  CpuWaveSweep(device::ThreadPool& pool, CpuTileSweep made) : pool_(pool), made_(std::move(made)) {}

  void run(const device::Port& port) override {
    WaveLaunch launch(port, made_.waves, *made_.in_waves);
    pool_.run_on_all([&](int) { launch.work(); });
  }

 private:
  device::ThreadPool& pool_;
  CpuTileSweep made_;
};

void check(const SweepSpec& spec) {
  if (spec.rows < 0 || spec.columns < 0 || spec.block_rows < 1 || spec.block_columns < 1) {
    throw DeviceError("make_cpu_sweep", "a table of " + std::to_string(spec.rows) + " x " +
                                            std::to_string(spec.columns) + " cells cannot be cut into blocks of " +
                                            std::to_string(spec.block_rows) + " x " +
                                            std::to_string(spec.block_columns));
  }
}

}  // namespace

BandKernels kernels_for(device::InstructionSet set, int problem) {
  return device::for_instruction_set(set, sse2::band_kernels, avx2::band_kernels, avx512::band_kernels)(problem);
}

LocalTypes local_types_for(device::InstructionSet set, int problem) {
  return device::for_instruction_set(set, sse2::local_types, avx2::local_types, avx512::local_types)(problem);
}

namespace {

std::unique_ptr<device::BlockKernel> make_whole_sweep(const SweepSpec& spec, device::Context& context,
                                                      device::InstructionSet set, CellForm form) {
  check(spec);
  if (spec.kept) return make_cpu_kept_sweep(spec, context, set);
  return make_cpu_sweep(spec, {spec.rows, spec.columns, spec.block_rows, spec.block_columns, spec.layers}, context,
                        set, form);
}

}  // namespace

std::unique_ptr<device::BlockKernel> make_cpu_sweep(const SweepSpec& spec, device::Context& context,
                                                    device::InstructionSet set) {
  return make_whole_sweep(spec, context, set, form_of(spec));
}

std::unique_ptr<device::BlockKernel> make_cpu_sweep(const SweepSpec& spec, device::Context& context, CellForm form) {
  return make_whole_sweep(spec, context, device::best_instruction_set(), form);
}

std::unique_ptr<device::BlockKernel> make_cpu_sweep(const SweepSpec& spec, const BlockGrid& blocks,
                                                    device::Context& context, device::InstructionSet set,
                                                    CellForm form) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_cpu_sweep", context.limits().name + " is not a CPU");
  BlockGrid grid = blocks;
  grid.block_rows = std::clamp<std::int64_t>(grid.rows, 1, grid.block_rows);
  grid.block_columns = std::clamp<std::int64_t>(grid.columns, 1, grid.block_columns);
  const CpuSweepPlan plan{spec, grid, cpu->pool().size(), set, form};
  const ProblemInfo* info = find_problem(spec.problem);
  if (info == nullptr) throw DeviceError("make_cpu_sweep", "there is no wavefront problem '" + spec.problem + "'");
  if (form == CellForm::tiles) {
    CpuTileSweep made = make_tile_sweep(plan);
    if (made.in_waves) return std::make_unique<CpuWaveSweep>(cpu->pool(), std::move(made));
    return std::make_unique<CpuSweep>(grid, cpu->pool(), std::move(made.in_bands));
  }
  const bool sums = info->items == Items::grid;
  return std::make_unique<CpuSweep>(grid, cpu->pool(), sums ? make_sums_sweeper(plan) : make_items_sweeper(plan));
}

std::int64_t most_blocks_of(const SweepSpec& spec) {
  if (spec.kept) return std::numeric_limits<std::int64_t>::max();
  return BlockGrid{spec.rows, spec.columns, spec.block_rows, spec.block_columns, spec.layers}.count();
}

std::size_t cpu_workspace_bytes(const SweepSpec& spec, int threads) {
  if (in_tiles(spec)) return tile_workspace_bytes(spec, threads);
  // Tall bands make few bands a block and so many blocks under way; low ones make many bands.
  constexpr std::int64_t tallest_band = measured::CpuLetters::most_lane_rows * 32, lowest_band = 4;
  constexpr std::size_t thread_bytes = 384 << 10, band_bytes = 128, slot_bytes = 4096;
  const std::int64_t rows = std::clamp<std::int64_t>(spec.rows, 1, spec.block_rows);
  const auto columns = static_cast<std::size_t>(std::clamp<std::int64_t>(spec.columns, 1, spec.block_columns));
  const auto bands = static_cast<std::size_t>(rows / lowest_band + 2);
  const auto slots = static_cast<std::size_t>(
      slots_for(threads, std::max<std::int64_t>(1, rows / tallest_band), most_blocks_of(spec)));
  const std::size_t value_bytes = std::max<std::size_t>(4, size_of(spec.value));
  return slots * (2 * columns * value_bytes + bands * band_bytes + slot_bytes) +
         static_cast<std::size_t>(threads) * thread_bytes;
}

std::unique_ptr<device::BlockKernel> make_cpu_sweep(const SweepSpec& spec, device::Context& context) {
  return make_cpu_sweep(spec, context, device::best_instruction_set());
}

}  // namespace terrace::wavefront
