// The kernel of sweeps by bands in registers: every warp takes bands until there are none left.
// No host library header: also compiled at run time.
#pragma once

#include "kernels/wavefront/band_borders.cuh"

namespace terrace::wavefront {

/// @tparam Sweep  of one band (LetterSweep, PairSweep): Memory, of a warp; prepare(memory), before its first band;
///   run(found); threads, of a thread block; warps, of a multiprocessor; Problem, Value; cuts_to_window, whether
///   columns outside the problem's window are left out
/// @param constants  the problem's, in i64
template <class Sweep>
__global__ void __launch_bounds__(Sweep::threads, (Sweep::warps * 32 / Sweep::threads))
    sweep_bands_kernel(const __grid_constant__ SweepArguments arguments,
                       const __grid_constant__ typename Sweep::WideConstants constants) {
  using P = typename Sweep::Problem;
  auto& memory = reinterpret_cast<typename Sweep::Memory*>(device::launch_shared_memory())[threadIdx.x / 32];
  Sweep::prepare(memory);
  device::begin_in_turn(arguments.launch, arguments.tickets, arguments.processors);
  while (take_band(arguments, memory.band)) {
    Candidate found{0, 0, 0, false};
    bool any = true;
    if constexpr (Sweep::cuts_to_window) {
      any = cut_to_window<typename Sweep::Value>(arguments, memory.band, window_of<P, i64>(constants));
    }
    if (lane_index() == 0) place_borders<P>(arguments, memory.band);
    __syncwarp();
    if (any && !Sweep(arguments, constants, memory).run(found)) return;
    finish_band(arguments, memory.band, found, false);
  }
}

}  // namespace terrace::wavefront
