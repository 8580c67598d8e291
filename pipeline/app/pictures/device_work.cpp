#include "pipeline/app/pictures/device_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pipeline/app/show/united.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {

namespace {

std::size_t index(double number) { return static_cast<std::size_t>(number); }

/// Of each stage the last attempt that computed blocks of it.
std::vector<double> last_attempts(const ProfileRows& profile) {
  std::vector<double> last(profile.stages.size(), 0);
  for (std::size_t row = 0; row < profile.blocks.size(); ++row) {
    double& attempt = last[index(profile.blocks.stage[row])];
    attempt = std::max(attempt, profile.blocks.attempt[row]);
  }
  return last;
}

}  // namespace

std::vector<std::vector<DeviceWork>> work_of_devices(const ProfileRows& profile) {
  std::vector<std::map<int, DeviceWork>> found(profile.stages.size());
  std::map<std::pair<std::size_t, int>, Intervals> computing;
  const std::vector<double> last = last_attempts(profile);
  for (std::size_t row = 0; row < profile.blocks.size(); ++row) {
    const std::size_t stage = index(profile.blocks.stage[row]);
    if (profile.blocks.attempt[row] != last[stage]) continue;
    const int device = static_cast<int>(profile.blocks.device[row]);
    found[stage][device].blocks += profile.blocks.count[row];
    computing[{stage, device}].emplace_back(profile.blocks.begin[row], profile.blocks.end[row]);
  }
  for (auto& [place, intervals] : computing) {
    DeviceWork& work = found[place.first][place.second];
    work.device = place.second;
    work.seconds = united(std::move(intervals));
  }
  const CopyRows& copies = profile.copies;
  for (std::size_t row = 0; row < copies.size(); ++row) {
    if (copies.from[row] < 0 || copies.device[row] < 0) continue;
    const int from = static_cast<int>(copies.from[row]), to = static_cast<int>(copies.device[row]);
    auto& devices = found[index(copies.stage[row])];
    if (const auto sender = devices.find(from); sender != devices.end()) sender->second.sent[to] += copies.bytes[row];
    if (const auto taker = devices.find(to); taker != devices.end())
      taker->second.received[from] += copies.bytes[row];
  }
  std::vector<std::vector<DeviceWork>> stages;
  for (const auto& devices : found) {
    auto& works = stages.emplace_back();
    for (const auto& [device, work] : devices) works.push_back(work);
  }
  return stages;
}

std::string moved_between_devices(const DeviceWork& work) {
  std::string text;
  const auto add = [&](const std::map<int, double>& bytes, const char* way) {
    for (const auto& [device, count] : bytes) {
      text += fmt::format("{}{} {} device {}", text.empty() ? "" : ", ", format_size(count), way, device);
    }
  };
  add(work.sent, "to");
  add(work.received, "from");
  return text;
}

}  // namespace terrace::app
