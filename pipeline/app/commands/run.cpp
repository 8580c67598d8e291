// `terrace run`: takes the run's folder, plans or resumes, and runs to the complete result; a batch task by task.
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <ostream>
#include <sstream>
#include <utility>

#include "pipeline/app/batch/batch_commands.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/earlier/beginning.hpp"
#include "pipeline/app/earlier/resumed_plan.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/app/earlier/unfinished_run.hpp"
#include "pipeline/app/job_run.hpp"
#include "pipeline/app/message_json.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/app/program.hpp"
#include "pipeline/app/progress/read_watch.hpp"
#include "pipeline/app/progress/run_progress.hpp"
#include "pipeline/app/progress/stop_signals.hpp"
#include "pipeline/app/progress/terminal.hpp"
#include "pipeline/app/show/rate.hpp"
#include "pipeline/app/show/result.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/damaged_tile.hpp"
#include "pipeline/run/inputs.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// "align: 270 Mcells in 1.36 s, 516 Mcell/s while computing".
std::string describe_stage(const run::StageRecord& stage) {
  const std::string rate =
      rate_in_words({stage.computing.seconds(), stage.rate, stage.limit, stage.unit, stage.limit_kind});
  return fmt::format("{}: {} in {}{}{}", stage.name, format_count(stage.operations, stage.unit),
                     format_duration(stage.end - stage.begin), rate.empty() ? "" : ", ", rate);
}

Json stage_json(const run::StageRecord& stage) {
  return {{"name", text_json(stage.name)},
          {"method", stage.method},
          {"blocks", stage.blocks},
          {"repeated", stage.repeated},
          {"seconds", number_json(stage.end - stage.begin)},
          {"operations", number_json(stage.operations)},
          {"unit", stage.unit},
          {"rate", number_json(stage.rate)}};
}

/// Prints small results, and after them what they took.
void print_result(Session& session, const run::RunReport& report, const fs::path& output) {
  std::istringstream results(describe_small(output));
  for (std::string line; std::getline(results, line);) session.note(line);
  for (const run::StageRecord& stage : report.profile.stages()) {
    if (stage.operations <= 0) continue;
    session.note(describe_stage(stage));
    for (const run::PartRecord& part : stage.parts) {
      session.record(fmt::format("{}: {}, {} in {} {}", stage.name, part.name,
                                 format_duration(part.computing.seconds()), part.blocks,
                                 part.blocks == 1 ? "block" : "blocks"));
    }
  }
  session.note(fmt::format("done in {}", format_duration(report.seconds)));
}

/// The decisions before a run computes: what is there, what is resumed, and the plan.
class RunStart {
 public:
  RunStart(const Session& session, const job::OpenJob& open, run::RunFolder& folder, Wish wish,
           const Machine& machine, const Watch& watch, std::function<void(const std::string&)> tell)
      : session_(session),
        open_(open),
        folder_(folder),
        wish_(std::move(wish)),
        machine_(machine),
        watch_(watch),
        tell_(std::move(tell)) {}

  Beginning begin() {
    Beginning found = look();
    if (found.begun && !damage_.empty()) found.unfit = damage_;
    if (wish_.fresh == Fresh::changed && found.begun && found.unfit.empty()) try_to_resume(found);
    if (found.unfit.empty()) return found;
    ReadAgain again = read_again();
    tell_(keep_complete_stages(folder_, *found.begun, found.unfit, open_, machine_, session_,
                               signature_of(open_, machine_), again, watch_));
    damage_.clear();
    return look();
  }

  /// With --fresh=changed: from now on the damaged stage is computed anew. @return false if another error is to be
  /// told
  bool compute_anew(const run::DamagedTile& error) {
    const bool is_new = !error.stage().empty() && !wish_.damaged.contains(error.stage());
    if (wish_.fresh != Fresh::changed || !is_new) return false;
    wish_.damaged[error.stage()] = "its tiles are damaged";
    tell_(std::string(error.what()) + ": this is done now");
    damage_ = error.what();
    return true;
  }

  run::RunPlan plan(const Beginning& beginning) {
    if (!beginning.begun) {
      check_scratch_folder(open_.job);
      return make_plan(open_, machine_, session_.stages, nullptr, watch_, beginning.taken);
    }
    try {
      return resumed_ ? *std::exchange(resumed_, std::nullopt) : resumed(*beginning.begun);
    } catch (const run::ChangedSinceBegun& error) {
      throw JobError(std::string(error.what()) + "; " + advice_to_keep(folder_, *beginning.begun));
    }
  }

 private:
  ReadAgain read_again() const {
    return {open_, [this] { return make_plan(open_, machine_, session_.stages, nullptr, watch_, {}); }, watch_};
  }

  Beginning look() {
    ReadAgain again = read_again();
    return begin_at(folder_, open_, signature_of(open_, machine_), wish_, again);
  }

  /// With --fresh=changed a run whose inputs have changed is one of another job.
  void try_to_resume(Beginning& found) {
    try {
      resumed_ = resumed(*found.begun);
    } catch (const run::ChangedSinceBegun& error) {
      found.unfit = "the run in " + folder_.path().string() + " cannot be resumed: " + error.what();
    }
  }

  run::RunPlan resumed(const Json& begun) const {
    return resumed_plan(open_, machine_, session_.stages, plan_file(folder_), begun,
                        run::Ledger::read(folder_.ledger()), watch_);
  }

  const Session& session_;
  const job::OpenJob& open_;
  run::RunFolder& folder_;
  Wish wish_;
  const Machine& machine_;
  const Watch watch_;
  std::function<void(const std::string&)> tell_;
  std::optional<run::RunPlan> resumed_;
  std::string damage_;  // found in the run that is in the folder, which is not to be resumed
};

/// The settings of the run in addition to its plan. The arguments outlive it.
run::RunSettings settings_of(Session& session, const job::OpenJob& open, const Machine& machine,
                             const run::RunPlan& plan, Progress& progress, StopOutlook& outlook,
                             const StopSignals& signals) {
  run::RunSettings settings = settings_on(machine);
  settings.checkpoint_seconds = open.job.checkpoint_every.value_or(0);
  settings.stop = &signals.flag();
  settings.inputs_now = [&] { return inputs_of(open); };
  settings.warn = [&](const std::string& text) {
    progress.finish();
    session.warn(text);
  };
  settings.report = [&](const std::string& name, const run::StageProgress& state, const run::Prediction& p) {
    progress.show(shown_progress(plan, name, state, p));
    outlook.note(state);
  };
  return settings;
}

}  // namespace

JobRun run_job(Session& session, const JobArguments& arguments, const std::string& fresh,
               const std::optional<TimeSpan>& span) {
  Progress progress(session.err, progress_style(STDERR_FILENO, session.quiet), nullptr,
                    [] { return terminal_columns(STDERR_FILENO); });
  StopOutlook outlook;
  StopSignals signals([&] {
    const std::string text = outlook.notice();
    progress.say(text);
    session.record(text);
  });
  const TimeLimit limit(span, signals, outlook);
  ReadWatch reading(signals, progress);
  if (signals.flag() != 0) throw Stopped("stopped before anything had begun; the same command begins");
  const job::OpenJob open = job::load_and_open(arguments.path, arguments.settings, session.stages.declarations(),
                                               session.kinds, true, arguments.task.get());
  session.keep_log_apart(open.job);
  for (const std::string& warning : open.job.warnings) session.warn(warning);
  warn_of_budgets(open.job, [&](const std::string& text) { session.warn(text); });
  const job::Job& job = open.job;
  const Wish asked = wish_from(fresh, job);
  run::RunFolder folder = take_folder(job);
  const Wish wish = wish_of(folder, open, asked);
  const Machine machine = open_machine(open, session.stages, resumes_on_cpu(folder, wish.fresh));
  if (!machine.note.empty()) session.note(machine.note);
  warn_of_build(machine.cuda(), [&](const std::string& text) { session.warn(text); });
  const auto tell = [&](const std::string& text) {
    progress.finish();
    session.note(text);
  };
  RunStart start(session, open, folder, wish, machine, reading.watch(), tell);
  run::RunPlan plan;
  StageWarnings warnings([&](const std::string& text) { session.warn(text); });
  const auto attempt = [&]() -> std::optional<run::RunReport> {
    const Beginning beginning = start.begin();
    if (beginning.done) {
      session.note(beginning.note);
      return std::nullopt;
    }
    reading.resumes(beginning.begun.has_value());
    plan_attempt(beginning, wish, signature_of(open, machine), folder, [&] {
      plan = start.plan(beginning);
      if (!beginning.note.empty()) tell(beginning.note);
      reading.check_stop();
    });
    reading.computes();
    progress.finish();
    tell_of_cpu(plan, tell);
    warnings.tell(plan);
    return execute_attempt(beginning, wish.fresh, plan, folder,
                           settings_of(session, open, machine, plan, progress, outlook, signals));
  };
  const auto report = [&] {
    while (true) {
      try {
        return attempt();
      } catch (const run::DamagedTile& error) {
        progress.finish();
        if (!start.compute_anew(error)) throw;
      }
    }
  }();
  JobRun made{.output = job.output, .there_already = !report};
  if (!report) return made;
  signals.complete();
  progress.finish();
  warnings.tell(plan);
  print_result(session, *report, job.output);
  made.seconds = report->seconds;
  for (const run::StageRecord& stage : report->profile.stages()) made.stages.push_back(stage_json(stage));
  return made;
}

Json run_answer(const JobArguments& job, int code, const JobRun& done, const std::vector<std::string>& errors) {
  const char* state = code == exit_done      ? "done"
                      : code == exit_stopped ? "stopped"
                      : code == exit_wrong   ? "wrong"
                                             : "failed";
  Json answer = {{"job", text_json(job.path)}, {"state", state}};
  if (code == exit_done) {
    answer.update({{"output", text_json(done.output.string())},
                   {"there_already", done.there_already},
                   {"seconds", number_json(done.seconds)},
                   {"stages", done.stages}});
    return answer;
  }
  answer["errors"] = Json::array();
  for (const std::string& error : errors) answer["errors"].push_back(message_json(error, job.path, job.settings));
  return answer;
}

int run(Session& session, const RunArguments& arguments) {
  if (arguments.dry) {
    return plan(session,
                {.job = arguments.job, .json = arguments.json, .fresh = arguments.fresh, .task = arguments.task});
  }
  if (job::is_batch(arguments.job.path, arguments.job.settings)) return run_batch(session, arguments);
  refuse_batch_options(arguments);
  const auto span = time_span(arguments.time_limit);
  JobRun made;
  std::vector<std::string> errors;
  const auto work = [&] {
    made = run_job(session, arguments.job, arguments.fresh, span);
    return exit_done;
  };
  const int code = run_command(session, work, &errors);
  if (arguments.json) session.answer_json(run_answer(arguments.job, code, made, errors));
  else if (code == exit_done) session.answer_path(made.output);
  return code;
}

}  // namespace terrace::app
