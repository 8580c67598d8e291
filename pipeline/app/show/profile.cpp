#include "pipeline/app/show/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "pipeline/app/show/bound.hpp"
#include "pipeline/app/show/rate.hpp"
#include "pipeline/app/show/united.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/profile.hpp"

namespace terrace::app {
namespace {

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
  const ActivitySeconds& activity(std::size_t stage) const { return activity_[stage]; }
  /// "table 410 ms in 1 block, walks 120 ms in 54 blocks"; empty if the stage has no parts.
  const std::string& parts(std::size_t stage) const { return parts_[stage]; }
  /// True if there were too many movements for each to have a record.
  bool movements_left_out() const { return movements_ >= run::Profile::most_records; }

 private:
  static std::string path(const std::string& column) { return "/profile/stages/" + column; }
  std::vector<std::string> texts(const std::string& column) const { return result_.texts(path(column)); }

  void add_activities() {
    activity_.resize(count());
    std::vector<std::array<Intervals, activity_names.size()>> intervals(count());
    const auto stage = result_.numbers("/profile/copies/stage");
    const auto movement = result_.texts("/profile/copies/movement");
    const auto begin = result_.numbers("/profile/copies/begin"), end = result_.numbers("/profile/copies/end");
    movements_ = stage.size();
    for (std::size_t i = 0; i < stage.size(); ++i) {
      const auto activity = activity_of(movement.at(i));
      if (!activity) continue;
      intervals.at(static_cast<std::size_t>(stage[i]))[*activity].emplace_back(begin.at(i), end.at(i));
    }
    for (std::size_t s = 0; s < count(); ++s) {
      activity_[s][0] = number("compute_seconds", s);
      for (std::size_t a = 1; a < activity_names.size(); ++a) activity_[s][a] = united(std::move(intervals[s][a]));
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
  std::vector<ActivitySeconds> activity_;
  std::vector<std::string> parts_;
  std::size_t movements_ = 0;
};

std::string time_line(const StageColumns& stages, std::size_t stage, double seconds) {
  std::string text;
  for (std::size_t a = 0; a < activity_names.size(); ++a) {
    const double part = stages.activity(stage)[a];
    if (part <= 0) continue;
    text += fmt::format("{} {} ({}), ", activity_names[a], format_duration(part),
                        format_share(seconds > 0 ? part / seconds : 0.0));
  }
  return text + "bound by " + bound_by(stages.activity(stage), seconds) +
         (stages.movements_left_out() ? "; beyond a million movements no more were recorded" : "");
}

std::string rate_line(const StageColumns& stages, std::size_t stage) {
  return rate_in_words({stages.number("compute_seconds", stage), stages.number("rate", stage),
                        stages.number("limit", stage), stages.unit(stage), stages.limit_kind(stage)});
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
  if (const std::string rate = rate_line(stages, stage); !rate.empty()) line("rate", rate);
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
