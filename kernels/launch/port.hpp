// The words by which the host feeds one launch over consecutive blocks and takes its results.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::device {

/// The memory that one launch over blocks [first, first + count) shares with the host. Host and device both reach it:
/// plain memory on the CPU, mapped pinned memory on CUDA. The descriptor, the result and the times of block n are at
/// entry n % ring.
///
/// The feeder, on the host, writes `ready`, `stop` and `abort`; the kernel writes the other words.
struct Port {
  /// Blocks [first, *ready) may begin: their descriptors are written, their inputs are there, and their outputs and
  /// carry slots are free.
  u64* ready;
  /// 1: no further block begins. 2: no block from *ready on begins. Read by the worker that draws a block's first
  /// ticket, so that all workers finish a block that has begun.
  u64* stop;
  /// Not 0: workers leave as soon as possible, and nothing is kept.
  u64* abort;
  /// Blocks [first, *done) are complete, their outputs and results visible. A kernel whose blocks update one tile
  /// after another may delay the report of a block until the next block has begun or the launch ends.
  u64* done;
  /// Index + 1 of the first block that did not pass its own checks, or 0. This block and later ones are not done.
  u64* failed;
  /// Operations of these blocks that were left out because they cannot change the result; 0 before the launch.
  u64* skipped;
  const void* descriptors;  // ring entries of descriptor_bytes each
  void* results;            // ring entries of result_bytes each
  u64 ring;
  u64 descriptor_bytes;
  u64 result_bytes;
  u64 first;
  u64 count;
  /// Ring entries of two words each, in nanoseconds of the device's own clock, written before `done` covers the
  /// block: when the worker that drew the first ticket began the block, and when its last part was complete. Null:
  /// the host does not ask for times.
  u64* times = nullptr;
};

}  // namespace terrace::device
