// The kernel tiles of a nest on CUDA, and the memory in which they work.
#pragma once

#include <cstddef>

#include "kernels/compiled/compiler.hpp"
#include "kernels/device/context.hpp"
#include "kernels/nest/print.hpp"

namespace terrace::nest {

class CudaTiles {
 public:
  CudaTiles(const NestSpec& spec, const device::Limits& limits);

  const Tiling& tiling() const { return tiling_; }
  int threads() const { return threads_; }
  /// Dynamic shared memory of a thread block.
  std::size_t shared_bytes() const { return shared_bytes_; }
  /// False if the values of a tile do not fit there.
  bool is_in_shared_memory() const { return in_shared_; }

  /// The workspace: the state, faces, and rooms for the values of tiles that are not in shared memory.
  std::size_t faces_at() const;
  std::size_t rooms_at() const { return rooms_at_; }
  std::size_t bytes() const { return bytes_; }
  /// Thread blocks that have room for their values.
  i64 rooms() const { return rooms_; }

  /// Its kernels: begin, rest, tiles, report (kernel.cuh).
  compiled::Source source(const NestSpec& spec) const;

 private:
  Tiling tiling_;
  int threads_ = 32;
  bool in_shared_ = true;
  std::size_t shared_bytes_ = 0, rooms_at_ = 0, bytes_ = 0;
  i64 rooms_ = i64{1} << 30;
};

}  // namespace terrace::nest
