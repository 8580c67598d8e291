#include "pipeline/app/show/bound.hpp"

#include <algorithm>
#include <map>

namespace terrace::app {
namespace {

/// By the profile's names of movements.
const std::map<std::string, std::size_t> activities_of_movements{{"read", 1},  {"copy up", 2}, {"copy down", 2},
                                                                 {"write", 3}, {"peer", 2},    {"assemble", 2}};

}  // namespace

std::optional<std::size_t> activity_of(const std::string& movement) {
  const auto found = activities_of_movements.find(movement);
  return found == activities_of_movements.end() ? std::nullopt : std::optional(found->second);
}

std::string bound_by(const ActivitySeconds& activities, double seconds) {
  const auto longest =
      static_cast<std::size_t>(std::max_element(activities.begin(), activities.end()) - activities.begin());
  if (activities[longest] < 0.5 * seconds) return "none of these: it mostly started, waited and finished";
  std::string text;
  for (std::size_t a = 0; a < activities.size(); ++a) {
    if (a != longest && activities[a] < 0.9 * seconds) continue;
    text += (text.empty() ? "" : " and ") + std::string(activity_names[a]);
  }
  return text;
}

}  // namespace terrace::app
