// The CUDA side of the device layer in a build without the toolkit.
#include "kernels/device/context.hpp"
#include "kernels/device/cuda_toolkit.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::device {

std::vector<Limits> cuda_devices(std::string* why_none) {
  if (why_none) *why_none = "this program was built without the CUDA Toolkit";
  return {};
}

std::unique_ptr<Context> make_cuda_context(int index) {
  throw DeviceError("CUDA device " + std::to_string(index), "this program was built without the CUDA Toolkit");
}

std::string cuda_toolkit() { return {}; }

bool cuda_unoptimised() { return false; }

}  // namespace terrace::device
