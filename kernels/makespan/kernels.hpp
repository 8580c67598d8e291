// The kernel that searches for the least makespan.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/makespan/search.hpp"
#include "kernels/makespan/state.hpp"
#include "kernels/makespan/task.hpp"

namespace terrace::makespan {

/// A kernel on all threads of the CPU whose blocks have descriptors SearchTask and results SearchResult.
/// @param jobs, begin the state before the first round; both outlive it
/// @param memory bytes for sets of jobs that failed
/// @throws DeviceError if the context is not the CPU's
std::unique_ptr<device::BlockKernel> make_search_cpu(const SortedJobs& jobs, const SearchState& begin,
                                                     StateLayout layout, std::size_t memory,
                                                     device::Context& context);

}  // namespace terrace::makespan
