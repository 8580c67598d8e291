// The CUDA side of sweeps: where things lie in the workspace, and how one is made for a problem of the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/sweep.hpp"

namespace terrace::wavefront {

/// Conditions of a launch that tests change; results never depend on them.
struct CudaTrial {
  unsigned thread_blocks = 0;    // at most so many are launched; 0: as many as are resident
  std::uint32_t delay_seed = 0;  // not 0: warps sleep at random at places where they meet
  int lane_rows = 0;             // rows of a lane (4, 8 or 32 cells of 32 bits; 32 or 64 bits); 0: as the model says
  bool cells = false;            // cell by cell, even if there is a bit-parallel form
  int tile_height = 0;           // of kernel tiles in memory, a multiple of 32 up to 1024; 0: as the schedule says
  int tile_width = 0;            // of kernel tiles in memory, at least 1; 0: as the schedule says
  bool pairs = false;            // cells of 16 bits if they fit; else as the model says, which takes cells of 32
                                 // bits if lane_rows is not 0
};

/// The kernels of sweeps.
enum class SweepWay {
  bits,    // differences, a bit a row: scores of problems with such a form, and lines kept in differences
  pairs,   // cells of 16 bits, two to a word: scores of local alignments
  cells,   // letters and values, cell by cell
  strips,  // integer sums, strips of columns
  sums,    // sums that keep an order, or are checked in 64 bits
  tiles    // kernel tiles in memory: the papers' schedules
};

/// The method of a sweep (methods.hpp), and its workspace, under the conditions of a test.
SweepWay way_of(const SweepSpec& spec, const device::Limits& limits, const CudaTrial& trial);
std::size_t cuda_workspace_bytes(const SweepSpec& spec, const device::Limits& limits, const CudaTrial& trial);
std::size_t cuda_workspace_bytes(SweepWay way, const SweepSpec& spec, const device::Limits& limits,
                                 const CudaTrial& trial);
std::unique_ptr<device::BlockKernel> make_cuda_sweep(const SweepSpec& spec, device::Context& context, void* workspace,
                                                     const CudaTrial& trial);
std::unique_ptr<device::BlockKernel> make_cuda_sweep(SweepWay way, const SweepSpec& spec, device::Context& context,
                                                     void* workspace, const CudaTrial& trial);

/// The table cut into blocks, none larger than the table. @throws DeviceError if it cannot be cut so
BlockGrid grid_of(const SweepSpec& spec);

/// Layout of a sweep's workspace, in bytes from its start.
struct CudaWorkspace {
  std::int64_t band_rows = 0;
  std::int64_t bands = 0;         // of a block of full height
  std::int64_t slots = 0;         // blocks in flight at a time
  std::int64_t border_words = 0;  // 64-bit words of a tagged row
  std::int64_t rooms = 1;         // of strips: blocks that hand values on, each in a room of its own
  std::int64_t room_words = 0;    // of strips: 64-bit words of a room
  std::size_t slots_at = 0;
  std::size_t flags_at = 0;
  std::size_t borders_at = 0;
  std::size_t bytes = 0;
};

/// Bytes of the words of a launch and of the state of a block in flight (launch.cuh checks them).
inline constexpr std::size_t launch_words_bytes = 768;
inline constexpr std::size_t block_slot_bytes = 256;

/// @param row_words 64-bit words of a tagged row
/// @param warps that are resident on the device: as many bands should be in flight
CudaWorkspace plan_workspace(const BlockGrid& grid, std::int64_t band_rows, std::int64_t row_words,
                             std::int64_t warps);

/// The same for strips of columns (strip_kernel.cuh): `bands` is the number of strips of a block of full width,
/// `border_words` the number of words of a strip's totals.
/// @param batch rows that a strip takes at a time @param value_words 64-bit words of a tagged value
/// @param at_a_time strips that are resident on the device: blocks of several layers are in flight to fill it
CudaWorkspace plan_strips(const BlockGrid& grid, std::int64_t batch, std::int64_t value_words,
                          std::int64_t at_a_time);

/// The same in kernel tiles; defined in a source of its own (cuda/papers/tiles.cu.in), lest one compiles for long.
template <class P>
struct CudaTileSweeps {
  static std::size_t workspace_bytes(const SweepSpec& spec, const device::Limits& limits, const CudaTrial& trial);
  static std::unique_ptr<device::BlockKernel> make(const SweepSpec& spec, device::Context& context, void* workspace,
                                                   const CudaTrial& trial);
};

/// The sweeps of problem P; defined in the source that the build makes for P (cuda/problem.cu.in).
template <class P>
struct CudaSweeps {
  /// The reason why a kernel, other than `tiles`, does not compute a sweep; empty: it does.
  static std::string unfit(SweepWay way, const SweepSpec& spec);
  /// True if bands of pairs fill the device, and the number of cells counts, not the length of their chain.
  static bool fills_in_pairs(const SweepSpec& spec, const device::Limits& limits);
  /// Enough for any score known before the sweep.
  static std::size_t workspace_bytes(SweepWay way, const SweepSpec& spec, const device::Limits& limits,
                                     const CudaTrial& trial);
  static std::unique_ptr<device::BlockKernel> make(SweepWay way, const SweepSpec& spec, device::Context& context,
                                                   void* workspace, const CudaTrial& trial);
};

}  // namespace terrace::wavefront
