// The functions of the CUDA runtime, for the simulated device.
#include <cuda_runtime.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/simulated_gpu/grid.hpp"
#include "tests/simulated_gpu/thread_block.hpp"

namespace simulated_gpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t memory_bytes = std::size_t{8} << 30;
constexpr unsigned most_threads = 1024;

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::max(1, std::atoi(text));
}

/// Memory in pages of its own between two that nobody may touch: an access around it ends the program. Pages that
/// were released are used again. Large memory has no such pages, since the kernel takes long to map it.
class GuardedMemory {
 public:
  static constexpr std::size_t page = 4096, most_pages = 64, small = 16 * page;

  /// @return memory that ends at such a page, but for its alignment: 256, or a page if it is not small; null if there
  /// is none
  void* allocate(std::size_t bytes) {
    const std::size_t pages = pages_of(bytes);
    if (pages > most_pages) return ::operator new (bytes, std::align_val_t{page}, std::nothrow);
    std::vector<char*>& free = free_[pages];
    if (free.empty()) {
      char* mapped = map(pages);
      if (mapped == nullptr) return nullptr;
      free.push_back(mapped);
    }
    char* first = free.back();
    free.pop_back();
    return first + pages * page - aligned(bytes);
  }
  void release(void* memory, std::size_t bytes) {
    const std::size_t pages = pages_of(bytes);
    if (pages > most_pages) ::operator delete (memory, std::align_val_t{page});
    else free_[pages].push_back(static_cast<char*>(memory) + aligned(bytes) - pages * page);
  }

 private:
  static char* map(std::size_t pages) {
    void* all = mmap(nullptr, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    char* first = static_cast<char*>(all) + page;
    return mprotect(first, pages * page, PROT_READ | PROT_WRITE) == 0 ? first : nullptr;
  }
  static constexpr std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }
  static constexpr std::size_t aligned(std::size_t bytes) { return rounded_up(bytes, bytes < small ? 256 : page); }
  static constexpr std::size_t pages_of(std::size_t bytes) { return (aligned(bytes) + page - 1) / page; }

  std::array<std::vector<char*>, most_pages + 1> free_;
};

/// Memory of the devices, or host memory that they see.
class Allocations {
 public:
  explicit Allocations(std::size_t budget) : free_(budget) {}

  cudaError_t allocate(void** memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > free_) return cudaErrorMemoryAllocation;
    *memory = guarded_.allocate(bytes);
    if (*memory == nullptr) return cudaErrorMemoryAllocation;
    if (bytes <= most_marked) std::memset(*memory, unwritten, bytes);
    free_ -= bytes;
    sizes_[static_cast<const char*>(*memory)] = bytes;
    return cudaSuccess;
  }
  cudaError_t release(void* memory) {
    if (memory == nullptr) return cudaSuccess;
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(static_cast<const char*>(memory));
    if (found == sizes_.end()) return cudaErrorInvalidValue;
    free_ += found->second;
    guarded_.release(memory, found->second);
    sizes_.erase(found);
    return cudaSuccess;
  }
  /// Memory of the caller's own, and no longer.
  cudaError_t add(void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    sizes_[static_cast<const char*>(memory)] = bytes;
    return cudaSuccess;
  }
  cudaError_t forget(void* memory) {
    const std::lock_guard lock(mutex_);
    return sizes_.erase(static_cast<const char*>(memory)) == 1 ? cudaSuccess : cudaErrorInvalidValue;
  }
  /// True if [memory, memory + bytes) lies in one of them; nullopt if it begins in none.
  std::optional<bool> holds(const void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const char* at = static_cast<const char*>(memory);
    auto after = sizes_.upper_bound(at);
    if (after == sizes_.begin()) return std::nullopt;
    --after;
    const std::size_t offset = static_cast<std::size_t>(at - after->first);
    if (offset >= after->second) return std::nullopt;
    return offset + bytes <= after->second;
  }
  std::size_t free_bytes() {
    const std::lock_guard lock(mutex_);
    return free_;
  }

 private:
  static constexpr std::size_t most_marked = std::size_t{64} << 20;
  GuardedMemory guarded_;
  std::mutex mutex_;
  std::map<const char*, std::size_t> sizes_;
  std::size_t free_;
};

Allocations& device_memory() {
  static Allocations allocations(memory_bytes);
  return allocations;
}
Allocations& host_memory() {
  static Allocations allocations(~std::size_t{0});
  return allocations;
}

thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t ended_with(cudaError_t status) {
  if (status != cudaSuccess && status != cudaErrorNotReady) last_error = status;
  return status;
}

}  // namespace

/// Runs submitted work, one after another.
class Stream {
 public:
  Stream() : worker_([this] { work(); }) {}
  ~Stream() {
    submit({});
    worker_.join();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void submit(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tasks_.empty(); });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      const std::function<void()> task = tasks_.front();
      if (!task) return;
      lock.unlock();
      task();
      lock.lock();
      tasks_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread worker_;  // last: it uses the others
};

/// All streams of the process.
class Streams {
 public:
  Stream* add() {
    const std::lock_guard lock(mutex_);
    return streams_.emplace_back(std::make_unique<Stream>()).get();
  }
  void remove(Stream* stream) {
    stream->wait();
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&](const auto& one) { return one.get() == stream; });
  }
  void wait() {
    const std::lock_guard lock(mutex_);
    for (const auto& stream : streams_) stream->wait();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

Streams& streams() {
  static Streams all;
  return all;
}

class Event {
 public:
  void record(Stream& stream) {
    {
      const std::lock_guard lock(mutex_);
      ++recorded_;
    }
    stream.submit([this] {
      const std::lock_guard lock(mutex_);
      ++reached_;
      time_ = Clock::now();
      changed_.notify_all();
    });
  }
  bool done() {
    const std::lock_guard lock(mutex_);
    return reached_ == recorded_;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reached_ == recorded_; });
  }
  Clock::time_point time() {
    const std::lock_guard lock(mutex_);
    return time_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int recorded_ = 0, reached_ = 0;
  Clock::time_point time_;
};

int processors() {
  static const int count = setting("TERRACE_SIMULATED_PROCESSORS", 4);
  return count;
}

std::size_t most_shared_bytes() {
  static const auto kibibytes = static_cast<std::size_t>(setting("TERRACE_SIMULATED_SHARED_KIBIBYTES", 227));
  return kibibytes << 10;
}

bool fits(const GridShape& shape) {
  return shape.threads > 0 && shape.threads <= most_threads && shape.shared_bytes <= most_shared_bytes();
}

cudaError_t launch(const GridShape& shape, std::function<void()> thread, cudaStream_t stream) {
  if (!fits(shape) || shape.blocks == 0) return ended_with(cudaErrorInvalidConfiguration);
  static std::atomic<std::uint64_t> launches = static_cast<std::uint64_t>(setting("TERRACE_SIMULATED_SEED", 1));
  const std::uint64_t seed = ++launches * 0x9E3779B97F4A7C15ull;
  stream->submit([shape, seed, thread = std::move(thread)] {
    std::atomic<unsigned> next = 0;
    std::vector<std::thread> resident;
    const unsigned count = std::min(shape.blocks, static_cast<unsigned>(processors()));
    for (unsigned processor = 0; processor < count; ++processor) {
      resident.emplace_back([&] {
        Stacks stacks = stack_store().take();
        for (unsigned index = next++; index < shape.blocks; index = next++) {
          ThreadBlock(index, shape.blocks, shape.threads, shape.shared_bytes, seed ^ index * 0xD1B54A32D192ED03ull)
              .run(thread, stacks);
        }
        stack_store().give(std::move(stacks));
      });
    }
    for (std::thread& block : resident) block.join();
  });
  return cudaSuccess;
}

}  // namespace simulated_gpu

using namespace simulated_gpu;

const char* cudaGetErrorName(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorPeerAccessAlreadyEnabled:
      return "cudaErrorPeerAccessAlreadyEnabled";
  }
  return "unknown";
}
const char* cudaGetErrorString(cudaError_t status) { return cudaGetErrorName(status); }
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = setting("TERRACE_SIMULATED_DEVICES", 1);
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  int count = 0;
  cudaGetDeviceCount(&count);
  if (device < 0 || device >= count) return ended_with(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return peer == current_device ? ended_with(cudaErrorInvalidDevice) : cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {"simulated GPU", 9, 0, processors()};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrClockRate:
      *value = setting("TERRACE_SIMULATED_KILOHERTZ", 1'000'000);
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = processors();
      break;
    case cudaDevAttrMemoryClockRate:
      *value = 1'000'000;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = 64;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(most_shared_bytes());
      break;
  }
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = device_memory().free_bytes();
  *total_bytes = memory_bytes;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return ended_with(device_memory().allocate(memory, bytes));
}
/// Like the runtime's, it waits for all that was submitted.
cudaError_t cudaFree(void* memory) {
  streams().wait();
  return ended_with(device_memory().release(memory));
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return ended_with(host_memory().allocate(memory, bytes));
}
cudaError_t cudaFreeHost(void* memory) {
  streams().wait();
  return ended_with(host_memory().release(memory));
}
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  return ended_with(host_memory().add(memory, bytes));
}
cudaError_t cudaHostUnregister(void* memory) {
  streams().wait();
  return ended_with(host_memory().forget(memory));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = streams().add();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  streams().remove(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  stream->wait();
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  const auto place_of = [&](const void* memory) {
    const std::optional<bool> on_device = device_memory().holds(memory, bytes);
    return on_device ? on_device : host_memory().holds(memory, bytes);
  };
  const std::optional<bool> to = place_of(target), from = place_of(source);
  if (!to.value_or(true) || !from.value_or(true)) return ended_with(cudaErrorInvalidValue);
  if (!from) {  // pageable memory is read before the call returns
    std::vector<char> staged(static_cast<const char*>(source), static_cast<const char*>(source) + bytes);
    stream->submit([target, staged = std::move(staged)] { std::memcpy(target, staged.data(), staged.size()); });
  } else {
    stream->submit([target, source, bytes] { std::memmove(target, source, bytes); });
  }
  if (!to) stream->wait();  // and written before it does
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* target, std::size_t target_pitch, const void* source, std::size_t source_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t status =
        cudaMemcpyAsync(static_cast<char*>(target) + row * target_pitch,
                        static_cast<const char*>(source) + row * source_pitch, width, kind, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t stream) {
  if (bytes > 0 && device_memory().holds(target, bytes) != true) return ended_with(cudaErrorInvalidValue);
  stream->submit([target, value, bytes] { std::memset(target, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new Event;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->record(*stream);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return event->done() ? cudaSuccess : cudaErrorNotReady; }
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  event->wait();
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  *milliseconds = std::chrono::duration<float, std::milli>(to->time() - from->time()).count();
  return cudaSuccess;
}
