// The kernel of sweeps by bands in registers: every warp takes bands until there are none left.
#pragma once

#include "kernels/wavefront/cuda/bands/borders.cuh"

namespace terrace::wavefront {

/// @tparam Sweep  of one band (LetterSweep, PairSweep): Memory, of a warp; begin() of it, before the first band;
///   run(found); sweepers and threads of a thread block, blocks of a multiprocessor; help(), the work of other
///   warps, if there are any; Problem, Value; cuts_to_window, whether columns outside the problem's window are left
///   out
/// @param constants  the problem's, in i64
template <class Sweep>
__global__ void __launch_bounds__(Sweep::threads, Sweep::blocks)
    sweep_bands_kernel(const __grid_constant__ SweepArguments arguments,
                       const __grid_constant__ typename Sweep::WideConstants constants) {
  using P = typename Sweep::Problem;
  auto* memories = reinterpret_cast<typename Sweep::Memory*>(device::launch_shared_memory());
  const int warp = static_cast<int>(threadIdx.x / 32);
  if (warp < Sweep::sweepers) memories[warp].begin();
  if constexpr (Sweep::threads > 32 * Sweep::sweepers) {
    __syncthreads();
    if (warp >= Sweep::sweepers) return Sweep::help(arguments, constants, memories, warp - Sweep::sweepers);
  }
  auto& memory = memories[warp];
  device::begin_in_turn(arguments.launch, arguments.tickets, arguments.processors, Sweep::sweepers);
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
  if constexpr (Sweep::threads > 32 * Sweep::sweepers) memory.end();
}

}  // namespace terrace::wavefront
