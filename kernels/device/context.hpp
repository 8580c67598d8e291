// One device as the executor sees it: memory, copies, launches. No globals; a context is handed down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace terrace::compiled {
class Store;
}

namespace terrace::device {

/// A point in the work of one queue of a context.
class Event {
 public:
  virtual ~Event() = default;
  /// True if everything submitted before the event has ended. Never blocks.
  /// @throws DeviceError when something submitted before failed
  virtual bool done() = 0;
  /// Blocks until it is. @throws DeviceError
  virtual void wait() = 0;
  /// Seconds from an earlier event of the same queue to this one, once both are done.
  virtual double seconds_since(const Event& earlier) const = 0;
};

/// Work submitted to one queue runs in order; the queues run in parallel.
enum class Queue { up, down, compute };

/// Properties of a device; rates are the ceilings that results are compared with, 0 if not known.
struct Limits {
  std::string name;                     // "NVIDIA H200", "AMD EPYC 7763, AVX2, 2 threads"
  std::string kind;                     // properties that fix bits: "cuda sm_90", "cpu avx2"
  std::size_t memory_bytes = 0;         // in all
  std::size_t free_bytes = 0;           // now; on the CPU within the limits of the machine and its cgroup
  int processors = 0;                   // SMs, or threads
  std::size_t block_shared_bytes = 0;   // shared memory that a launch may give a thread block; 0 on the CPU
  double memory_bytes_per_second = 0;   // device memory, read + write
  double link_bytes_per_second = 0;     // host to device, each way; 0 if memory is shared
  double operations_per_second = 0;     // 32-bit integer min/max/add operations
  double multiply_adds_per_second = 0;  // fused ones of f32; 0 if not known
};

/// Rows of equal length, in host or device memory.
struct Rows {
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  std::size_t bytes = 0;  // of a row
  std::size_t count = 1;
  std::size_t target_stride = 0, source_stride = 0;  // bytes from row to row
};

/// One device. Members may be called from one thread at a time, except where said. Destruction waits for all work.
class Context {
 public:
  virtual ~Context() = default;

  /// Where kernels that are compiled at run time come from (kernels/compiled/store.hpp); null: nowhere. It outlives
  /// the kernels.
  void take_modules_from(compiled::Store* store) { store_ = store; }
  compiled::Store* modules() const { return store_; }

  virtual const Limits& limits() const = 0;
  /// True if kernels work on host memory itself: then `allocate` is host memory and nothing is ever copied.
  virtual bool shares_host_memory() const = 0;

  /// Device memory, 256-byte aligned, not initialised. @throws DeviceError when there is none left
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory, std::size_t bytes) noexcept = 0;
  /// Host memory that the device's copies run from at full speed and that its kernels can reach at the same
  /// address (page-locked and mapped), 4096-byte aligned. Not to be called while a launch waits for the host; else
  /// several threads may call it at once, while another one calls other members.
  virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(void* memory, std::size_t bytes) noexcept = 0;

  /// Copies between host memory from `allocate_host`, memory of this device and of devices that it reaches; returns
  /// at once.
  virtual void copy(Queue queue, void* target, const void* source, std::size_t bytes) = 0;
  /// The same of rows.
  virtual void copy_rows(Queue queue, const Rows& rows) {
    for (std::size_t row = 0; row < rows.count; ++row) {
      copy(queue, rows.target + row * rows.target_stride, rows.source + row * rows.source_stride, rows.bytes);
    }
  }
  /// True if copies of this device reach the memory of another device directly.
  virtual bool reaches(const Context&) { return false; }
  /// Calls `launch`, which may submit work to this context's compute queue: at once and on the calling thread if
  /// launches are asynchronous themselves (CUDA), else on the queue's own thread. An exception of `launch` is thrown
  /// again by the next event of the queue.
  virtual void submit(std::function<void()> launch) = 0;
  virtual std::unique_ptr<Event> record(Queue queue) = 0;

 private:
  compiled::Store* store_ = nullptr;
};

/// The CPU of this machine with `threads` threads (0: as many as the process may use); its kernels work in host
/// memory.
std::unique_ptr<Context> make_cpu_context(int threads = 0);

/// The CUDA devices that can be used here, in the driver's order; empty without a toolkit, driver or GPU.
/// `why_none` then says why.
std::vector<Limits> cuda_devices(std::string* why_none = nullptr);
/// Opens CUDA device `index` (see cuda_devices). @throws DeviceError
std::unique_ptr<Context> make_cuda_context(int index);
/// True if the CUDA kernels of this program were compiled to check them (TERRACE_CUDA_UNOPTIMISED of CMake): they
/// compute the same, slowly.
bool cuda_unoptimised();

}  // namespace terrace::device
