// The words that connect one launch over consecutive blocks of a phase to whoever feeds and drains it.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::device {

/// One launch computes blocks [first, first + count). All words live in memory that host and device both reach
/// (plain memory on the CPU, mapped pinned memory on CUDA); block n's descriptor and result are at n % ring.
///
/// Feeder to kernel: `ready` (blocks [first, *ready) may be begun: their descriptor is written, inputs are there,
/// outputs and carry slots are free), `stop` (1: begin no further block; 2: begin none beyond *ready; read by whoever
/// takes a block's first ticket, so that a begun block is finished by all), `abort` (not 0: leave as soon as
/// possible, nothing is kept). Kernel to feeder: `done` (blocks [first, *done) are complete, their outputs and
/// results visible; a kernel whose blocks update one tile after another may report a block only when the next has
/// begun or the launch ends), `failed` (index + 1 of the first block that did not pass its own checks; it and later
/// ones are not done), `skipped` (of the operations of these blocks those left out because they cannot change the
/// result; 0 before the launch), `times` (block n's two words are at n % ring: nanoseconds of the device's own clock
/// when the worker that drew the block's first ticket began it, and when its last part was complete; written before
/// `done` covers the block).
struct Port {
  u64* ready;
  u64* stop;
  u64* abort;
  u64* done;
  u64* failed;
  u64* skipped;
  const void* descriptors;  // ring entries of descriptor_bytes each
  void* results;            // ring entries of result_bytes each
  u64 ring;
  u64 descriptor_bytes;
  u64 result_bytes;
  u64 first;
  u64 count;
  u64* times = nullptr;  // ring entries of two words each; null: nobody asks for them
};

}  // namespace terrace::device
