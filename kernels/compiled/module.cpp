#include "kernels/compiled/module.hpp"

#include <cuda.h>

#include "kernels/device/cuda_check.hpp"

// Libraries of kernels belong to no context: the driver loads them into that of a device when they are first used
// there.
namespace terrace::compiled {
namespace {

/// A function of the driver, with which the program is not linked: machines without a GPU have none.
template <class Call>
Call driver_call(const char* name) {
  void* call = nullptr;
#if CUDART_VERSION >= 12050
  TERRACE_CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &call, 12000, cudaEnableDefault));
#else
  TERRACE_CUDA_CHECK(cudaGetDriverEntryPoint(name, &call, cudaEnableDefault));
#endif
  if (call == nullptr) throw DeviceError(name, "the driver has no such function: it is older than CUDA 12");
  return reinterpret_cast<Call>(call);
}

struct Driver {
  decltype(&cuGetErrorString) text = driver_call<decltype(&cuGetErrorString)>("cuGetErrorString");
  decltype(&cuLibraryLoadData) load = driver_call<decltype(&cuLibraryLoadData)>("cuLibraryLoadData");
  decltype(&cuLibraryUnload) unload = driver_call<decltype(&cuLibraryUnload)>("cuLibraryUnload");
  decltype(&cuLibraryGetKernel) get_kernel = driver_call<decltype(&cuLibraryGetKernel)>("cuLibraryGetKernel");

  void check(CUresult result, const std::string& call) const {
    if (result == CUDA_SUCCESS) return;
    const char* words = "an unknown error";
    text(result, &words);
    throw DeviceError(call, words);
  }
};

const Driver& driver() {
  static const Driver found;
  return found;
}

}  // namespace

Module::Module(const Binary& binary) : compiler_(binary.compiler), bytes_(binary.bytes.size()) {
  const Driver& calls = driver();
  CUlibrary library = nullptr;
  calls.check(calls.load(&library, binary.bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              "cuLibraryLoadData");
  library_ = std::shared_ptr<void>(library, [&calls](void* loaded) { calls.unload(static_cast<CUlibrary>(loaded)); });
  for (const std::string& symbol : binary.symbols) {
    CUkernel kernel = nullptr;
    calls.check(calls.get_kernel(&kernel, library, symbol.c_str()), "cuLibraryGetKernel of " + symbol);
    kernels_.push_back(kernel);
  }
}

int Module::local_bytes(std::size_t number) const {
  cudaFuncAttributes attributes{};
  TERRACE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel(number)));
  return static_cast<int>(attributes.localSizeBytes);
}

}  // namespace terrace::compiled
