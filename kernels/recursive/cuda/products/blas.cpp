#include "kernels/recursive/cuda/products/blas.hpp"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "kernels/recursive/blas.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

using device::i64;

/// Opens cuBLAS if the loader finds it, or in the toolkit that the program was built with. Its interface has been the
/// same since version 12. @returns null if it is not found
void* open() {
  // Or else each handle would take 64 MiB of device memory.
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":0:0", 1);
  for (const std::string name : {"libcublas.so.13", "libcublas.so.12"}) {
    for (const std::string& file : {name, TERRACE_CUDA_LIBRARIES "/" + name}) {
      if (void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    }
  }
  return nullptr;
}

/// The library's functions. It stays loaded.
struct Library {
  void* handle = open();
  decltype(&cublasCreate) create = find<decltype(&cublasCreate)>("cublasCreate_v2");
  decltype(&cublasDestroy) destroy = find<decltype(&cublasDestroy)>("cublasDestroy_v2");
  decltype(&cublasSetStream) set_stream = find<decltype(&cublasSetStream)>("cublasSetStream_v2");
  decltype(&cublasSetWorkspace) set_workspace = find<decltype(&cublasSetWorkspace)>("cublasSetWorkspace_v2");
  decltype(&cublasSetMathMode) set_math_mode = find<decltype(&cublasSetMathMode)>("cublasSetMathMode");
  decltype(&cublasSgemm) sgemm = find<decltype(&cublasSgemm)>("cublasSgemm_v2");
  decltype(&cublasDgemm) dgemm = find<decltype(&cublasDgemm)>("cublasDgemm_v2");
  decltype(&cublasGetStatusString) text = find<decltype(&cublasGetStatusString)>("cublasGetStatusString");
  std::string kind = handle == nullptr ? "" : "cuBLAS " + version();

  void check(cublasStatus_t status, const char* call) const {
    if (status != CUBLAS_STATUS_SUCCESS) throw DeviceError(call, text(status));
  }

 private:
  template <class Call>
  Call find(const char* name) const {
    if (handle == nullptr) return nullptr;
    void* symbol = ::dlsym(handle, name);
    if (symbol == nullptr) throw DeviceError("cuBLAS", std::string("this one has no ") + name);
    return reinterpret_cast<Call>(symbol);
  }
  std::string version() const {
    const auto get = find<decltype(&cublasGetProperty)>("cublasGetProperty");
    std::string version;
    for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
      int number = 0;
      check(get(part, &number), "cublasGetProperty");
      version += (version.empty() ? "" : ".") + std::to_string(number);
    }
    return version;
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

class LoadedCudaBlas final : public CudaBlas {
 public:
  explicit LoadedCudaBlas(cudaStream_t stream) : handle_(create(), library().destroy) {
    library().check(library().set_stream(handle_.get(), stream), "cublasSetStream");
    library().check(library().set_workspace(handle_.get(), nullptr, 0), "cublasSetWorkspace");
    // Sums as long as they are asked for, in their own precision.
    library().check(library().set_math_mode(handle_.get(), CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  }

  void multiply(const BlasProduct<float>& product) override { submit(library().sgemm, product, "cublasSgemm"); }
  void multiply(const BlasProduct<double>& product) override { submit(library().dgemm, product, "cublasDgemm"); }

 private:
  static cublasHandle_t create() {
    cublasHandle_t handle = nullptr;
    library().check(library().create(&handle), "cublasCreate");
    return handle;
  }

  /// cuBLAS has matrices column after column, so that it is given all three turned over: x' <- x' + sign * v' * u'.
  template <class Gemm, class T>
  void submit(Gemm gemm, const BlasProduct<T>& p, const char* call) {
    const auto whole = [](i64 extent) { return static_cast<int>(extent); };
    // A matrix with a single row may have any stride.
    const auto stride = [&](i64 given, i64 columns) { return whole(std::max(given, columns)); };
    const T kept = 1;
    library().check(gemm(handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, whole(p.columns), whole(p.rows), whole(p.depth),
                         &p.sign, p.v, stride(p.v_stride, p.columns), p.u, stride(p.u_stride, p.depth), &kept, p.x,
                         stride(p.x_stride, p.columns)),
                    call);
  }

  std::unique_ptr<cublasContext, decltype(&cublasDestroy)> handle_;
};

}  // namespace

const std::string& cuda_blas_kind() { return library().kind; }

std::unique_ptr<CudaBlas> CudaBlas::make(cudaStream_t stream) {
  if (library().handle == nullptr) return nullptr;
  return std::make_unique<LoadedCudaBlas>(stream);
}

}  // namespace terrace::recursive
