// The common base of kernels on CUDA whose blocks are computed one after another: each is begun, computed and
// reported by kernels of one stream.
#pragma once

#include <atomic>
#include <cstring>

#include "kernels/device/cuda_context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/launch/kernel.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::device {

/// Blocks with descriptors of type Task and results of type Result. All blocks of a launch are ready before it is
/// submitted.
template <class Task, class Result, class Base = BlockKernel>
class CudaBlocks : public Base {
 public:
  void run(const Port& port) final {
    if (port.descriptor_bytes < sizeof(Task) || port.result_bytes < sizeof(Result)) {
      throw DeviceError(name_, "the port's descriptors or results are those of something else");
    }
    stream_ = compute_stream(context_);
    for (u64 block = port.first; block < port.first + port.count; ++block) {
      Task task;
      std::memcpy(&task, static_cast<const char*>(port.descriptors) + block % port.ring * port.descriptor_bytes,
                  sizeof task);
      if (!submit(port, block, task)) return;
    }
  }

 protected:
  /// @param name of what the blocks are, for messages
  CudaBlocks(const char* name, Context& context) : name_(name), context_(context), stream_(compute_stream(context)) {}

  /// Submits the kernels that begin a block, compute it and report it. @return false: no further block begins
  virtual bool submit(const Port& port, u64 block, const Task& task) = 0;

  /// Loads a kernel's code now, and not while blocks are computed (launch.cuh). @returns thread blocks that run at a
  /// time
  template <class... Parameters>
  static unsigned load(const Kernel<Parameters...>& kernel, unsigned threads, std::size_t shared_bytes = 0) {
    return resident_blocks(kernel, threads, shared_bytes);
  }
  LaunchShape shape(i64 blocks, unsigned threads, std::size_t shared_bytes = 0) const {
    return {
        .blocks = static_cast<unsigned>(blocks), .threads = threads, .shared_bytes = shared_bytes, .stream = stream_};
  }
  cudaStream_t stream() const { return stream_; }
  /// True where the host says stop or abort before `block`, as begin_next() has it on the device.
  static bool is_stopped(const Port& port, u64 block) {
    const auto load = [](u64& word) { return std::atomic_ref<u64>(word).load(std::memory_order_acquire); };
    const u64 stop = load(*port.stop);
    return load(*port.abort) != 0 || stop == 1 || (stop != 0 && load(*port.ready) <= block);
  }

 private:
  const char* name_;
  Context& context_;
  cudaStream_t stream_;
};

}  // namespace terrace::device
