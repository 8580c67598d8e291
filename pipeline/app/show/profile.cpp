#include "pipeline/app/show/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/app/pictures/device_work.hpp"
#include "pipeline/app/show/bound.hpp"
#include "pipeline/app/show/profile_table.hpp"
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
  StageColumns(const io::ResultReader& result, const std::string& file)
      : result_(result),
        file_(file),
        table_(result, file, "/profile/stages", "name"),
        names_(table_.texts("name")),
        units_(table_.texts("unit")),
        kinds_(table_.texts("limit_kind")),
        computed_(table_.texts_or_none("computed")),
        methods_(table_.texts_or_none("method")) {
    add_activities();
    add_parts();
  }

  std::size_t count() const { return names_.size(); }
  const std::string& name(std::size_t stage) const { return names_[stage]; }
  const std::string& unit(std::size_t stage) const { return units_[stage]; }
  const std::string& limit_kind(std::size_t stage) const { return kinds_[stage]; }
  /// The kernel that computed the stage; empty if that is not known.
  const std::string& method(std::size_t stage) const { return methods_[stage]; }
  double number(const std::string& column, std::size_t stage) const {
    auto found = numbers_.find(column);
    if (found == numbers_.end()) found = numbers_.emplace(column, table_.column(column)).first;
    return found->second[stage];
  }
  /// The end of the run that computed a stage which is taken over; nullopt if this run computed it.
  std::optional<std::string> taken_from_run_of(std::size_t stage) const {
    return number("taken_over", stage) != 0 ? std::optional(computed_[stage]) : std::nullopt;
  }
  const ActivitySeconds& activity(std::size_t stage) const { return activity_[stage]; }
  /// "table 410 ms in 1 block, walks 120 ms in 54 blocks"; empty if the stage has no parts.
  const std::string& parts(std::size_t stage) const { return parts_[stage]; }
  /// True if there were too many movements for each to have a record.
  bool movements_left_out() const { return movements_ >= run::Profile::most_records; }

 private:
  void add_activities() {
    activity_.resize(count());
    std::vector<std::array<Intervals, activity_names.size()>> intervals(count());
    const ProfileTable copies(result_, file_, "/profile/copies", "stage");
    const auto stage = copies.indices("stage", 0, static_cast<double>(count()));
    const auto movement = copies.texts("movement");
    const auto begin = copies.column("begin"), end = copies.column("end");
    copies.check_times(begin, end);
    movements_ = stage.size();
    for (std::size_t i = 0; i < stage.size(); ++i) {
      const auto activity = activity_of(movement[i]);
      if (!activity) continue;
      intervals[static_cast<std::size_t>(stage[i])][*activity].emplace_back(begin[i], end[i]);
    }
    for (std::size_t s = 0; s < count(); ++s) {
      activity_[s][0] = number("compute_seconds", s);
      for (std::size_t a = 1; a < activity_names.size(); ++a) activity_[s][a] = united(std::move(intervals[s][a]));
    }
  }

  void add_parts() {
    parts_.resize(count());
    if (!result_.has("/profile/parts/stage")) return;
    const ProfileTable table(result_, file_, "/profile/parts", "stage");
    const auto stage = table.indices("stage", 0, static_cast<double>(count()));
    const auto blocks = table.column("blocks"), seconds = table.column("seconds");
    const auto name = table.texts("name");
    for (std::size_t i = 0; i < stage.size(); ++i) {
      std::string& text = parts_[static_cast<std::size_t>(stage[i])];
      text += fmt::format("{}{} {} in {} {}", text.empty() ? "" : ", ", name[i], format_duration(seconds[i]),
                          blocks[i], blocks[i] == 1 ? "block" : "blocks");
    }
  }

  const io::ResultReader& result_;
  std::string file_;
  ProfileTable table_;
  std::vector<std::string> names_, units_, kinds_, computed_, methods_;
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

/// A line for each device, if there are several.
std::string device_lines(const std::vector<DeviceWork>& devices, double seconds) {
  std::string text;
  if (devices.size() < 2) return text;
  for (const DeviceWork& work : devices) {
    const std::string moved = moved_between_devices(work);
    text += fmt::format("  {:<12}{:.0f} {}, computing {} ({}){}\n", fmt::format("device {}", work.device),
                        work.blocks, work.blocks == 1 ? "block" : "blocks", format_duration(work.seconds),
                        format_share(seconds > 0 ? work.seconds / seconds : 0.0), moved.empty() ? "" : ", " + moved);
  }
  return text;
}

std::string describe_stage(const StageColumns& stages, std::size_t stage, const std::vector<DeviceWork>& devices) {
  const double seconds = stages.number("seconds", stage), blocks = stages.number("blocks", stage);
  const auto taken = stages.taken_from_run_of(stage);
  if (seconds <= 0 && blocks <= 0) {
    return "stage " + stages.name(stage) +
           (taken ? ": taken over, computed " + *taken + "; there is no profile of it\n"
                  : ": complete before the last attempt, which has no profile of it\n");
  }
  const auto of = [&](const char* column) { return stages.number(column, stage); };
  std::string text = fmt::format("stage {}: {} in {}, in {} {}{}\n", stages.name(stage),
                                 format_count(of("operations"), stages.unit(stage)), format_duration(seconds), blocks,
                                 blocks == 1 ? "block" : "blocks", taken ? "; taken over, computed " + *taken : "");
  const auto line = [&](const char* what, const std::string& said) {
    text += fmt::format("  {:<12}{}\n", what, said);
  };
  if (!stages.method(stage).empty()) line("method", stages.method(stage));
  if (const std::string rate = rate_line(stages, stage); !rate.empty()) line("rate", rate);
  line("predicted", format_duration(of("predicted_seconds")) + ", measured " + format_duration(seconds));
  line("time", time_line(stages, stage, seconds));
  if (const std::string parts = stages.parts(stage); !parts.empty()) line("parts", parts);
  text += device_lines(devices, seconds);
  const double whole = of("whole_operations"), done = whole > 0 ? of("operations") / whole : 0;
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

std::string describe_profile(const io::ResultReader& result, const std::string& file) {
  if (!result.has("/profile/stages/name") || !result.has("/profile/copies/stage")) return "";
  const StageColumns stages(result, file);
  // The rows of blocks and copies are read only where there are several devices.
  std::vector<std::vector<DeviceWork>> devices(stages.count());
  const bool several = result.has("/profile/devices/name") && result.texts("/profile/devices/name").size() > 1;
  if (several) devices = work_of_devices(read_profile(result, file));
  std::string text;
  for (std::size_t stage = 0; stage < stages.count(); ++stage) text += describe_stage(stages, stage, devices[stage]);
  return text;
}

}  // namespace terrace::app
