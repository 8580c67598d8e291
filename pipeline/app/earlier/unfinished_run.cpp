#include "pipeline/app/earlier/unfinished_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pipeline/app/earlier/existing_output.hpp"
#include "pipeline/app/earlier/resumed_plan.hpp"
#include "pipeline/app/earlier/taking_over.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/job/recorded_job.hpp"
#include "pipeline/run/ledger.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> names_of_stages(const Json& plan) {
  std::vector<std::string> names;
  for (const Json& stage : plan.at("identity").at("stages")) names.push_back(stage.at("name"));
  return names;
}

/// The number of stages at the beginning of the run that are all complete.
std::size_t first_complete(const run::Progress& progress) {
  std::size_t count = 0;
  while (progress.completed.contains(count)) ++count;
  return count;
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

/// Adds the inputs that an array or a setting of the recorded job names, and those that they are made of.
void add_inputs_named_in(const Json& settings, const Json& all, Json& found) {
  const auto add = [&](const Json& value) {
    if (!value.is_string() || !all.contains(value.get<std::string>()) || found.contains(value.get<std::string>()))
      return;
    const std::string name = value;
    found[name] = all[name];
    add_inputs_named_in(all[name].at("settings"), all, found);
  };
  for (const Json& value : settings) {
    if (!value.is_array()) add(value);
    else
      for (const Json& entry : value) add(entry);
  }
}

/// The members of an object that are inputs of the recorded job.
Json of_inputs(const Json& object, const Json& inputs) {
  Json found = Json::object();
  for (const auto& [name, value] : object.items()) {
    if (inputs.contains(name)) found[name] = value;
  }
  return found;
}

/// The plan of a run as if its job had ended after so many stages.
Json shortened(const Json& plan, std::size_t stages) {
  Json shorter = plan;
  Json& identity = shorter["identity"];
  const auto cut = [&](Json& list) { list.erase(list.begin() + static_cast<std::ptrdiff_t>(stages), list.end()); };
  cut(identity.at("stages"));
  cut(shorter.at("stages"));
  const Json all = identity.at("inputs");
  Json inputs = Json::object();
  for (const Json& stage : identity["stages"]) add_inputs_named_in(stage.at("settings"), all, inputs);
  identity["inputs"] = inputs;
  for (const char* name : {"inputs", "reads", "contents"}) shorter[name] = of_inputs(plan.at(name), inputs);
  return shorter;
}

/// @throws JobError if the stages cannot be made again by this program on this machine
void check_machine(const Json& plan, const Signature& now, const job::Job& job, const std::string& why) {
  const Json& stages = plan.at("stages");
  if (std::all_of(stages.begin(), stages.end(), [](const Json& stage) { return run::is_taken(stage); })) return;
  const auto found = machine_difference(signature_in(plan), now);
  if (found) throw output_error(job, why + "; its finished stages cannot be kept: " + *found);
}

/// Makes a finished file of the first stages of the run.
/// @param plan shortened()
void finish_stages(run::RunFolder& folder, const Json& plan, const job::OpenJob& open, const Machine& machine,
                   const Session& session, const Watch& watch) {
  job::OpenJob before;
  before.job = job::recorded_job(plan.at("identity"), open.job.folder, session.stages.declarations(), session.kinds);
  before.job.output = open.job.output;
  before.inputs = job::open_recorded(before.job, session.kinds);
  run::Progress progress = run::Ledger::read(folder.ledger());
  progress.current.reset();
  std::erase_if(progress.completed, [&](const auto& stage) { return stage.first >= before.job.stages.size(); });
  run::RunPlan resumed = resumed_plan(before, machine, session.stages, plan_file(folder), plan, progress, watch);
  resumed.identity = plan.at("identity");
  resumed.inputs = plan.at("inputs");
  resumed.contents = plan.at("contents");
  run::finish_first_stages(resumed, folder, settings_on(machine));
}

/// "of stage 'long' 12 blocks are dropped"; empty if nothing of an unfinished stage is done.
std::string dropped(const run::RunFolder& folder, const Json& plan) {
  const auto note = run::RunFolder::read_note(folder.held());
  const std::vector<std::string> names = names_of_stages(plan);
  if (!note || note->stage < 0 || static_cast<std::size_t>(note->stage) >= names.size()) return "";
  const run::Progress progress = run::Ledger::read(folder.ledger());
  if (progress.completed.contains(static_cast<std::size_t>(note->stage)) || note->blocks == 0) return "";
  return fmt::format(", with {} of its unfinished stage '{}'", counted(note->blocks, "block"),
                     names[static_cast<std::size_t>(note->stage)]);
}

}  // namespace

std::string plan_file(const run::RunFolder& folder) { return (folder.path() / "plan.json").string(); }

std::string complete_stages(const run::RunFolder& folder, const Json& plan) {
  try {
    const run::Progress progress = run::Ledger::read(folder.ledger());
    const std::vector<std::string> all = names_of_stages(plan);
    std::vector<std::string> names;
    for (const auto& [number, stage] : progress.completed) {
      if (number < all.size()) names.push_back(all[number]);
    }
    return quoted(names);
  } catch (const IoError&) {
    return "";
  } catch (const Json::exception&) {
    return "";
  }
}

std::string advice_to_keep(const run::RunFolder& folder, const Json& plan) {
  const std::string names = complete_stages(folder, plan);
  if (names.empty()) return "none of its stages is finished, and --fresh=changed discards it";
  return "it has finished " + names + ", which --fresh=changed takes over if this job leaves them unchanged";
}

std::string keep_complete_stages(run::RunFolder& folder, const Json& plan, const std::string& why,
                                 const job::OpenJob& open, const Machine& machine, const Session& session,
                                 const Signature& now, ReadAgain& again, const Watch& watch) {
  again.plan_or_fail();
  const std::string drops = "the unfinished run in " + folder.path().string() + " is discarded";
  return read_json(plan_file(folder), remedy_for_runs, [&] {
    const std::string all = complete_stages(folder, plan), note = drops + dropped(folder, plan);
    const std::size_t count = first_complete(run::Ledger::read(folder.ledger()));
    if (count == 0) {
      folder.clear();
      return note;
    }
    const Json first = shortened(plan, count);
    check_machine(first, now, open.job, why);
    finish_stages(folder, first, open, machine, session, watch);
    const TakenOver others = taken_over(open, now, {}, again);
    for (const LostStage& lost : lost_stages(folder.result().path(), open, now, again)) {
      if (others.takes(lost.name)) continue;
      throw output_error(open.job, why + "; it has finished " + all + ", and " + "stage '" + lost.name +
                                       "' would be lost: " + lost.why +
                                       "; to keep it, go on with that job as it was, or name another output; "
                                       "--fresh=all discards it");
    }
    folder.keep();
    return note + ", and what it has finished (" + all + ") is kept";
  });
}

}  // namespace terrace::app
