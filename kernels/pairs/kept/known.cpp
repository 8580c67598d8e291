#include "kernels/pairs/kept/known.hpp"

#include <cstring>

#include "kernels/launch/one_block.hpp"

namespace terrace::pairs {

bool OtherPairs::compute(device::BlockKernel& kernel, const PairsTask& task, const KnownScores& known,
                         std::size_t score, PairsResult& result, device::u64& abort) {
  numbers_.clear();
  pairs_.clear();
  std::size_t next = 0;
  for (i64 number = 0; number < task.count; ++number) {
    if (next < known.numbers.size() && known.numbers[next] == number) {
      ++next;
      continue;
    }
    numbers_.push_back(number);
    pairs_.push_back(pair_of(task, number));
  }
  if (numbers_.empty()) return true;
  scores_.resize(numbers_.size() * score);
  if (task.ends != nullptr) ends_.resize(numbers_.size());
  PairsTask others = task;
  others.pairs = pairs_.data();
  others.count = std::ssize(pairs_);
  others.scores = scores_.data();
  if (task.ends != nullptr) others.ends = ends_.data();
  if (!device::compute_one(kernel, others, result, abort)) return false;
  for (std::size_t at = 0; at < numbers_.size(); ++at) {
    const auto to = static_cast<std::size_t>(numbers_[at]);
    std::memcpy(static_cast<std::byte*>(task.scores) + to * score, scores_.data() + at * score, score);
    if (task.ends != nullptr) task.ends[to] = ends_[at];
  }
  return true;
}

}  // namespace terrace::pairs
