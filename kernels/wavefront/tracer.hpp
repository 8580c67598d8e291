// Walking back through boxes of a table whose borders have been kept.
#pragma once

#include <memory>

#include "kernels/wavefront/rules/bit_lines.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "kernels/wavefront/trace.hpp"

namespace terrace::wavefront {

/// The parameters that define a walk.
struct TraceSpec {
  std::string problem;                           // a name of problems() whose paths can be followed
  Settings settings;                             // the problem's parameters, checked
  ElementType value;                             // type that cells are computed in
  ElementType border;                            // type of border values
  std::int64_t cell_rows = 0, cell_columns = 0;  // of a piece between kept borders, at most
  std::int64_t pieces = 1;                       // computed at a time, on CUDA: along the path's diagonal
};

/// True if the paths of the problem that these parameters name can be followed.
bool is_traceable(const std::string& problem, const Settings& settings);

/// A kernel that walks through boxes of letters or values, one a block of a launch, one after another. Descriptors
/// are TraceTask, results TraceResult.
std::unique_ptr<device::BlockKernel> make_cpu_tracer(const TraceSpec& spec);
/// A kernel that sweeps boxes, one a block of a launch, for the borders that are kept inside them. Descriptors are
/// TraceTask, whose `row_borders` and `column_borders` are written; results mean nothing.
std::unique_ptr<device::BlockKernel> make_cpu_box_sweep(const SweepSpec& spec, device::Context& context);

/// True if the problem has a bit-parallel form.
bool has_bits(const std::string& problem, const Settings& settings);
/// As make_cpu_tracer, for a problem with a bit-parallel form, between lines kept in differences: descriptors are
/// BitTraceTask. The cells of `spec` are multiples of word_cells, and those of its tasks are no larger.
std::unique_ptr<device::BlockKernel> make_cpu_bit_tracer(const TraceSpec& spec);
/// Likewise. @param workspace as of make_cuda_tracer
std::unique_ptr<device::BlockKernel> make_cuda_bit_tracer(const TraceSpec& spec, device::Context& context,
                                                          void* workspace);
/// @throws DeviceError, by the name of `maker`, if no such tracer can be made
void check_bit_tracer(const char* maker, const TraceSpec& spec);
/// Bytes of host memory that it allocates, at most.
std::size_t cpu_bit_trace_bytes(const TraceSpec& spec);

/// Additional bytes of device memory that a CUDA tracer needs, for the codes of its pieces: half a byte a cell.
std::size_t cuda_trace_bytes(const TraceSpec& spec);
/// As make_cpu_tracer, but a walk ends where it leaves the pieces between kept borders that were computed with it.
/// All tasks belong to one table: the known codes of a piece are kept from task to task.
/// @param workspace cuda_trace_bytes() of device memory, owned by the caller; the kernel initialises it
std::unique_ptr<device::BlockKernel> make_cuda_tracer(const TraceSpec& spec, device::Context& context,
                                                      void* workspace);

}  // namespace terrace::wavefront
