// The CUDA runtime's functions that launches of the program call take kernels that were compiled at run time.
#include <cuda_runtime.h>

#include <catch2/catch.hpp>

#include "kernels/compiled/store.hpp"
#include "kernels/device/cuda_check.hpp"
#include "samples.hpp"
#include "tests/support/cuda_device.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::compiled {
namespace {

TEST_CASE("the attributes and the occupancy of a kernel that was compiled at run time are known") {
  const std::unique_ptr<device::Context> context = test::cuda_context();
  if (!context || !test::has_compiler()) return;
  const test::TempFolder folder;
  Store store{folder / "modules"};
  const std::shared_ptr<const Module> module = store.module(test::step_source(), *context);
  const void* kernel = module->kernel(0);

  cudaFuncAttributes attributes{};
  TERRACE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  CHECK(attributes.numRegs > 0);
  CHECK("sm_" + std::to_string(attributes.binaryVersion) == context->limits().kind.substr(5));
  constexpr int shared_bytes = 96 << 10;
  TERRACE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  TERRACE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  CHECK(attributes.maxDynamicSharedSizeBytes == shared_bytes);
  int blocks = 0;
  TERRACE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, shared_bytes));
  CHECK(blocks == 2);
  std::cout << "step_kernel: " << attributes.numRegs << " registers, " << attributes.localSizeBytes
            << " bytes of local memory" << std::endl;
}

}  // namespace
}  // namespace terrace::compiled
