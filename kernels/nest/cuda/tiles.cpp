#include "kernels/nest/cuda/tiles.hpp"

#include <algorithm>

#include "kernels/nest/cuda/cells.hpp"
#include "kernels/nest/cuda/state.hpp"
#include "kernels/nest/measured.hpp"

namespace terrace::nest {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

CudaTiles::CudaTiles(const NestSpec& spec, const device::Limits& limits) {
  const Sweep sweep(spec);
  const std::size_t rank = sweep.rank();
  i64 lines = 1;
  for (std::size_t n = 0; n < rank; ++n) {
    shape_.side[n] = spec.tile[n] > 0 ? spec.tile[n] : measured::cuda_tile_sides[rank - 1][n];
    shape_.extent[n] = shape_.side[n] + sweep.halo()[n];
    if (n + 1 < rank) lines *= shape_.side[n];
  }
  // Threads of a warp are in lines one after another, at columns one before another: with an even extent in banks of
  // their own.
  shape_.extent[rank - 1] += shape_.extent[rank - 1] % 2;
  while (threads_ < lines && threads_ < measured::cuda_most_threads) threads_ *= 2;

  const std::size_t values = tile_value_bytes(spec, shape_);
  const bool has_best =
      std::any_of(spec.kept.begin(), spec.kept.end(), [](const Kept& kept) { return kept.best != 0; });
  shared_bytes_ = has_best ? static_cast<std::size_t>(threads_) * sizeof(BestElement) : 0;
  in_shared_ = values + static_cast<std::size_t>(measured::cuda_static_shared_bytes) <= limits.block_shared_bytes;
  if (in_shared_) shared_bytes_ = std::max(shared_bytes_, values);

  i64 tiles = 1;
  std::vector<i64> along;
  for (std::size_t n = 0; n < rank; ++n) {
    const i64 extent = n < spec.block.size() ? spec.block[n] : sweep.space()[n].size();
    along.push_back(std::max<i64>(1, (extent + shape_.side[n] - 1) / shape_.side[n]));
    tiles *= along.back();
  }
  std::size_t at = faces_at();
  for (std::size_t n = 0; n < rank; ++n) {
    face_bytes_.push_back(tile_face_bytes(spec, shape_, n));
    at += static_cast<std::size_t>(tiles / along[n]) * face_bytes_.back();
  }
  rooms_at_ = aligned(at);
  if (!in_shared_) {
    rooms_ = std::max(1, limits.processors) * measured::cuda_rooms_of_processor;
    at = rooms_at_ + static_cast<std::size_t>(rooms_) * values;
  }
  bytes_ = aligned(at);
}

std::size_t CudaTiles::faces_at() const { return aligned(sizeof(NestState)); }

compiled::Source CudaTiles::source(const NestSpec& spec) const {
  compiled::Source source;
  source.text = nest_headers() + "#include \"kernels/nest/cuda/kernel.cuh\"\nnamespace terrace::nest {\n" +
                nest_source(spec, shape_) + "}  // namespace terrace::nest\n";
  for (const char* kernel : {"begin_nest_kernel", "make_rest_kernel", "make_tiles_kernel", "report_nest_kernel"}) {
    source.kernels.push_back("terrace::nest::" + std::string(kernel) + "<terrace::nest::Written>");
  }
  return source;
}

std::size_t cells_cuda_bytes(const NestSpec& spec, const device::Limits& limits) {
  return CudaTiles(spec, limits).bytes();
}

}  // namespace terrace::nest
