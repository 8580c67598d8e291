// The CPU as a device.
#pragma once

#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/device/thread_pool.hpp"

namespace terrace::device {

/// A serial queue of launches with a thread of its own.
class ComputeQueue;

/// The context that make_cpu_context() makes; kernels of the CPU ask it for their threads.
class CpuContext : public Context {
 public:
  explicit CpuContext(int threads);
  ~CpuContext() override;

  const Limits& limits() const override { return limits_; }
  bool shares_host_memory() const override { return true; }
  void* allocate(std::size_t bytes) override;
  void release(void* memory, std::size_t bytes) noexcept override;
  void* allocate_host(std::size_t bytes) override;
  void release_host(void* memory, std::size_t bytes) noexcept override;
  void copy(Queue queue, void* target, const void* source, std::size_t bytes) override;
  void submit(std::function<void()> launch) override;
  std::unique_ptr<Event> record(Queue queue) override;

  /// The threads that kernels run on.
  ThreadPool& pool() { return pool_; }
  InstructionSet instruction_set() const { return instruction_set_; }

 private:
  InstructionSet instruction_set_;
  ThreadPool pool_;
  Limits limits_;
  std::unique_ptr<ComputeQueue> queue_;
};

}  // namespace terrace::device
