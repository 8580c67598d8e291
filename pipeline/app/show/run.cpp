#include "pipeline/app/show/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/files/run_lock.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/run/ledger.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json plan_in(const io::Folder& folder) {
  std::optional<Json> plan = run::RunFolder::read_plan(folder);
  if (plan) return *std::move(plan);
  const bool kept = io::status_of(folder / "kept.h5").has_value();
  throw IoError(
      folder.path().string(),
      kept ? "holds no run that can go on, but kept.h5, with what a run had completed when a stage could not be "
             "computed; `terrace show` shows that file, and a run of the corrected job takes it over"
      : folder.path().string().ends_with(run::RunFolder::path_for("").string())
          ? "holds no run: it has no plan.json; a run that begins there starts anew"
          : "is a folder that holds no run; name a result, or the folder of its run");
}

std::vector<std::string> stage_names(const Json& plan, const fs::path& folder) {
  std::vector<std::string> names;
  read_json((folder / "plan.json").string(), remedy_for_runs, [&] {
    for (const Json& stage : plan.at("identity").at("stages")) names.push_back(stage.at("name"));
  });
  return names;
}

constexpr double nearly_all = 0.9;  // of a stage's blocks

std::string counted_blocks(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "block" : "blocks");
}

/// "12 of 64 blocks (19%) at the last checkpoint"; "12 blocks (19%) ..." if only some of the stage's phases are
/// known, as with `until`. The percentage is the share of the stage's work, as for the blocks that are done.
std::string describe_checkpoint(const run::Checkpoint& checkpoint, const run::RunNote* note) {
  const std::int64_t done = checkpoint.frontier + checkpoint.done.count();
  std::int64_t known = 0;
  for (const run::PhaseState& phase : checkpoint.phases) known = phase.first_sequence + phase.phase.count;
  const double part = known > 0 ? static_cast<double>(done) / static_cast<double>(known) : 0;
  const bool has_share = note && note->share > 0 && note->blocks > 0;
  const double share = has_share ? note->share * static_cast<double>(done) / static_cast<double>(note->blocks) : part;
  const bool all_known = known > 0 && share >= nearly_all * part;
  const std::string blocks = all_known ? fmt::format("{} of {}", done, counted_blocks(known)) : counted_blocks(done);
  const std::string percent = share > 0 ? fmt::format(" ({:.0f}%)", 100 * std::min(1.0, share)) : "";
  return blocks + percent + " at the last checkpoint";
}

/// "43.0%, 27 blocks done; 12 of 64 blocks (19%) at the last checkpoint".
std::string describe_current(const run::Checkpoint* checkpoint, const run::RunNote* note) {
  const std::string durable = checkpoint ? describe_checkpoint(*checkpoint, note) : "no checkpoint yet";
  if (!note) return checkpoint ? durable : "not begun, or not yet at a checkpoint";
  const std::string share = note->share > 0 ? fmt::format("{:.1f}%, ", std::min(99.9, 100 * note->share)) : "";
  return fmt::format("{}{} done; {}", share, counted_blocks(note->blocks), durable);
}

std::string describe_stages(const std::vector<std::string>& names, const run::Progress& progress,
                            const std::optional<run::RunNote>& note) {
  std::string text;
  bool all_complete = true;  // of the stages before
  for (std::size_t number = 0; number < names.size(); ++number) {
    const auto is_at = [&](const auto& state) { return state && state->stage == static_cast<std::int64_t>(number); };
    std::string state = "not begun";
    if (progress.completed.contains(number)) {
      state = "complete";
    } else if (all_complete) {
      all_complete = false;
      state =
          describe_current(is_at(progress.current) ? &*progress.current : nullptr, is_at(note) ? &*note : nullptr);
    }
    text += fmt::format("  {}: {}\n", names[number], state);
  }
  return text;
}

/// The process that works on the run, or the way to resume it.
std::string describe_worker(const io::Folder& folder, const std::string& command) {
  const auto lock = io::look_at_lock(folder / "lock");
  if (lock && lock->held) return "under way (" + lock->holder + ")\n";
  const std::string advice = "the same `" + command + "` goes on from there\n";
  if (lock && lock->elsewhere) return "last worked on elsewhere (" + lock->holder + "); if it has stopped, " + advice;
  return "stopped; " + advice;
}

/// The state of the run in a folder.
struct KnownRun {
  io::Folder folder;
  std::vector<std::string> stages;
  std::string command;
  run::Progress progress;
};

KnownRun read_run(const fs::path& path) {
  io::Folder folder = io::Folder::open(path);
  const Json plan = plan_in(folder);
  std::vector<std::string> names = stage_names(plan, path);
  std::string command =
      read_json((path / "plan.json").string(), remedy_for_runs, [&] { return plan.value("command", "terrace run"); });
  run::check_result(folder, plan);
  run::Progress progress = run::Ledger::read(folder / "ledger");
  return {std::move(folder), std::move(names), std::move(command), std::move(progress)};
}

Json current_json(const KnownRun& known, std::int64_t number) {
  Json stage = {{"state", "current"}};
  const auto& checkpoint = known.progress.current;
  if (checkpoint && checkpoint->stage == number)
    stage["checkpoint_blocks"] = checkpoint->frontier + checkpoint->done.count();
  const std::optional<run::RunNote> note = run::RunFolder::read_note(known.folder);
  if (note && note->stage == number) {
    stage["blocks"] = note->blocks;
    stage["share"] = number_json(note->share);
  }
  return stage;
}

}  // namespace

std::string describe_run(const fs::path& path) {
  const KnownRun known = read_run(path);
  const run::Progress& progress = known.progress;
  return fmt::format("{}: {} of {} stages complete, {} {}\n", path.string(), progress.completed.size(),
                     known.stages.size(), progress.attempt, progress.attempt == 1 ? "attempt" : "attempts") +
         describe_stages(known.stages, progress, run::RunFolder::read_note(known.folder)) +
         describe_worker(known.folder, known.command);
}

Json run_json(const fs::path& path) {
  const KnownRun known = read_run(path);
  Json stages = Json::array();
  for (std::size_t number = 0; number < known.stages.size(); ++number) {
    const std::size_t complete = known.progress.completed.size();
    Json stage = number == complete ? current_json(known, static_cast<std::int64_t>(number))
                                    : Json{{"state", number < complete ? "complete" : "not begun"}};
    stage["name"] = text_json(known.stages[number]);
    stages.push_back(std::move(stage));
  }
  const auto lock = io::look_at_lock(known.folder / "lock");
  Json answer = {{"run", text_json(path.string())},
                 {"attempts", known.progress.attempt},
                 {"state", lock && lock->held        ? "under way"
                           : lock && lock->elsewhere ? "elsewhere"
                                                     : "stopped"},
                 {"command", text_json(known.command)},
                 {"stages", stages}};
  if (lock && (lock->held || lock->elsewhere)) answer["holder"] = text_json(lock->holder);
  return answer;
}

}  // namespace terrace::app
