#include "pipeline/run/executor/home_queue.hpp"

#include <algorithm>

namespace terrace::run {
namespace {

constexpr std::int64_t long_row = 1 << 20;  // bytes; longer ones are not written faster

}  // namespace

bool HomeQueue::is_for(const Version& version) const {
  const TileGrid& grid = store_.grid(version.key.array);
  const int rank = grid.counts().rank();
  return rank > 1 && grid.counts()[rank - 1] > 1 && store_.row_bytes(version.key.array) < long_row;
}

void HomeQueue::add(Version& version, Done done) {
  Waiting& waiting = waiting_[{version.key.array, version.key.tile}];
  waiting.version = &version;
  waiting.done.push_back(std::move(done));
  version.queued = true;
}

/// Number of tiles side by side whose rows together make a long row.
std::size_t HomeQueue::most_tiles(int array) const {
  return static_cast<std::size_t>((long_row + store_.row_bytes(array) - 1) / store_.row_bytes(array));
}

std::vector<HomeQueue::Waiting> HomeQueue::take() {
  auto best = waiting_.end();
  std::int64_t best_bytes = 0;
  std::size_t best_count = 0;
  for (auto first = waiting_.begin(); first != waiting_.end();) {
    const auto& [array, tile] = first->first;
    const TileGrid& grid = store_.grid(array);
    const std::int64_t across = grid.counts()[grid.counts().rank() - 1], row = tile / across;
    const std::size_t most = most_tiles(array);
    std::size_t count = 0;
    auto next = first;
    for (; next != waiting_.end() && count < most; ++next, ++count) {
      const auto& [its_array, its_tile] = next->first;
      const bool beside = its_array == array && its_tile == tile + static_cast<std::int64_t>(count);
      if (!beside || its_tile / across != row) break;
    }
    const std::int64_t bytes = static_cast<std::int64_t>(count) * store_.row_bytes(array);
    if (bytes > best_bytes) {
      best = first;
      best_bytes = bytes;
      best_count = count;
    }
    first = next;
  }
  std::vector<Waiting> taken;
  for (std::size_t i = 0; i < best_count; ++i) {
    best->second.version->queued = false;
    taken.push_back(std::move(best->second));
    best = waiting_.erase(best);
  }
  return taken;
}

}  // namespace terrace::run
