#include "kernels/recursive/blas.hpp"

#include <cblas.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

using device::i64;

constexpr const char* file = "libopenblas.so.0";
constexpr const char* remedy = "; install Debian's libopenblas0-pthread, or what is the same elsewhere";

void* open() {
  // Or else it would start a thread for every processor while it is loaded.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw DeviceError("OpenBLAS", std::string(::dlerror()) + remedy);
  return handle;
}

/// The library's functions. It stays loaded.
struct Library {
  void* handle = open();
  decltype(&cblas_sgemm) sgemm = find<decltype(&cblas_sgemm)>("cblas_sgemm");
  decltype(&cblas_dgemm) dgemm = find<decltype(&cblas_dgemm)>("cblas_dgemm");
  std::string kind;

  Library() {
    // Sequential ones have no locks, and those of OpenMP take all threads whatever they are told.
    if (find<decltype(&openblas_get_parallel)>("openblas_get_parallel")() != OPENBLAS_THREAD) {
      throw DeviceError(file, std::string("this one is not made for POSIX threads") + remedy);
    }
    find<decltype(&openblas_set_num_threads)>("openblas_set_num_threads")(1);
    const std::string configuration = find<decltype(&openblas_get_config)>("openblas_get_config")();
    const std::size_t name_and_version = configuration.find(' ', configuration.find(' ') + 1);
    kind = configuration.substr(0, name_and_version) + " " +
           find<decltype(&openblas_get_corename)>("openblas_get_corename")();
  }

  template <class Call>
  Call find(const char* name) const {
    void* symbol = ::dlsym(handle, name);
    if (symbol == nullptr) throw DeviceError(file, std::string("it has no ") + name + remedy);
    return reinterpret_cast<Call>(symbol);
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

/// A stride that BLAS takes, also of a matrix with a single row, or none.
blasint stride_of(i64 stride, i64 columns) { return static_cast<blasint>(std::max({stride, columns, i64{1}})); }

template <class Gemm, class T>
void multiply(Gemm gemm, Matrix<T> x, Matrix<const T> u, Matrix<const T> v, i64 rows, i64 columns, i64 depth, T kept,
              T sign) {
  gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(rows), static_cast<blasint>(columns),
       static_cast<blasint>(depth), sign, u.data, stride_of(u.stride, depth), v.data, stride_of(v.stride, columns),
       kept, x.data, stride_of(x.stride, columns));
}

}  // namespace

const std::string& blas_kind() { return library().kind; }

void blas_multiply(Matrix<float> x, Matrix<const float> u, Matrix<const float> v, i64 rows, i64 columns, i64 depth,
                   float kept, float sign) {
  multiply(library().sgemm, x, u, v, rows, columns, depth, kept, sign);
}

void blas_multiply(Matrix<double> x, Matrix<const double> u, Matrix<const double> v, i64 rows, i64 columns, i64 depth,
                   double kept, double sign) {
  multiply(library().dgemm, x, u, v, rows, columns, depth, kept, sign);
}

}  // namespace terrace::recursive
