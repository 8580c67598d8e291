#include <algorithm>
#include <chrono>

#include "kernels/device/cpu_context.hpp"
#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/makespan/kernels.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::makespan {
namespace {

class SearchOnCpu : public device::CpuBlocks<SearchTask, SearchResult> {
 public:
  SearchOnCpu(const SortedJobs& jobs, const SearchState& begin, StateLayout layout, std::size_t memory,
              device::ThreadPool& pool)
      : CpuBlocks(pool), begin_(begin), layout_(layout), search_(jobs, pool, memory) {}

 private:
  SearchResult compute(const SearchTask& task) override {
    SearchResult result{};
    if (task.after != nullptr) make_round(task, result);
    else std::copy_n(task.machines, task.count, result.machines);
    return result;
  }

  void make_round(const SearchTask& task, SearchResult& result) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const auto words = static_cast<std::size_t>(layout_.words());
    SearchState state = task.before == nullptr ? begin_ : layout_.unpack({task.before, words});
    search_.round(state, static_cast<double>(task.nanoseconds) / 1e9, layout_.positions, [&] { return aborted(); });
    if (aborted()) return;
    layout_.pack(state, {task.after, words});
    result.lower = state.lower, result.upper = state.upper;
    result.open = std::ssize(state.open);
    result.nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  }

  const SearchState& begin_;
  StateLayout layout_;
  ScheduleSearch search_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_search_cpu(const SortedJobs& jobs, const SearchState& begin,
                                                     StateLayout layout, std::size_t memory,
                                                     device::Context& context) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_search_cpu", context.limits().name + " is not a CPU");
  return std::make_unique<SearchOnCpu>(jobs, begin, layout, memory, cpu->pool());
}

}  // namespace terrace::makespan
