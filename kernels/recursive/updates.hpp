// Updates of tiles, block by block.
#pragma once

#include <memory>
#include <string>

#include "kernels/device/context.hpp"
#include "kernels/device/port.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::recursive {

/// Computes blocks of one table, which do not depend on one another within a launch.
class Updates {
 public:
  virtual ~Updates() = default;
  /// Computes blocks [port.first, port.first + port.count) in order. Ends early on stop or abort.
  /// @throws DeviceError when a launch fails
  virtual void run(const device::Port& port) = 0;
};

/// What fixes the meaning of a closure's updates.
struct ClosureSpec {
  std::string problem;                   // a name of problems() of the form `closure`
  std::int64_t tile = 1;                 // rows and columns of the largest tile
  ElementType value = ElementType::f32;  // i16, i32, i64, f32 or f64
};

/// Whether values may be of that type.
bool is_closure_type(ElementType type);

/// Bytes of host memory that updates on `threads` threads of the CPU allocate beside their tiles.
std::size_t closure_cpu_bytes(const ClosureSpec& spec, int threads);

/// Descriptors are ClosureTask, results ClosureResult. All threads of the CPU work on one block after another.
std::unique_ptr<Updates> make_closure_cpu(const ClosureSpec& spec, device::Context& context);

}  // namespace terrace::recursive
