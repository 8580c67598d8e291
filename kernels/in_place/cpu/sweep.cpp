#include "kernels/in_place/cpu/strip.hpp"

#include <cstring>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/for_instruction_set.hpp"
#include "kernels/in_place/cpu/slab.hpp"
#include "kernels/in_place/cpu/sweep.hpp"
#include "kernels/in_place/problems.hpp"
#include "kernels/in_place/visit.hpp"
#include "kernels/launch/cpu_launch.hpp"
#include "kernels/values/vectors.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::in_place {
namespace {

using device::InstructionSet;

InPlaceKernels kernels_for_in_place(InstructionSet set, int problem) {
  return device::for_instruction_set(set, sse2::in_place_kernels, avx2::in_place_kernels,
                                     avx512::in_place_kernels)(problem);
}

template <class T>
InPlacePlan<T> plan_for(const InPlaceSpec& spec, InstructionSet set) {
  InPlacePlan<T> plan{};
  plan.rows = spec.rows;
  plan.columns = spec.columns;
  plan.lanes = vector_bytes(set) / static_cast<i64>(sizeof(T));
  visit_in_place(spec.problem, [&]<class P>(P) {
    plan.lag = lag_of(P::corners);
    const InPlaceKernels kernels = kernels_for_in_place(set, InPlaceProblems::index<P>());
    if constexpr (sizeof(T) == 4) plan.advance = kernels.advance_f32;
    else plan.advance = kernels.advance_f64;
    const auto constants = P::constants(spec.settings);
    plan.constants.resize(sizeof constants);
    std::memcpy(plan.constants.data(), &constants, sizeof constants);
  });
  return plan;
}

/// Takes slabs one after another, the bands of each on all threads.
template <class T>
class InPlaceCpuSweep : public device::BlockKernel {
 public:
  InPlaceCpuSweep(const InPlaceSpec& spec, device::ThreadPool& pool, InstructionSet set)
      : plan_(plan_for<T>(spec, set)), pool_(pool) {
    for (i64 i = 0; i < plan_.groups(spec.pass_sweeps); ++i) states_.emplace_back(plan_.state_size());
    for (int i = 0; i < pool.size(); ++i) scratch_.emplace_back(plan_.lanes);
  }

  void run(const device::Port& port) override {
    device::compute_in_order<InPlaceTask, InPlaceResult>(port, [&](const InPlaceTask& task, InPlaceResult& result) {
      result = {1};
      return sweep(task, port);
    });
  }

 private:
  bool sweep(const InPlaceTask& task, const device::Port& port) {
    std::atomic<bool> failed{false};
    InPlaceSlab<T> slab(plan_, task, states_, [&] { return failed.load() || device::is_set(*port.abort); });
    std::atomic<i64> next{0};
    pool_.run_on_all([&](int thread) {
      for (i64 band = next++; band < slab.bands() && !failed; band = next++) {
        if (!slab.sweep(band, scratch_[static_cast<std::size_t>(thread)])) failed = true;
      }
    });
    return !failed;
  }

  InPlacePlan<T> plan_;
  device::ThreadPool& pool_;
  std::vector<AlignedArray<T>> states_;  // of each group
  std::vector<InPlaceScratch<T>> scratch_;
};

}  // namespace

bool has_corners(const InPlaceSpec& spec) {
  return spec.written ? spec.written->corners : find_in_place(spec.problem)->corners;
}

void check_in_place(const InPlaceSpec& spec) {
  const bool one_slab = spec.slab_rows >= spec.rows;
  const bool sizes = spec.rows >= 0 && spec.columns >= 0 && spec.slab_rows >= 1 && spec.pass_sweeps >= 1;
  if (!sizes || (!one_slab && spec.slab_rows <= spec.pass_sweeps)) {
    throw DeviceError("in-place sweep", "a grid of " + std::to_string(spec.rows) + " x " +
                                            std::to_string(spec.columns) + " cells cannot be swept " +
                                            std::to_string(spec.pass_sweeps) + " times in slabs of " +
                                            std::to_string(spec.slab_rows) + " rows");
  }
  if (!is_floating(spec.value) && !(spec.written && spec.value == ElementType::i32)) {
    throw DeviceError("in-place sweep", "cells are f32 or f64, not " + std::string(name_of(spec.value)));
  }
}

std::size_t in_place_cpu_bytes(const InPlaceSpec& spec, int threads) {
  constexpr i64 most_lanes = 16, most_margin = 4 * (most_lanes + 2 * (band_passes + 1));
  const auto size = static_cast<i64>(size_of(spec.value));
  const i64 sweeps = (spec.pass_sweeps + most_lanes - 1) / most_lanes * most_lanes;
  const i64 states = (spec.columns + most_margin) * sweeps * size;
  const i64 bands = (sweeps / 2 + 1) * (std::min(spec.rows, spec.slab_rows) + spec.pass_sweeps) / band_passes;
  return static_cast<std::size_t>(states + 64 * bands) + static_cast<std::size_t>(threads) * (24 << 10);
}

std::unique_ptr<device::BlockKernel> make_in_place_cpu(const InPlaceSpec& spec, device::Context& context,
                                                       InstructionSet set) {
  check_in_place(spec);
  if (spec.written) throw DeviceError("in-place sweep", "written cells are compiled for CUDA alone");
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_in_place_cpu", context.limits().name + " is not a CPU");
  if (spec.value == ElementType::f32) return std::make_unique<InPlaceCpuSweep<float>>(spec, cpu->pool(), set);
  return std::make_unique<InPlaceCpuSweep<double>>(spec, cpu->pool(), set);
}

std::unique_ptr<device::BlockKernel> make_in_place_cpu(const InPlaceSpec& spec, device::Context& context) {
  return make_in_place_cpu(spec, context, device::best_instruction_set());
}

}  // namespace terrace::in_place
