// Sums of products of real numbers on the CPU, by OpenBLAS, and the kind of cuBLAS (cuda/products/blas.hpp).
#pragma once

#include <string>

#include "kernels/recursive/rules/matrix.hpp"

namespace terrace::recursive {

/// The properties of OpenBLAS that fix bits: its version, and the processors that its kernels are for, "OpenBLAS
/// 0.3.21 Haswell". It is loaded at the first call, so that a program that multiplies nothing waits neither for it
/// nor for the threads that it would start. @throws DeviceError if it is missing, or several threads cannot call it
/// at a time
const std::string& blas_kind();

/// Reserves the memory in which `calls` calls of blas_multiply() at a time work: without it OpenBLAS would try to
/// get it for ever. Each call takes 128 MiB of address space, of which it touches blas_bytes(). To be called before
/// them.
/// @throws DeviceError if there is too little memory, or as blas_kind()
void prepare_blas(int calls);

/// Bytes that a call touches at most in addition to its matrices, whose rows and columns are at most `side`, of
/// elements of `element` bytes.
device::i64 blas_bytes(device::i64 side, device::i64 element);

/// The properties of cuBLAS that fix bits on a kind of device: its version, "cuBLAS 13.1.0". Empty if it is not
/// found: then the project's own kernels multiply. It is also loaded at the first call.
/// @throws DeviceError if the library found is not cuBLAS
const std::string& cuda_blas_kind();

/// x <- kept * x + sign * u * v on the calling thread; x: rows x columns, u: rows x depth. What x held does not
/// matter if `kept` is 0. Extents and strides are below 2^31. No more calls at a time than were prepared.
/// @throws DeviceError as blas_kind()
void blas_multiply(Matrix<float> x, Matrix<const float> u, Matrix<const float> v, device::i64 rows,
                   device::i64 columns, device::i64 depth, float kept, float sign);
void blas_multiply(Matrix<double> x, Matrix<const double> u, Matrix<const double> v, device::i64 rows,
                   device::i64 columns, device::i64 depth, double kept, double sign);

}  // namespace terrace::recursive
