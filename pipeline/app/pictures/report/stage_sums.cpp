#include "pipeline/app/pictures/report/stage_sums.hpp"

#include <array>
#include <map>
#include <utility>

#include "pipeline/app/show/profile_table.hpp"
#include "pipeline/app/show/united.hpp"

namespace terrace::app {
namespace {

constexpr std::pair<const char*, double StageSums::*> number_columns[] = {
    {"blocks", &StageSums::blocks},
    {"repeated", &StageSums::repeated},
    {"cuts", &StageSums::checkpoints},  // the name of the column
    {"seconds", &StageSums::seconds},
    {"compute_seconds", &StageSums::compute_seconds},
    {"predicted_seconds", &StageSums::predicted_seconds},
    {"operations", &StageSums::operations},
    {"skipped", &StageSums::skipped},
    {"rate", &StageSums::rate},
    {"limit", &StageSums::limit},
    {"fraction", &StageSums::fraction},
    {"bytes_read", &StageSums::bytes_read},
    {"bytes_up", &StageSums::bytes_up},
    {"bytes_down", &StageSums::bytes_down},
    {"bytes_written", &StageSums::bytes_written},
    {"peak_host", &StageSums::peak_host},
    {"peak_device", &StageSums::peak_device},
    {"budget_host", &StageSums::budget_host},
    {"budget_device", &StageSums::budget_device},
};

constexpr std::pair<const char*, std::string StageSums::*> text_columns[] = {{"unit", &StageSums::unit},
                                                                             {"limit_kind", &StageSums::limit_kind}};

/// Puts a column into a member of each stage.
template <class Value, class Values>
void fill(std::vector<StageSums>& stages, Value StageSums::*member, const Values& values) {
  for (std::size_t s = 0; s < stages.size(); ++s) stages[s].*member = values[s];
}

void add_movements(const CopyRows& copies, std::vector<StageSums>& stages) {
  std::map<std::pair<std::size_t, std::string>, std::pair<MovementSums, Intervals>> found;
  for (std::size_t row = 0; row < copies.size(); ++row) {
    auto& [sums, intervals] = found[{static_cast<std::size_t>(copies.stage[row]), copies.movement[row]}];
    sums.copies += 1;
    sums.bytes += copies.bytes[row];
    intervals.emplace_back(copies.begin[row], copies.end[row]);
  }
  for (auto& [key, value] : found) {
    value.first.name = key.second;
    value.first.seconds = united(std::move(value.second));
    stages[key.first].movements.push_back(std::move(value.first));
  }
}

/// The movements of a stage, by what they occupy.
struct Occupied {
  std::array<Intervals, activity_names.size()> activities;
  Intervals disk;
  double disk_bytes = 0;
};

void add_activities(const CopyRows& copies, std::vector<StageSums>& stages) {
  std::vector<Occupied> occupied(stages.size());
  for (std::size_t row = 0; row < copies.size(); ++row) {
    Occupied& stage = occupied[static_cast<std::size_t>(copies.stage[row])];
    const std::pair span(copies.begin[row], copies.end[row]);
    if (const auto activity = activity_of(copies.movement[row])) stage.activities[*activity].push_back(span);
    if (copies.movement[row] != "read" && copies.movement[row] != "write") continue;
    stage.disk.push_back(span);
    stage.disk_bytes += copies.bytes[row];
  }
  for (std::size_t s = 0; s < stages.size(); ++s) {
    stages[s].activities[0] = stages[s].compute_seconds;
    for (std::size_t a = 1; a < activity_names.size(); ++a)
      stages[s].activities[a] = united(std::move(occupied[s].activities[a]));
    const double seconds = united(std::move(occupied[s].disk));
    if (seconds > 0) stages[s].disk_rate = occupied[s].disk_bytes / seconds;
  }
}

}  // namespace

std::vector<StageSums> read_stage_sums(const io::ResultReader& result, const ProfileRows& profile) {
  std::vector<StageSums> stages(profile.stages.size());
  const ProfileTable table(result, profile.file, "/profile/stages", "name");
  for (const auto& [column, member] : number_columns) fill(stages, member, table.column(column));
  for (const auto& [column, member] : text_columns) fill(stages, member, table.texts_or_none(column));
  add_movements(profile.copies, stages);
  add_activities(profile.copies, stages);
  return stages;
}

}  // namespace terrace::app
