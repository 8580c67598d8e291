// Sums of products of real numbers on CUDA, by cuBLAS if it is found.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "kernels/device/integers.hpp"

namespace terrace::recursive {

/// Row-major matrices in device memory: x <- x + sign * u * v. Strides count elements from row to row.
template <class T>
struct BlasProduct {
  T* x;  // rows x columns
  device::i64 x_stride;
  const T* u;  // rows x depth
  device::i64 u_stride;
  const T* v;  // depth x columns
  device::i64 v_stride;
  device::i64 rows, columns, depth;  // none is 0, all are below 2^31
  T sign;
};

/// Products in one stream of the device that is current where it is made. They work in no device memory of their own:
/// products of large tiles are as fast without (50 TFLOP/s in f32 on an H200).
class CudaBlas {
 public:
  /// @returns null if there is no cuBLAS, so that cuda_blas_kind() is empty. @throws DeviceError
  static std::unique_ptr<CudaBlas> make(cudaStream_t stream);
  virtual ~CudaBlas() = default;

  /// Submits a product. Its kernels do not check ports: a submitted product is computed. @throws DeviceError
  virtual void multiply(const BlasProduct<float>& product) = 0;
  virtual void multiply(const BlasProduct<double>& product) = 0;
};

}  // namespace terrace::recursive
