#include "kernels/device/touched_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <thread>
#include <vector>

#include "pipeline/base/rounding.hpp"

namespace terrace::device {
namespace {

constexpr unsigned most_threads = 4;  // more wait for the kernel's lock on the address space

/// Makes the pages of a range there; whether they are. A system that knows no such advice makes them when they are
/// written to.
bool touch(char* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(memory, bytes, MADV_POPULATE_WRITE) == 0) return true;
  if (errno != EINVAL) return false;
#endif
  for (std::size_t at = 0; at < bytes; at += page_bytes) *static_cast<volatile char*>(memory + at) = 0;
  return true;
}

}  // namespace

void* map_touched(std::size_t bytes) {
  const std::size_t length = whole_pages(bytes);
  void* mapped = mmap(nullptr, length + huge_page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<char*>(mapped);
  auto* memory = begin + (rounded_up(reinterpret_cast<std::uintptr_t>(begin), huge_page_bytes) -
                          reinterpret_cast<std::uintptr_t>(begin));
  if (memory > begin) munmap(begin, static_cast<std::size_t>(memory - begin));
  munmap(memory + length, static_cast<std::size_t>(begin + huge_page_bytes - memory));
  madvise(memory, length, MADV_HUGEPAGE);
  const std::size_t threads = std::clamp(std::thread::hardware_concurrency(), 1u, most_threads);
  const std::size_t part = rounded_up(ceiling(length, threads), huge_page_bytes);
  std::atomic<bool> there = true;
  {
    std::vector<std::jthread> touching;
    for (std::size_t at = 0; at < length; at += part) {
      touching.emplace_back([&, at] {
        if (!touch(memory + at, std::min(part, length - at))) there = false;
      });
    }
  }
  if (there) return memory;
  unmap_touched(memory, bytes);
  return nullptr;
}

void unmap_touched(void* memory, std::size_t bytes) noexcept { munmap(memory, whole_pages(bytes)); }

}  // namespace terrace::device
