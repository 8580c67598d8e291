#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <ostream>

#include "io/result_reader.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/app/progress.hpp"
#include "pipeline/app/signature.hpp"
#include "pipeline/app/stop_signals.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// What made the result that is there; nothing where the file is not one of Terrace's.
std::optional<Signature> signature_in(const fs::path& output) {
  const auto identity = io::root_text(output, "identity");
  const auto inputs = io::root_text(output, "inputs");
  if (!identity || !inputs) return std::nullopt;
  return Signature{Json::parse(*identity, nullptr, false), Json::object(), Json::parse(*inputs, nullptr, false)};
}

/// The folder of the job's run, locked. @throws JobError where the job's output cannot be one
run::RunFolder open_folder(const job::Job& job) {
  try {
    return run::RunFolder(job.output);
  } catch (const run::UnfitOutput& error) {
    throw JobError(message_at(job.output_place, error.what()));
  }
}

/// Whether the result is there already. @throws JobError where something else is
bool already_done(run::RunFolder& folder, const Place& place, Signature now, bool fresh) {
  const fs::path& output = folder.output();
  if (!fs::exists(output)) return false;
  const std::optional<Signature> before = signature_in(output);
  if (!before) {
    throw JobError(message_at(
        place, output.string() + " is there and was not made by Terrace: it is not replaced; name another output"));
  }
  if (fresh) {
    folder.replace_output();
    return false;
  }
  now.fixed = Json::object();
  const auto found = difference(*before, now, true);
  if (!found) return true;
  throw JobError(message_at(place, output.string() + " was made by another job, or from other inputs: " + *found +
                                       "; name another output, or replace it with --fresh"));
}

/// The plan of the run that is to be gone on with; nothing where a new one begins.
std::optional<Json> begun_run(run::RunFolder& folder, const Place& place, const Signature& now, bool fresh) {
  if (fresh) folder.clear();
  std::optional<Json> plan = folder.plan();
  if (plan) {
    const Signature before{plan->at("identity"), plan->at("fixed"), plan->at("inputs")};
    const auto found = difference(before, now, false);
    if (!found) return plan;
    const run::Progress progress = run::Ledger::read(folder.ledger());
    if (!progress.completed.empty() || progress.current) {
      throw JobError(message_at(place, folder.path().string() +
                                           " holds a run of another job, or from other inputs: " + *found +
                                           "; go on with that one as it was, or start over with --fresh"));
    }
  }
  // Nothing there is worth keeping.
  folder.clear();
  return std::nullopt;
}

/// Whether a run that has begun there computes on the CPU: what goes on with it does, too.
bool runs_on_cpu(const run::RunFolder& folder) {
  try {
    const std::optional<Json> plan = folder.plan();
    return plan && plan->at("fixed").value("backend", "") == "cpu";
  } catch (const IoError&) {
    return false;  // it is damaged, which is said where it matters
  }
}

void print_result(Session& session, const run::RunReport& report, const fs::path& output) {
  for (const run::StageRecord& stage : report.profile.stages()) {
    if (stage.operations <= 0) continue;
    std::string line = fmt::format("{}: {} in {}, {}", stage.name, format_rate(stage.operations, stage.unit + "s"),
                                   format_duration(stage.end - stage.begin),
                                   format_rate(stage.rate, stage.unit + "/s") + " while computing");
    if (stage.limit > 0) {
      line += fmt::format(", {:.0f}% of the limit of {} ({})", 100 * stage.rate / stage.limit,
                          format_rate(stage.limit, stage.unit + "/s"), stage.limit_kind);
    }
    session.note(line);
    for (const run::PartRecord& part : stage.parts) {
      session.record(fmt::format("{}: {}, {} in {} {}", stage.name, part.name, format_duration(part.seconds),
                                 part.blocks, part.blocks == 1 ? "block" : "blocks"));
    }
  }
  session.note(fmt::format("done in {}", format_duration(report.seconds)));
  session.out << output.string() << "\n";
}

/// What a stop at a checkpoint waits for, as the run last said: noted by one thread, put into words by another.
class StopOutlook {
 public:
  void note(const run::StageProgress& state) {
    dirty_bytes_ = static_cast<double>(state.dirty_bytes);
    disk_rate_ = state.disk_rate;
    computing_ = true;
  }
  std::string notice() const {
    constexpr const char* second = "; a second signal stops at once";
    if (!computing_) return std::string("stopping before the first block") + second;
    const double bytes = dirty_bytes_, rate = disk_rate_;
    std::string text = "stopping at a checkpoint: when the blocks under way have ended";
    if (bytes > 0) {
      text += fmt::format(", {} to write, about {} at {}", format_size(bytes), format_duration(bytes / rate),
                          format_rate(rate, "B/s"));
    }
    return text + second;
  }

 private:
  std::atomic<bool> computing_{false};
  std::atomic<double> dirty_bytes_{0}, disk_rate_{1};
};

/// @throws Stopped where a signal has come before the first block of this attempt
void stop_if_asked(StopSignals& signals, bool begun) {
  if (signals.flag() == 0) return;
  throw Stopped(begun
                    ? "stopped before another block was computed; the same command continues from the last checkpoint"
                    : "stopped before the first block was computed; the same command starts the run");
}

}  // namespace

int run_job(Session& session, const RunArguments& arguments) {
  Progress progress(session.err, progress_style(STDERR_FILENO, session.quiet));
  StopOutlook outlook;
  StopSignals signals([&] {
    const std::string text = outlook.notice();
    progress.say(text);
    session.record(text);
  });
  const job::OpenJob open =
      job::load_and_open(arguments.job.path, arguments.job.settings, session.stages.declarations(), session.kinds);
  session.keep_log_apart(open.job);
  for (const std::string& warning : open.job.warnings) session.warn(warning);
  const job::Job& job = open.job;
  run::RunFolder folder = open_folder(job);
  Machine machine = open_machine(open, !arguments.fresh && runs_on_cpu(folder));
  const Signature now = signature_of(open, machine);
  if (already_done(folder, job.output_place, now, arguments.fresh)) {
    session.note(job.output.string() + " is there already, made by this job");
    folder.clear();
    session.out << job.output.string() << "\n";
    return exit_done;
  }
  const std::optional<Json> begun = begun_run(folder, job.output_place, now, arguments.fresh);
  run::RunPlan plan =
      begun ? make_plan(open, machine, session.stages, &*begun)
            : make_new_plan(open, machine, session.stages, [&](const std::string& why) { session.note(why); });
  if (begun && begun->at("inputs") != now.inputs) run::verify_inputs(plan, folder);
  if (begun) session.note("going on with the run in " + folder.path().string());
  stop_if_asked(signals, begun.has_value());

  run::RunSettings run_settings;
  run_settings.devices = machine.devices();
  run_settings.host_budget = machine.resources.host_budget;
  run_settings.device_budget = machine.resources.device_budget;
  run_settings.checkpoint_seconds = job.checkpoint_every.value_or(0);
  run_settings.stop = &signals.flag();
  run_settings.inputs_now = [&] { return inputs_of(open); };
  run_settings.warn = [&](const std::string& text) {
    progress.finish();
    session.warn(text);
  };
  run_settings.report = [&](const std::string& name, const run::StageProgress& state, const run::Prediction& p) {
    ProgressState shown;
    shown.stage = name;
    shown.stages = static_cast<std::int64_t>(plan.stages.size());
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
      if (plan.stages[i].name == name) shown.number = static_cast<std::int64_t>(i) + 1;
    }
    shown.done = state.operations;
    shown.restored = state.restored_operations;
    shown.total = p.operations;
    shown.unit = p.unit;
    progress.show(shown);
    outlook.note(state);
  };
  const run::RunReport report = run::execute(plan, folder, run_settings);
  progress.finish();
  print_result(session, report, job.output);
  return exit_done;
}

}  // namespace terrace::app
