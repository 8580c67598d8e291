// `terrace run`: takes the run's folder, plans or resumes, and runs to the complete result.
#include <fmt/format.h>
#include <unistd.h>

#include <ostream>
#include <sstream>

#include "pipeline/app/beginning.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/app/progress/read_watch.hpp"
#include "pipeline/app/progress/run_progress.hpp"
#include "pipeline/app/progress/stop_signals.hpp"
#include "pipeline/app/progress/terminal.hpp"
#include "pipeline/app/show/rate.hpp"
#include "pipeline/app/show/result.hpp"
#include "pipeline/app/signature.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"
#include "stages/refuse.hpp"

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
  session.out << output.string() << "\n";
}

}  // namespace

int run_job(Session& session, const RunArguments& arguments) {
  if (arguments.dry) return plan(session, {arguments.job, false, arguments.fresh});
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
  Machine machine = open_machine(open, session.stages, resumes_on_cpu(folder, wish.fresh));
  if (!machine.note.empty()) session.note(machine.note);
  warn_of_build(machine.resources.cuda, [&](const std::string& text) { session.warn(text); });
  const auto begin = [&](const Machine& machine_now) {
    ReadAgain again(
        open, [&] { return make_plan(open, machine_now, session.stages, nullptr, reading.watch(), {}); },
        reading.watch());
    return begin_at(folder, open, signature_of(open, machine_now), wish, again);
  };
  const Beginning beginning = [&] {
    try {
      return begin(machine);
    } catch (const stages::CpuOnly& error) {
      progress.finish();
      session.note(std::string("computing on the CPU: ") + error.what());
      reopen_on_cpu(open, machine, session.stages);
      return begin(machine);
    }
  }();
  const Signature now = signature_of(open, machine);
  if (beginning.done) {
    session.note(beginning.note);
    session.out << job.output.string() << "\n";
    return exit_done;
  }
  const std::optional<Json>& begun = beginning.begun;
  reading.resumes(begun.has_value());
  run::RunPlan plan;
  const auto tell = [&](const std::string& text) {
    progress.finish();
    session.note(text);
  };
  const auto take_over = [&](const Machine& machine_now) {
    return signature_of(open, machine_now).fixed == now.fixed ? beginning.taken : begin(machine_now).taken;
  };
  plan_attempt(beginning, wish, now, folder, [&] {
    plan = begun ? resumed_plan(open, machine, session.stages, folder, *begun, reading.watch())
                 : make_new_plan(open, machine, session.stages, tell, reading.watch(), take_over);
    if (!beginning.note.empty()) tell(beginning.note);
    reading.check_stop();
  });
  reading.computes();

  run::RunSettings run_settings;
  run_settings.devices = machine.devices();
  run_settings.host_budget = machine.resources.host_budget;
  run_settings.window_bytes = machine.resources.window_memory;
  run_settings.device_budget = machine.resources.device_budget;
  run_settings.checkpoint_seconds = job.checkpoint_every.value_or(0);
  run_settings.stop = &signals.flag();
  run_settings.inputs_now = [&] { return inputs_of(open); };
  run_settings.warn = [&](const std::string& text) {
    progress.finish();
    session.warn(text);
  };
  run_settings.report = [&](const std::string& name, const run::StageProgress& state, const run::Prediction& p) {
    progress.show(shown_progress(plan, name, state, p));
    outlook.note(state);
  };
  StageWarnings warnings([&](const std::string& text) { session.warn(text); });
  progress.finish();
  warnings.tell(plan);
  const run::RunReport report = execute_attempt(beginning, wish.fresh, plan, folder, run_settings);
  signals.complete();
  progress.finish();
  warnings.tell(plan);
  print_result(session, report, job.output);
  return exit_done;
}

}  // namespace terrace::app
