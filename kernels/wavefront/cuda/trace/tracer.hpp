// The CUDA side of walks: where things lie in the workspace, and how a tracer is made for a problem of the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/wavefront/cuda/sweep.hpp"
#include "kernels/wavefront/tracer.hpp"

namespace terrace::wavefront {

/// make_cuda_tracer under the conditions of a test.
std::unique_ptr<device::BlockKernel> make_cuda_tracer(const TraceSpec& spec, device::Context& context,
                                                      void* workspace, const CudaTrial& trial);
/// make_cuda_bit_tracer under the conditions of a test.
std::unique_ptr<device::BlockKernel> make_cuda_bit_tracer(const TraceSpec& spec, device::Context& context,
                                                          void* workspace, const CudaTrial& trial);

/// Layout of a tracer's workspace, in bytes from its start. All before `known_at` is zero at the start of a
/// launch.
struct CudaTraceWorkspace {
  std::int64_t bands = 0;       // of a piece of full height
  std::int64_t band_steps = 0;  // of a piece of full width
  std::int64_t row_words = 0;   // of a tagged row
  std::int64_t tickets = 0;     // of a block
  std::size_t slot_at = 0;
  std::size_t rows_at = 0;
  std::size_t known_at = 0;
  std::size_t codes_at = 0;
  std::size_t bytes = 0;
};

/// The tracer of problem P; defined in the source that the build makes for P (cuda/problem.cu.in).
template <class P>
struct CudaTracers {
  static std::unique_ptr<device::BlockKernel> make(const TraceSpec& spec, device::Context& context, void* workspace,
                                                   const CudaTrial& trial);
  /// Between lines in differences; null if P has no bit-parallel form.
  static std::unique_ptr<device::BlockKernel> make_bits(const TraceSpec& spec, device::Context& context,
                                                        void* workspace, const CudaTrial& trial);
};

/// @throws DeviceError if pieces are too large
CudaTraceWorkspace plan_trace(const TraceSpec& spec);

/// Sizes of bands and of their kept data (kernel.cuh checks them).
inline constexpr std::int64_t trace_rows_of_band = 128, trace_bytes_of_step = 64;
inline constexpr std::size_t trace_slot_bytes = 256, trace_codes_bytes = 32;

}  // namespace terrace::wavefront
