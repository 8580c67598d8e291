#include "stages/kernel_graph/times.hpp"

#include <fstream>
#include <stdexcept>

#include "kernels/graph/measure.hpp"
#include "pipeline/base/cache_folder.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::stages {
namespace {

using graph::TimePoint;
using graph::TimeTable;

/// A table by which seconds can be told: sizes ascend, and nothing takes less than no time.
void check(const TimeTable& times) {
  double size = 0;
  for (const TimePoint& point : times.points) {
    if (!(point.bytes > size && point.in_cache >= 0 && point.from_memory >= 0)) throw std::invalid_argument("times");
    size = point.bytes;
  }
  if (times.points.empty() || !(times.launch_seconds >= 0 && times.cache_bytes >= 0))
    throw std::invalid_argument("times");
}

}  // namespace

nlohmann::json times_json(const TimeTable& times) {
  nlohmann::json points = nlohmann::json::array();
  for (const TimePoint& point : times.points) points.push_back({point.bytes, point.in_cache, point.from_memory});
  return {{"launch_seconds", times.launch_seconds}, {"cache_bytes", times.cache_bytes}, {"points", points}};
}

TimeTable times_from(const nlohmann::json& json) {
  TimeTable times{json.at("launch_seconds").get<double>(), json.at("cache_bytes").get<double>(), {}};
  for (const nlohmann::json& point : json.at("points")) {
    times.points.push_back({point.at(0).get<double>(), point.at(1).get<double>(), point.at(2).get<double>()});
  }
  check(times);
  return times;
}

std::filesystem::path file_of_times(const std::string& device) {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / "graphs" / (cache_name(device) + ".json");
}

std::shared_ptr<const TimeTable> times_of_device(const std::string& device) {
  const std::filesystem::path path = file_of_times(device);
  std::ifstream file(path);
  if (path.empty() || !file) return nullptr;
  return read_json(path.string(), "measure again with `terrace measure`",
                   [&] { return std::make_shared<const TimeTable>(times_from(nlohmann::json::parse(file))); });
}

void measure_device(device::Context& context) {
  const std::string& device = context.limits().name;
  const std::filesystem::path path = file_of_times(device);
  if (path.empty()) throw IoError("the cache folder", "is not known; set XDG_CACHE_HOME or HOME to a folder");
  const TimeTable times = graph::measure_times(context);
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  // A reader finds the old file or the new one.
  const std::filesystem::path made = path.string() + ".new";
  std::ofstream file(made);
  file << times_json(times).dump(2) << "\n";
  file.close();
  if (file) std::filesystem::rename(made, path, failed);
  if (!file || failed) throw IoError(path.string(), "cannot be written");
}

}  // namespace terrace::stages
