#include "kernels/wavefront/cuda/trace/tracer.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/wavefront/visit.hpp"

#include <algorithm>

namespace terrace::wavefront {
CudaTraceWorkspace plan_trace(const TraceSpec& spec) {
  constexpr std::int64_t most_side = std::int64_t{1} << 20;  // of a piece: its codes fill half a terabyte
  constexpr std::int64_t most_pieces = 1024;
  if (spec.cell_rows < 1 || spec.cell_columns < 1 || spec.cell_rows > most_side || spec.cell_columns > most_side ||
      spec.pieces < 1 || spec.pieces > most_pieces) {
    throw DeviceError("walk back on CUDA", std::to_string(spec.pieces) + " pieces of " +
                                               std::to_string(spec.cell_rows) + " x " +
                                               std::to_string(spec.cell_columns) + " cells cannot be computed");
  }
  // A tagged cell takes twice the bytes of its values, at most two values, all of 64 bits except letters'
  // scores.
  const std::int64_t value_bytes = size_of(spec.value) == 8 ? 8 : 4;
  CudaTraceWorkspace plan;
  plan.bands = (spec.cell_rows + trace_rows_of_band - 1) / trace_rows_of_band;
  plan.band_steps = spec.cell_columns + 31;
  plan.row_words = (spec.cell_columns * 2 * 2 * value_bytes + 255) / 256 * 32;
  plan.tickets = spec.pieces * plan.bands + 1;
  plan.slot_at = device::aligned_bytes(launch_words_bytes);
  plan.rows_at = plan.slot_at + trace_slot_bytes;
  plan.known_at = plan.rows_at + device::aligned_bytes(spec.pieces * plan.row_words * 8);
  plan.codes_at = plan.known_at + device::aligned_bytes(spec.pieces * static_cast<std::int64_t>(trace_codes_bytes));
  plan.bytes =
      plan.codes_at + device::aligned_bytes(spec.pieces * plan.bands * plan.band_steps * trace_bytes_of_step);
  return plan;
}

std::size_t cuda_trace_bytes(const TraceSpec& spec) { return plan_trace(spec).bytes; }

std::unique_ptr<device::BlockKernel> make_cuda_tracer(const TraceSpec& spec, device::Context& context,
                                                      void* workspace, const CudaTrial& trial) {
  std::unique_ptr<device::BlockKernel> tracer;
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (Traceable<P>) tracer = CudaTracers<P>::make(spec, context, workspace, trial);
  });
  if (!tracer) throw DeviceError("make_cuda_tracer", "paths of " + spec.problem + " cannot be followed");
  return tracer;
}

std::unique_ptr<device::BlockKernel> make_cuda_tracer(const TraceSpec& spec, device::Context& context,
                                                      void* workspace) {
  return make_cuda_tracer(spec, context, workspace, CudaTrial{});
}

std::unique_ptr<device::BlockKernel> make_cuda_bit_tracer(const TraceSpec& spec, device::Context& context,
                                                          void* workspace, const CudaTrial& trial) {
  check_bit_tracer("make_cuda_bit_tracer", spec);
  std::unique_ptr<device::BlockKernel> tracer;
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (Traceable<P>) tracer = CudaTracers<P>::make_bits(spec, context, workspace, trial);
  });
  return tracer;
}

std::unique_ptr<device::BlockKernel> make_cuda_bit_tracer(const TraceSpec& spec, device::Context& context,
                                                          void* workspace) {
  return make_cuda_bit_tracer(spec, context, workspace, CudaTrial{});
}

}  // namespace terrace::wavefront
