#include "pipeline/app/pictures/queues.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace terrace::app {
namespace {

/// Gives each happening the lowest lane that is free when it begins. @return the number of lanes
int assign_lanes(std::vector<Happening>& happenings) {
  using Busy = std::pair<double, int>;  // until when, lane
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::priority_queue<int, std::vector<int>, std::greater<>> free;
  int lanes = 0;
  for (Happening& happening : happenings) {
    while (!busy.empty() && busy.top().first <= happening.begin) free.push(busy.top().second), busy.pop();
    if (free.empty()) free.push(lanes++);
    happening.lane = free.top();
    free.pop();
    busy.emplace(happening.end, happening.lane);
  }
  return lanes;
}

/// The movements of the disk and the host's memory; all others are of a device.
bool is_of_host(const std::string& movement) { return movement == "read" || movement == "write"; }

}  // namespace

std::vector<Queue> queues_of(const ProfileRows& profile) {
  std::map<std::pair<int, std::string>, Queue> found;  // the name of blocks is before all others
  const auto queue = [&](int place, const std::string& key, const std::string& name, bool of_blocks) -> Queue& {
    const auto [at, added] = found.try_emplace({place, key});
    if (added) at->second = {place, name, of_blocks, 0, {}};
    return at->second;
  };
  for (std::size_t row = 0; row < profile.blocks.size(); ++row) {
    queue(static_cast<int>(profile.blocks.device[row]) + 1, "", "blocks", true)
        .happenings.push_back({profile.blocks.begin[row], profile.blocks.end[row], row, 0});
  }
  for (std::size_t row = 0; row < profile.copies.size(); ++row) {
    const std::string& movement = profile.copies.movement[row];
    const int place = is_of_host(movement) ? 0 : static_cast<int>(profile.copies.device[row]) + 1;
    queue(place, movement, movement, false)
        .happenings.push_back({profile.copies.begin[row], profile.copies.end[row], row, 0});
  }
  std::vector<Queue> queues;
  for (auto& [key, one] : found) {
    std::stable_sort(one.happenings.begin(), one.happenings.end(),
                     [](const Happening& a, const Happening& b) { return a.begin < b.begin; });
    one.lanes = assign_lanes(one.happenings);
    queues.push_back(std::move(one));
  }
  return queues;
}

std::string name_of_place(const ProfileRows& profile, int place) {
  if (place == 0) return "host and disk";
  const auto device = static_cast<std::size_t>(place - 1);
  const std::string name = "device " + std::to_string(device);
  return device < profile.devices.size() ? name + ": " + profile.devices[device] : name;
}

}  // namespace terrace::app
