// In-place sweeps on CUDA: the layout of the workspace, and the making of a sweep for a problem of the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/in_place/shape.hpp"
#include "kernels/in_place/sweep.hpp"

namespace terrace::in_place {

/// Settings of a launch for tests; results never depend on them.
struct InPlaceTrial {
  unsigned thread_blocks = 0;                              // most that are launched; 0: as many as are resident
  std::uint32_t delay_seed = 0;                            // not 0: warps sleep at random at places where they meet
  enum class Group { any, few, many } group = Group::any;  // sweeps at once; any: by their number
};

/// Bytes of device memory that a sweep needs in addition to its slabs, and the sweep.
std::size_t in_place_cuda_bytes(const InPlaceSpec& spec, const device::Limits& limits, const InPlaceTrial& trial);
std::unique_ptr<device::BlockKernel> make_in_place_cuda(const InPlaceSpec& spec, device::Context& context,
                                                        void* workspace, const InPlaceTrial& trial);

/// The sweep of a written cell, compiled now (cuda/written.cuh). @throws DeviceError if it cannot be
std::unique_ptr<device::BlockKernel> make_written_in_place_cuda(const InPlaceSpec& spec, device::Context& context,
                                                                void* workspace, const InPlaceTrial& trial);

/// The layout of a sweep's workspace: sizes, and offsets in bytes from its start.
struct InPlaceWorkspace {
  std::int64_t slots = 0;        // slabs in flight at a time
  std::int64_t groups = 0;       // of a pass
  std::int64_t group_bands = 0;  // of a group of a slab, at most
  std::int64_t tickets = 0;      // of a slab
  std::int64_t group_words = 0;  // 64-bit words of a group's states
  std::size_t slots_at = 0;
  std::size_t progress_at = 0;
  std::size_t states_at = 0;
  std::size_t unused_row_at = 0;
  std::size_t bytes = 0;
};

InPlaceShape in_place_shape(const InPlaceSpec& spec, const InPlaceTrial& trial);
InPlaceWorkspace plan_in_place(const InPlaceSpec& spec, const InPlaceShape& shape);

/// The sweeps of problem P; defined in the source that the build makes for P (cuda/problem.cu.in).
template <class P>
struct InPlaceCudaSweeps {
  static std::unique_ptr<device::BlockKernel> make(const InPlaceSpec& spec, device::Context& context, void* workspace,
                                                   const InPlaceTrial& trial);
};

}  // namespace terrace::in_place
