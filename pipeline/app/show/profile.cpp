#include "pipeline/app/show/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "pipeline/app/show/united.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/profile.hpp"

namespace terrace::app {
namespace {

/// Activities that take a stage's time, in the order in which they are listed.
constexpr std::array<const char*, 4> activities{"computing", "reading", "copying", "writing"};

/// The activity of each movement of a tile, by the profile's names of movements.
const std::map<std::string, std::size_t> activity_of{{"read", 1},  {"copy up", 2}, {"copy down", 2},
                                                     {"write", 3}, {"peer", 2},    {"assemble", 2}};

/// A fraction of the whole problem: smaller fractions get no line.
constexpr double told_share = 1e-3;

/// The columns of the stages, and for each stage the seconds of each activity.
class StageColumns {
 public:
  explicit StageColumns(const io::ResultReader& result) : result_(result) {
    names_ = texts("name");
    units_ = texts("unit");
    kinds_ = texts("limit_kind");
    add_activities();
    add_parts();
  }

  std::size_t count() const { return names_.size(); }
  const std::string& name(std::size_t stage) const { return names_[stage]; }
  std::string unit(std::size_t stage) const { return units_.at(stage); }
  std::string limit_kind(std::size_t stage) const { return kinds_.at(stage); }
  double number(const std::string& column, std::size_t stage) const {
    auto found = numbers_.find(column);
    if (found == numbers_.end()) found = numbers_.emplace(column, result_.numbers(path(column))).first;
    return found->second.at(stage);
  }
  const std::array<double, 4>& activity(std::size_t stage) const { return activity_[stage]; }
  /// "table 410 ms in 1 block, walks 120 ms in 54 blocks"; empty if the stage has no parts.
  const std::string& parts(std::size_t stage) const { return parts_[stage]; }
  /// True if there were too many movements for each to have a record.
  bool movements_left_out() const { return movements_ >= run::Profile::most_records; }

 private:
  static std::string path(const std::string& column) { return "/profile/stages/" + column; }
  std::vector<std::string> texts(const std::string& column) const { return result_.texts(path(column)); }

  void add_activities() {
    activity_.resize(count());
    std::vector<std::array<Intervals, 4>> intervals(count());
    const auto stage = result_.numbers("/profile/copies/stage");
    const auto movement = result_.texts("/profile/copies/movement");
    const auto begin = result_.numbers("/profile/copies/begin"), end = result_.numbers("/profile/copies/end");
    movements_ = stage.size();
    for (std::size_t i = 0; i < stage.size(); ++i) {
      const auto activity = activity_of.find(movement.at(i));
      if (activity == activity_of.end()) continue;
      intervals.at(static_cast<std::size_t>(stage[i]))[activity->second].emplace_back(begin.at(i), end.at(i));
    }
    for (std::size_t s = 0; s < count(); ++s) {
      activity_[s][0] = number("compute_seconds", s);
      for (std::size_t a = 1; a < activities.size(); ++a) activity_[s][a] = united(std::move(intervals[s][a]));
    }
  }

  void add_parts() {
    parts_.resize(count());
    if (!result_.has("/profile/parts/stage")) return;
    const auto stage = result_.numbers("/profile/parts/stage"), blocks = result_.numbers("/profile/parts/blocks");
    const auto seconds = result_.numbers("/profile/parts/seconds");
    const auto name = result_.texts("/profile/parts/name");
    for (std::size_t i = 0; i < stage.size(); ++i) {
      std::string& text = parts_.at(static_cast<std::size_t>(stage[i]));
      text += fmt::format("{}{} {} in {} {}", text.empty() ? "" : ", ", name.at(i), format_duration(seconds.at(i)),
                          blocks.at(i), blocks.at(i) == 1 ? "block" : "blocks");
    }
  }

  const io::ResultReader& result_;
  std::vector<std::string> names_, units_, kinds_;
  mutable std::map<std::string, std::vector<double>> numbers_;
  std::vector<std::array<double, 4>> activity_;
  std::vector<std::string> parts_;
  std::size_t movements_ = 0;
};

/// The activities that took a stage's time: all that lasted nearly as long as the stage itself, or else the longest.
std::string bound_by(const std::array<double, 4>& activity, double seconds) {
  const auto longest =
      static_cast<std::size_t>(std::max_element(activity.begin(), activity.end()) - activity.begin());
  if (activity[longest] < 0.5 * seconds) return "bound by none of these: it mostly started, waited and finished";
  std::string text;
  for (std::size_t a = 0; a < activities.size(); ++a) {
    if (a != longest && activity[a] < 0.9 * seconds) continue;
    text += (text.empty() ? "" : " and ") + std::string(activities[a]);
  }
  return "bound by " + text;
}

std::string time_line(const StageColumns& stages, std::size_t stage, double seconds) {
  std::string text;
  for (std::size_t a = 0; a < activities.size(); ++a) {
    const double part = stages.activity(stage)[a];
    if (part <= 0) continue;
    text += fmt::format("{} {} ({:.0f}%), ", activities[a], format_duration(part),
                        seconds > 0 ? 100 * part / seconds : 0.0);
  }
  return text + bound_by(stages.activity(stage), seconds) +
         (stages.movements_left_out() ? "; beyond a million movements no more were recorded" : "");
}

std::string rate_line(const StageColumns& stages, std::size_t stage) {
  const std::string unit = stages.unit(stage) + "/s";
  const double limit = stages.number("limit", stage);
  std::string text = format_rate(stages.number("rate", stage), unit) + " while computing";
  if (limit <= 0) return text;
  return text + fmt::format(", {:.0f}% of the limit of {} ({})", 100 * stages.number("fraction", stage),
                            format_rate(limit, unit), stages.limit_kind(stage));
}

/// A fraction of the whole problem, as a line.
std::string share_line(const StageColumns& stages, std::size_t stage, double share) {
  const double whole = stages.number("whole_operations", stage);
  return fmt::format("{:.3g}% of {}", 100 * share, format_count(whole, stages.unit(stage)));
}

std::string describe_stage(const StageColumns& stages, std::size_t stage) {
  const double seconds = stages.number("seconds", stage), blocks = stages.number("blocks", stage);
  if (seconds <= 0 && blocks <= 0) {
    return "stage " + stages.name(stage) + ": complete before the last attempt, which has no profile of it\n";
  }
  const auto of = [&](const char* column) { return stages.number(column, stage); };
  std::string text = fmt::format("stage {}: {} in {}, in {} {}\n", stages.name(stage),
                                 format_count(of("operations"), stages.unit(stage)), format_duration(seconds), blocks,
                                 blocks == 1 ? "block" : "blocks");
  const auto line = [&](const char* what, const std::string& said) {
    text += fmt::format("  {:<12}{}\n", what, said);
  };
  if (of("rate") > 0) line("rate", rate_line(stages, stage));
  line("predicted", format_duration(of("predicted_seconds")) + ", measured " + format_duration(seconds));
  line("time", time_line(stages, stage, seconds));
  if (const std::string parts = stages.parts(stage); !parts.empty()) line("parts", parts);
  const double done = of("operations") / of("whole_operations");
  if (done > 1 + told_share) line("computed", share_line(stages, stage, done) + ", parts of it again");
  if (const double skipped = of("skipped"); skipped > told_share) {
    line("left out", share_line(stages, stage, skipped) + ", which cannot change the result");
  }
  line("moved", fmt::format("{} read, {} written", format_size(of("bytes_read")), format_size(of("bytes_written"))) +
                    (of("bytes_up") + of("bytes_down") > 0
                         ? fmt::format(", {} up to and {} down from devices", format_size(of("bytes_up")),
                                       format_size(of("bytes_down")))
                         : ""));
  line("memory", "at most " + format_size(of("peak_host")) + " of the host" +
                     (of("peak_device") > 0 ? ", " + format_size(of("peak_device")) + " of a device" : ""));
  line("safety", fmt::format("{} {}, {} {} computed again after a stop", of("cuts"),
                             of("cuts") == 1 ? "checkpoint" : "checkpoints", of("repeated"),
                             of("repeated") == 1 ? "block" : "blocks"));
  return text;
}

}  // namespace

std::string describe_profile(const io::ResultReader& result) {
  if (!result.has("/profile/stages/name") || !result.has("/profile/copies/stage")) return "";
  const StageColumns stages(result);
  std::string text;
  for (std::size_t stage = 0; stage < stages.count(); ++stage) text += describe_stage(stages, stage);
  return text;
}

}  // namespace terrace::app
