// Kernels that were compiled at run time, launched.
#include "kernels/launch/launch.cuh"

#include <catch2/catch.hpp>
#include <numeric>

#include "kernels/compiled/store.hpp"
#include "kernels/device/cuda_context.hpp"
#include "kernels/device/memory.hpp"
#include "samples.hpp"
#include "tests/support/cuda_device.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::compiled {
namespace {

constexpr unsigned threads = 64, blocks = 5, count = threads * blocks - 3;
constexpr std::size_t shared_bytes = 96 << 10;  // more than a kernel has if nobody raises its limit

/// Adds arrays by way of shared memory.
Source add_source() {
  return {R"(
#include "kernels/device/host_device.hpp"
#include "kernels/device/instructions.cuh"

namespace sample {
struct Sum {
  template <class T>
  TERRACE_HOST_DEVICE static T of(T a, T b) { return a + b; }
};
struct Task {
  const double *a, *b;
  double* sums;
  unsigned count;
};
template <class F>
__global__ void add_kernel(const Task task) {
  auto* values = reinterpret_cast<double*>(terrace::device::launch_shared_memory());
  const unsigned last = blockDim.x - 1 - threadIdx.x;
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x, mirrored = blockIdx.x * blockDim.x + last;
  values[last] = mirrored < task.count ? task.a[mirrored] : 0;
  __syncthreads();
  if (at < task.count) task.sums[at] = F::of(values[threadIdx.x], task.b[at]);
}
}  // namespace sample
)",
          {"sample::add_kernel<sample::Sum>"}};
}

struct Task {
  const double *a, *b;
  double* sums;
  unsigned count;
};

TEST_CASE("a kernel that was compiled at run time is launched as those of the program are") {
  const std::unique_ptr<device::Context> context = test::cuda_context();
  if (!context || !test::has_compiler()) return;
  const test::TempFolder folder;
  Store store{folder / "modules"};
  const std::shared_ptr<const Module> module = store.module(add_source(), *context);
  const device::Kernel<Task> kernel{module->kernel(0), "add_kernel"};

  constexpr std::size_t bytes = 3 * count * sizeof(double);
  const device::Memory on_host(*context, bytes, device::In::host), on_device(*context, bytes);
  auto *host = on_host.as<double>(), *values = on_device.as<double>();
  std::iota(host, host + 3 * count, 0.5);
  CHECK(device::resident_blocks(kernel, threads, shared_bytes) >= 1);
  context->copy(device::Queue::compute, values, host, bytes);
  device::launch(kernel,
                 {.blocks = blocks,
                  .threads = threads,
                  .shared_bytes = shared_bytes,
                  .stream = device::compute_stream(*context)},
                 Task{values, values + count, values + 2 * count, count});
  context->copy(device::Queue::compute, host, values, bytes);
  context->record(device::Queue::compute)->wait();
  for (unsigned i = 0; i < count; ++i) REQUIRE(host[2 * count + i] == host[i] + host[count + i]);
}

}  // namespace
}  // namespace terrace::compiled
