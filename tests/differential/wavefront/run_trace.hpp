// One walk, as a launch of its own.
#pragma once

#include <memory_resource>
#include <vector>

#include "kernels/launch/port.hpp"
#include "kernels/wavefront/trace.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront::test {

/// Runs one task in memory of `memory`. @return the result of `walk(port)` once it has ended
template <class Task, class Walk>
TraceResult run_trace(const Task& task, std::pmr::memory_resource* memory, Walk&& walk) {
  struct Words {
    device::u64 ready, stop, abort, done, failed, skipped;
  };
  std::pmr::vector<Words> words({{1, 0, 0, 0, 0, 0}}, memory);
  std::pmr::vector<Task> tasks({task}, memory);
  std::pmr::vector<TraceResult> results(1, memory);
  Words& word = words[0];
  walk(device::Port{&word.ready, &word.stop, &word.abort, &word.done, &word.failed, &word.skipped, tasks.data(),
                    results.data(), 1, sizeof(Task), sizeof(TraceResult), 0, 1});
  if (word.done != 1) throw ComputeError("the walk did not end");
  return results[0];
}

}  // namespace terrace::wavefront::test
