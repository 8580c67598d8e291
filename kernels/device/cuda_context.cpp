#include "kernels/device/cuda_context.hpp"

#include <exception>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/cuda_limits.hpp"
#include "kernels/device/touched_memory.hpp"

namespace terrace::device {
namespace {

constexpr std::size_t least_touched = 2u << 20;  // bytes from which pinning touched memory is faster

/// CUDA events that are used again: nothing is created while a launch waits for the host, once enough are there.
class EventPool {
 public:
  explicit EventPool(int device) : device_(device) {}
  ~EventPool() {
    cudaSetDevice(device_);
    for (cudaEvent_t event : free_) cudaEventDestroy(event);
  }
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  cudaEvent_t take() {
    if (!free_.empty()) {
      cudaEvent_t event = free_.back();
      free_.pop_back();
      return event;
    }
    cudaEvent_t event = nullptr;
    TERRACE_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventBlockingSync));
    return event;
  }
  void put(cudaEvent_t event) { free_.push_back(event); }

 private:
  int device_;
  std::vector<cudaEvent_t> free_;
};

class CudaEvent final : public Event {
 public:
  CudaEvent(std::shared_ptr<EventPool> pool, cudaStream_t stream, std::exception_ptr failure)
      : pool_(std::move(pool)), event_(pool_->take()), failure_(std::move(failure)) {
    const cudaError_t status = cudaEventRecord(event_, stream);
    if (status == cudaSuccess) return;
    pool_->put(event_);
    check_cuda(status, "cudaEventRecord");
  }
  ~CudaEvent() override { pool_->put(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  bool done() override {
    rethrow();
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) return false;
    check_cuda(status, "cudaEventQuery");
    return true;
  }
  void wait() override {
    rethrow();
    TERRACE_CUDA_CHECK(cudaEventSynchronize(event_));
  }
  double seconds_since(const Event& earlier) const override {
    const auto* from = dynamic_cast<const CudaEvent*>(&earlier);
    if (!from) throw DeviceError("seconds_since", "the earlier event is of another device");
    float milliseconds = 0;
    TERRACE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, from->event_, event_));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  std::shared_ptr<EventPool> pool_;
  cudaEvent_t event_;
  std::exception_ptr failure_;
};

class CudaContext final : public Context {
 public:
  explicit CudaContext(int index) : index_(index), limits_(cuda_limits(index)) {
    for (cudaStream_t& stream : streams_) {
      TERRACE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
  }
  ~CudaContext() override {
    cudaSetDevice(index_);
    for (cudaStream_t stream : streams_) {
      if (!stream) continue;
      cudaStreamSynchronize(stream);
      cudaStreamDestroy(stream);
    }
  }
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  const Limits& limits() const override { return limits_; }
  bool shares_host_memory() const override { return false; }

  void* allocate(std::size_t bytes) override {
    make_current();
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes ? bytes : 1);
    if (status == cudaErrorMemoryAllocation) cudaGetLastError();  // it is no lasting error: clear it
    check_cuda(status, ("cudaMalloc of " + std::to_string(bytes) + " bytes").c_str());
    use_.device_bytes += bytes;
    return memory;
  }
  void release(void* memory, std::size_t bytes) noexcept override {
    if (!memory) return;
    cudaSetDevice(index_);
    cudaFree(memory);
    use_.device_bytes -= bytes;
  }
  void* allocate_host(std::size_t bytes) override {
    make_current();
    void* memory = bytes < least_touched ? nullptr : pin_touched(bytes);
    if (memory) return memory;
    const cudaError_t status = cudaHostAlloc(&memory, bytes ? bytes : 1, cudaHostAllocMapped | cudaHostAllocPortable);
    if (status == cudaErrorMemoryAllocation) cudaGetLastError();
    check_cuda(status, ("cudaHostAlloc of " + std::to_string(bytes) + " bytes").c_str());
    const std::lock_guard lock(host_mutex_);
    use_.host_bytes += bytes;
    return memory;
  }
  void release_host(void* memory, std::size_t bytes) noexcept override {
    if (!memory) return;
    cudaSetDevice(index_);
    bool was_touched = false;
    {
      const std::lock_guard lock(host_mutex_);
      was_touched = touched_.erase(memory) > 0;
      use_.host_bytes -= bytes;
    }
    if (!was_touched) {
      cudaFreeHost(memory);
    } else {
      cudaHostUnregister(memory);
      unmap_touched(memory, bytes);
    }
  }

  void copy(Queue queue, void* target, const void* source, std::size_t bytes) override {
    make_current();
    TERRACE_CUDA_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream(queue)));
  }
  void copy_rows(Queue queue, const Rows& rows) override {
    if (rows.count == 1) return copy(queue, rows.target, rows.source, rows.bytes);
    make_current();
    TERRACE_CUDA_CHECK(cudaMemcpy2DAsync(rows.target, rows.target_stride, rows.source, rows.source_stride, rows.bytes,
                                         rows.count, cudaMemcpyDefault, stream(queue)));
  }
  bool reaches(const Context& context) override {
    const auto* other = dynamic_cast<const CudaContext*>(&context);
    if (other == nullptr || other == this) return other == this;
    int can = 0;
    TERRACE_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, index_, other->index_));
    if (can == 0) return false;
    make_current();
    const cudaError_t status = cudaDeviceEnablePeerAccess(other->index_, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
    else check_cuda(status, "cudaDeviceEnablePeerAccess");
    return true;
  }
  void submit(std::function<void()> launch) override {
    make_current();
    try {
      launch();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }
  std::unique_ptr<Event> record(Queue queue) override {
    make_current();
    std::exception_ptr failure;
    if (queue == Queue::compute) std::swap(failure, failure_);
    return std::make_unique<CudaEvent>(events_, stream(queue), std::move(failure));
  }

  cudaStream_t stream(Queue queue) const { return streams_[static_cast<std::size_t>(queue)]; }
  void make_current() const { TERRACE_CUDA_CHECK(cudaSetDevice(index_)); }
  MemoryUse use() const {
    const std::lock_guard lock(host_mutex_);
    return use_;
  }

 private:
  /// Null if memory that is not the runtime's own cannot be pinned.
  void* pin_touched(std::size_t bytes) {
    void* memory = map_touched(bytes);
    if (!memory) return nullptr;
    if (cudaHostRegister(memory, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable) == cudaSuccess) {
      const std::lock_guard lock(host_mutex_);
      touched_.insert(memory);
      use_.host_bytes += bytes;
      return memory;
    }
    cudaGetLastError();
    unmap_touched(memory, bytes);
    return nullptr;
  }

  int index_;
  Limits limits_;
  cudaStream_t streams_[3] = {};
  std::shared_ptr<EventPool> events_ = std::make_shared<EventPool>(index_);
  std::exception_ptr failure_;         // of a launch, not yet reported
  mutable std::mutex host_mutex_;      // guards the ranges of host memory and their total
  std::unordered_set<void*> touched_;  // host memory that was pinned after it was mapped
  MemoryUse use_;
};

const CudaContext& as_cuda(const Context& context) {
  const auto* cuda = dynamic_cast<const CudaContext*>(&context);
  if (!cuda) throw DeviceError("CUDA launch", "the context is not one of a CUDA device");
  return *cuda;
}

}  // namespace

cudaStream_t compute_stream(Context& context) {
  const CudaContext& cuda = as_cuda(context);
  cuda.make_current();
  return cuda.stream(Queue::compute);
}

MemoryUse memory_use(const Context& context) { return as_cuda(context).use(); }

std::vector<Limits> cuda_devices(std::string* why_none) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    if (why_none) *why_none = status == cudaSuccess ? "the driver knows no CUDA device" : cudaGetErrorString(status);
    return {};
  }
  std::vector<Limits> devices;
  for (int index = 0; index < count; ++index) devices.push_back(cuda_limits(index));
  return devices;
}

std::unique_ptr<Context> make_cuda_context(int index) {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    cudaGetLastError();
    check_cuda(status, "cudaGetDeviceCount");
  }
  if (index < 0 || index >= count) {
    throw DeviceError("CUDA device " + std::to_string(index),
                      "there are " + std::to_string(count) + " devices, numbered from 0");
  }
  return std::make_unique<CudaContext>(index);
}

}  // namespace terrace::device
