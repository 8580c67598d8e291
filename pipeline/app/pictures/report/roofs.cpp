#include "pipeline/app/pictures/report/roofs.hpp"

#include <algorithm>

#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

/// Bytes a second of the fastest link of a device; 0 if devices share the memory of the host.
double link_rate_of(const io::ResultReader& result) {
  const std::string path = "/profile/devices/link_rate";
  if (!result.has(path)) return 0;
  const std::vector<double> rates = result.numbers(path);
  return rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
}

double disk_rate_of(const std::vector<StageSums>& stages) {
  double most = 0;
  for (const StageSums& stage : stages) most = std::max(most, stage.disk_rate);
  return most;
}

void add_roof(Roofline& roofline, const char* level, double bytes) {
  const bool any = std::any_of(roofline.points.begin(), roofline.points.end(),
                               [&](const RooflinePoint& point) { return point.level == level; });
  if (any && bytes > 0)
    roofline.ceilings.push_back({std::string(level) + ", " + format_rate(bytes, "B/s"), 0, bytes});
}

}  // namespace

std::map<std::string, Roofline> rooflines_of(const io::ResultReader& result, const std::vector<std::string>& names,
                                             const std::vector<StageSums>& stages) {
  std::map<std::string, Roofline> found;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const StageSums& stage = stages[s];
    if (!(stage.seconds > 0 && stage.operations > 0)) continue;
    const double disk = stage.bytes_read + stage.bytes_written, link = stage.bytes_up + stage.bytes_down;
    if (disk + link <= 0) continue;
    Roofline& roofline = found[stage.unit];
    roofline.unit = stage.unit;
    const double rate = stage.operations / stage.seconds;
    if (disk > 0) roofline.points.push_back({s, names[s], "disk", stage.operations / disk, rate});
    if (link > 0) roofline.points.push_back({s, names[s], "link", stage.operations / link, rate});
    if (stage.limit > 0) roofline.ceilings.push_back({names[s] + ": " + stage.limit_kind, stage.limit, 0});
  }
  for (auto& [unit, roofline] : found) {
    add_roof(roofline, "disk", disk_rate_of(stages));
    add_roof(roofline, "link", link_rate_of(result));
  }
  return found;
}

}  // namespace terrace::app
