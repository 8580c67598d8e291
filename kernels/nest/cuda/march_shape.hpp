// The windows of a march of a nest on CUDA, and the memory in which it works.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/compiled/compiler.hpp"
#include "kernels/device/context.hpp"
#include "kernels/nest/cuda/march_work.hpp"
#include "kernels/nest/print.hpp"

namespace terrace::nest {

class CudaMarch {
 public:
  CudaMarch(const NestSpec& spec, const device::Limits& limits);

  /// The reason why a nest is not marched; empty: it is.
  static std::string why_unfit(const NestSpec& spec, const device::Limits& limits);

  /// Dynamic shared memory of a thread block.
  std::size_t shared_bytes() const { return shared_bytes_; }
  std::size_t bytes() const { return bytes_; }
  /// Seconds of the longest chain of steps of the largest block, and its cells.
  double chain_seconds() const;
  double cells() const;
  /// True if the block has no iterations.
  static bool is_empty(const NestTask& task, std::size_t rank);
  /// The march of a block in a workspace; its copies of faces.
  MarchWork work(const NestTask& task, unsigned char* workspace) const;
  Word* copies(unsigned char* workspace) const;
  /// The words of a face before or after a block.
  i64 face_words(const NestTask& task, std::size_t coordinate) const;

  /// Its kernels: begin, rest, prepare, march, finish, report.
  compiled::Source source(const NestSpec& spec) const;

 private:
  /// The columns by which a row of the last coordinate begins behind the row before.
  i64 slant() const;
  /// Shared memory into which planes are brought ahead, of a thread block.
  std::size_t planes_bytes() const;
  std::size_t lay_out(MarchWork& work, const NestTask& task, unsigned char* workspace) const;

  Sweep sweep_;
  Tiling tiling_;
  NestTask largest_;
  i64 words_ = 0;  // of a column of the border
  std::vector<std::size_t> value_bytes_;
  i64 most_rings_ = 1;
  std::size_t copies_at_ = 0, march_at_ = 0, bytes_ = 0, shared_bytes_ = 0;
};

}  // namespace terrace::nest
