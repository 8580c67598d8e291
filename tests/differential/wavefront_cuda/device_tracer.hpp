// Tools for tests of walks on CUDA: memory that both sides reach, and a tracer with its workspace.
#pragma once

#include <memory_resource>

#include "kernels/wavefront/cuda/trace/tracer.hpp"
#include "tests/support/cuda_table.hpp"

namespace terrace::wavefront::test {

/// Host memory that the device reaches at the same address; reset() frees all of it.
class PinnedArena {
 public:
  explicit PinnedArena(device::Context& context)
      : memory_(context, std::size_t{64} << 20, device::In::host),
        resource_(memory_.as<>(), memory_.bytes(), std::pmr::null_memory_resource()) {}
  std::pmr::memory_resource* resource() { return &resource_; }
  void reset() { resource_.release(); }

 private:
  device::Memory memory_;
  std::pmr::monotonic_buffer_resource resource_;
};

/// A tracer with its workspace.
class DeviceTracer {
 public:
  using Make = std::unique_ptr<device::BlockKernel>(const TraceSpec&, device::Context&, void*, const CudaTrial&);

  DeviceTracer(device::Context& context, const TraceSpec& spec, const CudaTrial& trial, Make* make)
      : context_(context),
        workspace_(context, cuda_trace_bytes(spec)),
        tracer_(make(spec, context, workspace_.as<>(), trial)) {}

  void run(const device::Port& port) {
    tracer_->run(port);
    context_.record(device::Queue::compute)->wait();
  }

 private:
  device::Context& context_;
  device::Memory workspace_;
  std::unique_ptr<device::BlockKernel> tracer_;
};

}  // namespace terrace::wavefront::test
