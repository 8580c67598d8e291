#include "kernels/recursive/blas.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

using device::i64;

constexpr const char* file = "libopenblas.so.0";
constexpr const char* remedy = "; install Debian's libopenblas0-pthread, or what is the same elsewhere";
constexpr const char* memory_remedy =
    "; raise the limit of address space (ulimit -v), or let the system promise more (vm.overcommit_memory)";

/// Address space that OpenBLAS 0.3 maps for a call on x86-64, and some for the system's own use.
constexpr std::size_t buffer_bytes = (std::size_t{128} << 20) + (std::size_t{1} << 20);
/// Bytes of a row or column that its kernels pack at a time, and rows of a part of the left matrix: the largest of
/// all processors'.
constexpr i64 packed_bytes = 3072, packed_rows = 512;

bool can_map(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  ::munmap(memory, bytes);
  return true;
}

void* open() {
  // Or else it would start a thread for every processor while it is loaded.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string why = ::dlerror();
    // A library is mapped whole.
    throw DeviceError("OpenBLAS", why + (can_map(std::size_t{64} << 20) ? remedy : memory_remedy));
  }
  return handle;
}

/// The library's functions. It stays loaded.
struct Library {
  void* handle = open();
  decltype(&cblas_sgemm) sgemm = find<decltype(&cblas_sgemm)>("cblas_sgemm");
  decltype(&cblas_dgemm) dgemm = find<decltype(&cblas_dgemm)>("cblas_dgemm");
  // Its own allocation of buffers, which keeps those given back for the next call.
  void* (*take_buffer)(int) = find<void* (*)(int)>("blas_memory_alloc");
  void (*give_buffer)(void*) = find<void (*)(void*)>("blas_memory_free");
  std::string kind;

  Library() {
    // A sequential OpenBLAS has no locks, and one with OpenMP takes all threads in any case.
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

/// A stride that BLAS accepts, also of a matrix with a single row, or none.
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

void prepare_blas(int calls) {
  static std::mutex mutex;
  static int prepared = 0;
  const std::lock_guard lock(mutex);
  std::vector<void*> buffers;
  const auto give_all = [&] {
    for (void* buffer : buffers) library().give_buffer(buffer);
  };
  while (static_cast<int>(buffers.size()) < calls) {
    // Buffers of earlier calls are reused.
    const bool there = static_cast<int>(buffers.size()) < prepared;
    if (!there && !can_map(buffer_bytes)) {
      give_all();
      throw DeviceError("OpenBLAS", "no room for the 128 MiB of address space that each of " + std::to_string(calls) +
                                        " threads takes" + memory_remedy);
    }
    buffers.push_back(library().take_buffer(0));
    prepared = std::max(prepared, static_cast<int>(buffers.size()));
  }
  give_all();
}

i64 blas_bytes(i64 side, i64 element) {
  return std::min(side * element, packed_bytes) * (side + std::min(side, packed_rows));
}

void blas_multiply(Matrix<float> x, Matrix<const float> u, Matrix<const float> v, i64 rows, i64 columns, i64 depth,
                   float kept, float sign) {
  multiply(library().sgemm, x, u, v, rows, columns, depth, kept, sign);
}

void blas_multiply(Matrix<double> x, Matrix<const double> u, Matrix<const double> v, i64 rows, i64 columns, i64 depth,
                   double kept, double sign) {
  multiply(library().dgemm, x, u, v, rows, columns, depth, kept, sign);
}

}  // namespace terrace::recursive
