// Copies of boxes between row-major buffers in memory of hosts and devices.
#pragma once

#include <cstddef>

#include "kernels/device/context.hpp"
#include "pipeline/base/box.hpp"

namespace terrace::run {

/// Submits the copy of a box to a queue of the context.
/// @param source, target first element of the box that each buffer holds (`source_box`, `target_box`)
/// @param box the points to copy; lies in both boxes, not empty
/// @param element bytes
void copy_box(device::Context& context, device::Queue queue, std::byte* target, const Box& target_box,
              const std::byte* source, const Box& source_box, const Box& box, std::size_t element);

/// Bytes of one contiguous row in which a box of a row-major buffer is copied.
std::size_t copied_row_bytes(const Box& buffer, const Box& box, std::size_t element);

}  // namespace terrace::run
