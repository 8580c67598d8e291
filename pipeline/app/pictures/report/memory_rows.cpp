#include "pipeline/app/pictures/report/memory_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr double last_device = 4095;

}  // namespace

std::vector<LocationMemory> read_memory(const io::ResultReader& result, const std::string& path, std::size_t stages) {
  const std::string group = "/profile/memory/";
  if (!result.has(group + "time")) return {};
  const auto column = [&](const char* name) { return result.numbers(group + name); };
  const auto time = column("time"), bytes = column("bytes"), stage = column("stage"), device = column("device");
  if (bytes.size() != time.size() || stage.size() != time.size() || device.size() != time.size()) {
    throw IoError(path + ", " + group, "has columns of several lengths; the profile is damaged");
  }
  std::map<int, LocationMemory> found;
  for (std::size_t row = 0; row < time.size(); ++row) {
    const bool in_range = stage[row] >= 0 && stage[row] < static_cast<double>(stages) && device[row] >= -1 &&
                          device[row] <= last_device && bytes[row] >= 0;
    auto& [number, held] = found[in_range ? static_cast<int>(device[row]) : -1];
    if (!in_range || !std::isfinite(time[row]) || (!held.empty() && time[row] < held.back().time)) {
      throw IoError(path + ", " + group, fmt::format("row {} cannot be; the profile is damaged", row));
    }
    number = static_cast<int>(device[row]);
    held.push_back({time[row], bytes[row], static_cast<std::size_t>(stage[row])});
  }
  std::vector<LocationMemory> locations;
  for (auto& [number, memory] : found) locations.push_back(std::move(memory));
  return locations;
}

}  // namespace terrace::app
