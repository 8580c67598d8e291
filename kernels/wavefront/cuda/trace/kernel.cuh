// The kernel that walks back through pieces of a table between kept borders: their cells are computed again, band by
// band on all multiprocessors, and their codes kept, four bits a cell, in device memory; then one warp walks.
//
// One piece alone would keep few multiprocessors busy for the length of its chain of bands and columns. So the pieces
// that the path reaches next if it stays on its diagonal are computed in parallel, and the walk continues through all
// pieces that have codes.
#pragma once

#include "kernels/wavefront/cuda/trace/band.cuh"
#include "kernels/wavefront/cuda/trace/codes.cuh"
#include "kernels/wavefront/cuda/trace/walk.cuh"

namespace terrace::wavefront {

/// Data of a warp in shared memory.
template <class P, class V, class Task>
struct TraceMemory {
  Task task;
  union {
    typename TraceBand<P, V, Task>::Memory band;
    TraceWalkMemory walk;
  };
};

/// Waits until all bands are finished (one thread); false when the launch is over.
template <class Task>
__device__ bool wait_for_bands(const TraceArguments<Task>& a) {
  u32 looks = 0;
  const auto leave = [&] {
    if (++looks % 64 == 0) device::look_for_abort(a.launch);
    return device::aborted(a.launch);
  };
  return device::wait_until<device::backoffs::codes>(
      [&] { return device::load_acquire(&a.slot->finished) == a.buffers * a.bands; }, leave);
}

/// Hands the result to the host, then lets the next block begin. All lanes call it.
template <class P, class Task>
__device__ void report_walk(const TraceArguments<Task>& a, u64 block, const TraceWalk<P, Task>& walk,
                            const TraceWalkMemory& memory) {
  const device::Port& port = a.launch.port;
  auto* result = device::result_of<TraceResult>(port, port.first + block);
  for (i32 at = lane_index(); at < (walk.count() + 15) / 16; at += 32) result->steps[at] = memory.path[at];
  __threadfence_system();
  __syncwarp();
  if (lane_index() == 0) {
    result->place = walk.place();
    result->count = walk.count();
    device::report_next(port, port.first + block);
    device::store_release(&a.launch.words->done.word, block + 1);
  }
}

/// Walks once all bands are finished, and reports; false when the launch is over. All lanes call it.
template <class P, class Task>
__device__ bool walk_pieces(const TraceArguments<Task>& a, u64 block, const Task& task, TraceWalkMemory& memory) {
  if (!device::wait_by_first_lane([&] { return wait_for_bands(a); })) return false;
  if (lane_index() == 0) {
    for (u32 ahead = 0; ahead < a.buffers; ++ahead) {
      const TraceExtent extent = extent_ahead(task, ahead);
      if (extent.rows == 0 || is_known(a, task, extent)) continue;
      a.known[buffer_of(a, task, extent.piece)] = {extent.piece.row, extent.piece.column, extent.rows,
                                                   extent.columns};
    }
    a.slot->finished = 0;
    __threadfence();
  }
  __syncwarp();
  TraceWalk<P, Task> walk(a, task, memory);
  while (walk.room() > 0) {
    const TraceExtent extent = extent_at(task, walk.place());
    if (extent.rows == 0 || !is_known(a, task, extent)) break;
    walk.run(extent);
  }
  __syncwarp();
  report_walk(a, block, walk, memory);
  return true;
}

/// Computes a band's codes, if the piece has that band and has no codes yet; false when the launch is over.
/// All lanes call it.
template <class P, class V, class Task>
__device__ bool compute_band(const TraceArguments<Task>& a, const typename P::template Constants<V>& k, u64 ticket,
                             u32 ahead, u32 band, TraceMemory<P, V, Task>& memory) {
  const TraceExtent extent = extent_ahead(memory.task, ahead);
  if (band < extent.bands() && !is_known(a, memory.task, extent)) {
    const u32 buffer = buffer_of(a, memory.task, extent.piece);
    // Codes of another piece are about to be written over.
    if (band == 0 && lane_index() == 0) a.known[buffer].rows = 0;
    if (!TraceBand<P, V, Task>(a, k, memory.task, extent, buffer, band, ticket, memory.band).run()) return false;
    __threadfence();
  }
  __syncwarp();
  if (lane_index() == 0) atomicAdd(&a.slot->finished, 1u);
  return true;
}

/// Computes codes and walks. A block of the launch has a ticket for every band of as many pieces as there are
/// buffers, and one for the walk; so a waiting warp waits for a running warp, however few are resident. The walk
/// waits for all of them: nobody reads a block's task once its result is reported.
template <class P, class V, class Task>
__global__ void __launch_bounds__(32)
    trace_kernel(const __grid_constant__ TraceArguments<Task> arguments,
                 const __grid_constant__ typename P::template Constants<i64> constants) {
  auto& memory = *reinterpret_cast<TraceMemory<P, V, Task>*>(device::launch_shared_memory());
  const auto k = P::template constants_as<V>(constants);
  const u64 tickets = u64{arguments.buffers} * arguments.bands + 1;
  for (;;) {
    const u64 ticket = device::take_ticket_by_warp(arguments.launch);
    const u64 block = ticket / tickets, part = ticket % tickets;
    if (block >= arguments.launch.port.count) return;
    const auto begin = [&] { return device::begin_block(arguments.launch, block, part == 0, &arguments.slot->task); };
    if (!device::wait_by_first_lane(begin)) return;
    device::copy_descriptor<32>(arguments.slot->task, memory.task, static_cast<u32>(lane_index()));
    __syncwarp();
    const u32 ahead = static_cast<u32>(part / arguments.bands);
    const u32 band = static_cast<u32>(part % arguments.bands);
    if (ahead == arguments.buffers ? !walk_pieces<P>(arguments, block, memory.task, memory.walk)
                                   : !compute_band<P, V>(arguments, k, ticket, ahead, band, memory)) {
      return;
    }
    __syncwarp();
  }
}

}  // namespace terrace::wavefront
