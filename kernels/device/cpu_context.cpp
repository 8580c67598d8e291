#include "kernels/device/cpu_context.hpp"

#include <sys/mman.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/device/compute_queue.hpp"
#include "kernels/device/cpu_rates.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::device {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Large pieces begin on huge pages, where the system has some: a band of rows touches a page a row.
void* allocate_aligned(std::size_t bytes, std::size_t alignment, std::size_t most) {
  const bool huge = bytes >= 2 * huge_page;
  if (huge) alignment = huge_page;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  // More than the machine has is refused here: the C library may promise what it cannot keep.
  void* memory = bytes > most ? nullptr : std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (memory == nullptr) {
    throw DeviceError("allocate", "no room for " + format_size(static_cast<double>(bytes)) +
                                      " of memory; give the job a smaller memory budget");
  }
  if (huge) madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
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
  const CpuRates rates = measure_cpu_rates(set, threads);
  limits.operations_per_second = rates.operations_per_second;
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
void CpuContext::release(void* memory, std::size_t) noexcept { std::free(memory); }
void* CpuContext::allocate_host(std::size_t bytes) { return allocate_aligned(bytes, page, limits_.memory_bytes); }
void CpuContext::release_host(void* memory, std::size_t) noexcept { std::free(memory); }

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
