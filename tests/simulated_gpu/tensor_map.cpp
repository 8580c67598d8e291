#include "tests/simulated_gpu/tensor_map.hpp"

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/simulated_gpu/thread_block.hpp"

namespace simulated_gpu {
namespace {

constexpr std::uint32_t mark = 0x54E50123;

/// A line of a box that lies in a map, as values: the first one, and how many.
struct Part {
  std::int64_t begin, count;
};
Part part_of(std::int64_t first, std::int64_t count, std::int64_t extent) {
  const std::int64_t begin = std::clamp<std::int64_t>(first, 0, extent);
  const std::int64_t end = std::clamp<std::int64_t>(first + count, 0, extent);
  return {begin, end - begin};
}

/// Calls copy(memory, offset in the box, bytes) for every row of a box, as far as it lies in the map.
template <class Copy>
void for_rows(const TensorMap& map, int column, int row, const Copy& copy) {
  const Part columns = part_of(column, map.box_width, static_cast<std::int64_t>(map.width));
  const Part rows = part_of(row, map.box_rows, static_cast<std::int64_t>(map.rows));
  if (columns.count <= 0) return;
  for (std::int64_t y = rows.begin; y < rows.begin + rows.count; ++y) {
    const std::int64_t at = (y - row) * map.box_width + columns.begin - column;
    copy(map.data + y * static_cast<std::int64_t>(map.stride) + columns.begin * map.value_bytes, at * map.value_bytes,
         static_cast<std::size_t>(columns.count) * map.value_bytes);
  }
}

CUresult encode_tiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                      const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                      const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                      CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  const std::uint32_t bytes = type == CU_TENSOR_MAP_DATA_TYPE_UINT64 ? 8 : 4;
  const bool plain = rank == 2 && interleave == CU_TENSOR_MAP_INTERLEAVE_NONE &&
                     swizzle == CU_TENSOR_MAP_SWIZZLE_NONE && fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE &&
                     steps[0] == 1 && steps[1] == 1;
  if (!plain || reinterpret_cast<std::uintptr_t>(map) % 64 != 0 ||
      reinterpret_cast<std::uintptr_t>(address) % 16 != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (int axis = 0; axis < 2; ++axis) {
    if (extents[axis] < 1 || extents[axis] > std::uint64_t{1} << 32 || box[axis] < 1 || box[axis] > 256) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  if (strides[0] % 16 != 0 || strides[0] < extents[0] * bytes || box[0] * bytes % 16 != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const TensorMap made{
      static_cast<unsigned char*>(address), extents[0], extents[1], strides[0], box[0], box[1], bytes, mark};
  static_assert(sizeof made <= sizeof *map);
  std::memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}

}  // namespace

const TensorMap& tensor_map_of(const unsigned char* bytes, const void* shared) {
  const auto& map = *reinterpret_cast<const TensorMap*>(bytes);
  const auto place = static_cast<const unsigned char*>(shared) - ThreadBlock::current().shared_memory();
  const char* fault = map.is_map != mark ? "the bytes are no map"
                      : place % 128 != 0 ? "shared memory not at a multiple of 128 bytes"
                                         : nullptr;
  if (fault != nullptr) {
    std::fprintf(stderr, "tensor copy: %s\n", fault);
    std::abort();
  }
  return map;
}

void bring_box(const TensorMap& map, int column, int row, void* shared) {
  auto* to = static_cast<unsigned char*>(shared);
  std::memset(to, 0, map.box_bytes());
  for_rows(map, column, row, [&](const unsigned char* memory, std::int64_t at, std::size_t bytes) {
    std::memcpy(to + at, memory, bytes);
  });
}

void write_box(const TensorMap& map, int column, int row, const void* shared) {
  const auto* from = static_cast<const unsigned char*>(shared);
  for_rows(map, column, row,
           [&](unsigned char* memory, std::int64_t at, std::size_t bytes) { std::memcpy(memory, from + at, bytes); });
}

}  // namespace simulated_gpu

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  const bool is_known = std::string_view(symbol) == "cuTensorMapEncodeTiled";
  *function = is_known ? reinterpret_cast<void*>(&simulated_gpu::encode_tiled) : nullptr;
  *result = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
