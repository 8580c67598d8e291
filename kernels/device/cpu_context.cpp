#include "kernels/device/cpu_context.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/device/compute_queue.hpp"
#include "kernels/device/cpu_rates.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::device {
namespace {

[[noreturn]] void fail_allocation(std::size_t bytes) {
  throw DeviceError("allocate", "no room for " + format_size(static_cast<double>(bytes)) +
                                    " of memory; give the job a smaller memory budget");
}

/// Pieces of this size and more are mapped from the system and unmapped again. The C library would keep freed pieces,
/// and fill the space between pieces of many sizes: twice a budget's memory was seen.
constexpr std::size_t mapped_from = std::size_t{128} << 10;

/// Large pieces begin on huge pages, where the system has some: a band of rows touches a page a row. None is longer
/// than it must be.
void* map_pages(std::size_t bytes) {
  const bool huge = bytes >= 2 * huge_page_bytes;
  const std::size_t whole = whole_pages(bytes);
  const std::size_t slack = huge ? huge_page_bytes - page_bytes : 0;
  void* mapped = mmap(nullptr, whole + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) fail_allocation(bytes);
  if (!huge) return mapped;
  char* const first = static_cast<char*>(mapped);
  const std::size_t before = rounded_up(reinterpret_cast<std::uintptr_t>(mapped), huge_page_bytes) -
                             reinterpret_cast<std::uintptr_t>(mapped);
  if (before > 0) munmap(first, before);
  if (before < slack) munmap(first + before + whole, slack - before);
  madvise(first + before, whole, MADV_HUGEPAGE);
  return first + before;
}

void* allocate_aligned(std::size_t bytes, std::size_t alignment, std::size_t most) {
  // More memory than the machine has is refused here: the system may promise what it cannot keep.
  if (bytes > most) fail_allocation(bytes);
  if (bytes >= mapped_from) return map_pages(bytes);
  void* memory = std::aligned_alloc(alignment, std::max(alignment, rounded_up(bytes, alignment)));
  if (memory == nullptr) fail_allocation(bytes);
  return memory;
}

void release_aligned(void* memory, std::size_t bytes) noexcept {
  if (memory != nullptr && bytes >= mapped_from) munmap(memory, whole_pages(bytes));
  else std::free(memory);
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return result;
}

Limits measure(int threads, InstructionSet set) {
  const MemoryRoom room = memory_room();
  Limits limits;
  limits.name = cpu_model_name() + ", " + upper(name_of(set)) + ", " + std::to_string(threads) +
                (threads == 1 ? " thread" : " threads");
  limits.kind = "cpu " + std::string(name_of(set));
  limits.memory_bytes = room.total;
  limits.free_bytes = room.free;
  limits.processors = threads;
  const CpuRates rates = cpu_rates(set, threads);
  limits.operations_per_second = rates.operations_per_second;
  limits.multiply_adds_per_second = rates.multiply_adds_per_second;
  limits.memory_bytes_per_second = rates.memory_bytes_per_second;
  return limits;
}

}  // namespace

CpuContext::CpuContext(int threads)
    : instruction_set_(best_instruction_set()),
      pool_(threads > 0 ? threads : usable_threads()),
      limits_(measure(pool_.size(), instruction_set_)),
      queue_(std::make_unique<ComputeQueue>()) {}

CpuContext::~CpuContext() = default;

void* CpuContext::allocate(std::size_t bytes) { return allocate_aligned(bytes, 256, limits_.memory_bytes); }
void CpuContext::release(void* memory, std::size_t bytes) noexcept { release_aligned(memory, bytes); }
void* CpuContext::allocate_host(std::size_t bytes) {
  return allocate_aligned(bytes, page_bytes, limits_.memory_bytes);
}
void CpuContext::release_host(void* memory, std::size_t bytes) noexcept { release_aligned(memory, bytes); }

void CpuContext::copy(Queue queue, void* target, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  if (queue == Queue::compute) {
    queue_->submit([=] { std::memcpy(target, source, bytes); });
  } else {
    std::memcpy(target, source, bytes);
  }
}

void CpuContext::submit(std::function<void()> launch) { queue_->submit(std::move(launch)); }

std::unique_ptr<Event> CpuContext::record(Queue queue) {
  if (queue == Queue::compute) return queue_->record();
  auto state = std::make_shared<EventState>();
  complete(*state, nullptr);
  return std::make_unique<QueueEvent>(std::move(state));
}

std::unique_ptr<Context> make_cpu_context(int threads) { return std::make_unique<CpuContext>(threads); }

}  // namespace terrace::device
