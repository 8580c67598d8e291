// `terrace run`: takes the run's folder, plans or resumes, and runs to the complete result.
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <ostream>
#include <sstream>
#include <utility>

#include "pipeline/app/beginning.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/app/progress/read_watch.hpp"
#include "pipeline/app/progress/run_progress.hpp"
#include "pipeline/app/progress/stop_signals.hpp"
#include "pipeline/app/progress/terminal.hpp"
#include "pipeline/app/resumed_plan.hpp"
#include "pipeline/app/show/rate.hpp"
#include "pipeline/app/show/result.hpp"
#include "pipeline/app/signature.hpp"
#include "pipeline/app/unfinished_run.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/base/error.hpp"
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

/// Prints the answer, and after it what it took.
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
  session.answer_path(output);
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
    if (!beginning.begun) return make_plan(open_, machine_, session_.stages, nullptr, watch_, beginning.taken);
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

int run_job(Session& session, const RunArguments& arguments) {
  if (arguments.dry) return plan(session, {.job = arguments.job, .fresh = arguments.fresh});
  Progress progress(session.err, progress_style(STDERR_FILENO, session.quiet), nullptr,
                    [] { return terminal_columns(STDERR_FILENO); });
  StopOutlook outlook;
  StopSignals signals([&] {
    const std::string text = outlook.notice();
    progress.say(text);
    session.record(text);
  });
  ReadWatch reading(signals, progress);
  if (signals.flag() != 0) throw Stopped("stopped before anything had begun; the same command begins");
  const job::OpenJob open =
      job::load_and_open(arguments.job.path, arguments.job.settings, session.stages.declarations(), session.kinds);
  session.keep_log_apart(open.job);
  for (const std::string& warning : open.job.warnings) session.warn(warning);
  warn_of_budgets(open.job, [&](const std::string& text) { session.warn(text); });
  const job::Job& job = open.job;
  const Wish asked = wish_from(arguments.fresh, job);
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
  if (!report) {
    session.answer_path(job.output);
    return exit_done;
  }
  signals.complete();
  progress.finish();
  warnings.tell(plan);
  print_result(session, *report, job.output);
  return exit_done;
}

}  // namespace terrace::app
