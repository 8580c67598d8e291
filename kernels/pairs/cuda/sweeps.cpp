#include "kernels/pairs/cuda/sweeps.hpp"

#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/wavefront/measured.hpp"

namespace terrace::pairs {

using device::aligned_bytes;

SweepsPlan::SweepsPlan(const PairsSpec& spec, const device::Limits& limits)
    : sweep(aligned_bytes(sizeof(SweepsState))) {
  using device::Backend;
  using Launches = wavefront::measured::CudaLaunches;
  const auto of_rows = [&](i64 rows) { return sweep_of(spec, rows, spec.longest_column, Backend::cuda); };
  method = &wavefront::choose_sweep_method(of_rows(spec.longest_row), Backend::cuda, limits);
  // The longest columns have the longest row of borders, few rows most blocks under way. A sweep has a flag for each
  // of its bands and blocks under way: twice as many as resident warps, and two for a band, of 128 rows at least.
  const i64 flags = i64{2} * limits.processors * Launches::warps_of_processor + spec.longest_row / 64 + 2;
  sweep_bytes =
      std::max(method->workspace(of_rows(1), limits), method->workspace(of_rows(spec.longest_row), limits)) +
      aligned_bytes(static_cast<std::size_t>(flags) * sizeof(u32));
  workspace_bytes = sweep + sweep_bytes;
}

}  // namespace terrace::pairs
