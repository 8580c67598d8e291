// In-place sweeps, slab by slab (task.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::in_place {

/// A cell that is no problem of the list: a kernel of CUDA is compiled with it when it is made.
struct WrittenCell {
  /// The struct `Written`, a problem as problem.hpp describes it but for name, help and parameters, for namespace
  /// terrace::in_place. It may use problem.hpp and values/exact.hpp.
  std::string source;
  bool corners = false;   // as Written::corners
  double operations = 0;  // of 32 bits, of a cell
};

/// The definition of the sweeps, and the cut of a pass, which does not change the result.
struct InPlaceSpec {
  std::string problem;                         // a name of in_place_problems(); empty: `written` has the cell
  Settings settings;                           // the problem's parameters, checked
  std::shared_ptr<const WrittenCell> written;  // null: `problem` has the cell
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t slab_rows = 0;            // of a slab; the last one may be lower
  std::int64_t pass_sweeps = 0;          // the most sweeps of a pass
  std::int64_t parts = 1;                // of slabs that follow one another, each of which a device may sweep
  ElementType value = ElementType::f64;  // f32 or f64; of a written cell also i32

  /// Slabs of a pass; 0 if the grid has no cells.
  std::int64_t slabs() const { return columns == 0 ? 0 : (rows + slab_rows - 1) / slab_rows; }
};

/// True if cells read their diagonal neighbours.
bool has_corners(const InPlaceSpec& spec);

/// @throws DeviceError if types or sizes cannot be swept
void check_in_place(const InPlaceSpec& spec);

/// Bytes of host memory that a CPU sweep on `threads` threads allocates in addition to its slabs.
std::size_t in_place_cpu_bytes(const InPlaceSpec& spec, int threads);

/// A kernel whose launches take consecutive slabs of a pass, and which orders them itself: descriptors are
/// InPlaceTask, results InPlaceResult.
std::unique_ptr<device::BlockKernel> make_in_place_cpu(const InPlaceSpec& spec, device::Context& context);

}  // namespace terrace::in_place
