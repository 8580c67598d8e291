#include "kernels/nest/cuda/tiles.hpp"

#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/nest/cuda/cells.hpp"
#include "kernels/nest/cuda/state.hpp"
#include "kernels/nest/measured.hpp"

namespace terrace::nest {
// Threads of a warp are in lines one after another, at columns one before another: with an even extent in banks of
// their own.
CudaTiles::CudaTiles(const NestSpec& spec, const device::Limits& limits)
    : tiling_(spec, measured::cuda_tile_sides[spec.skew.rank() - 1], true) {
  i64 lines = 1;
  for (std::size_t n = 0; n + 1 < tiling_.rank(); ++n) lines *= tiling_.side(n);
  while (threads_ < lines && threads_ < measured::cuda_most_threads) threads_ *= 2;

  const std::size_t values = tiling_.value_bytes();
  const bool has_best =
      std::any_of(spec.kept.begin(), spec.kept.end(), [](const Kept& kept) { return kept.best != 0; });
  shared_bytes_ = has_best ? static_cast<std::size_t>(threads_) * sizeof(BestElement) : 0;
  in_shared_ = values + static_cast<std::size_t>(measured::cuda_static_shared_bytes) <= limits.block_shared_bytes;
  if (in_shared_) shared_bytes_ = std::max(shared_bytes_, values);

  rooms_at_ = device::aligned_bytes(faces_at() + tiling_.most_face_bytes());
  bytes_ = rooms_at_;
  if (in_shared_) return;
  rooms_ = std::max(1, limits.processors) * measured::cuda_rooms_of_processor;
  bytes_ += device::aligned_bytes(static_cast<std::size_t>(rooms_) * values);
}

std::size_t CudaTiles::faces_at() const { return device::aligned_bytes(sizeof(NestState)); }

compiled::Source CudaTiles::source(const NestSpec& spec) const {
  compiled::Source source;
  source.text = nest_headers() + "#include \"kernels/nest/cuda/kernel.cuh\"\nnamespace terrace::nest {\n" +
                nest_source(spec, tiling_) + "}  // namespace terrace::nest\n";
  for (const char* kernel : {"begin_nest_kernel", "make_rest_kernel", "make_tiles_kernel", "report_nest_kernel"}) {
    source.kernels.push_back("terrace::nest::" + std::string(kernel) + "<terrace::nest::Written>");
  }
  return source;
}

std::size_t cells_cuda_bytes(const NestSpec& spec, const device::Limits& limits) {
  return CudaTiles(spec, limits).bytes();
}

}  // namespace terrace::nest
