#include "kernels/device/tensor_map.hpp"

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>

#include "kernels/device/cuda_check.hpp"

namespace terrace::device {
namespace {

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));

using Encode = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, found by the runtime: the program is not linked with the driver. Null if it has none.
Encode find_encode() {
  constexpr unsigned since = 12000;  // of CUDA
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  TERRACE_CUDA_CHECK(
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, since, cudaEnableDefault, &result));
#else
  TERRACE_CUDA_CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result));
#endif
  return result == cudaDriverEntryPointSuccess ? reinterpret_cast<Encode>(function) : nullptr;
}

}  // namespace

bool make_tensor_map(const TensorRows& rows, TensorMap& map) {
  static const Encode encode = find_encode();
  if (encode == nullptr) return false;
  // Integers of the values' size: copies keep all bits.
  const CUtensorMapDataType type =
      rows.value_bytes == 8 ? CU_TENSOR_MAP_DATA_TYPE_UINT64 : CU_TENSOR_MAP_DATA_TYPE_UINT32;
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(rows.width), static_cast<cuuint64_t>(rows.rows)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(rows.width * rows.value_bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(rows.box_width), static_cast<cuuint32_t>(rows.box_rows)};
  const cuuint32_t steps[] = {1, 1};
  CUtensorMap made{};
  const CUresult result =
      encode(&made, type, 2, rows.data, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  std::memcpy(&map, &made, sizeof map);
  return result == CUDA_SUCCESS;
}

}  // namespace terrace::device
