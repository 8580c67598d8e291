// `terrace plan`: blocks, memory, disk space and time that a job is expected to take.
#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <ostream>

#include "pipeline/app/batch/batch_commands.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/earlier/existing_output.hpp"
#include "pipeline/app/earlier/fresh.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/app/earlier/taking_over.hpp"
#include "pipeline/app/job_plan.hpp"
#include "pipeline/app/plan/outcome.hpp"
#include "pipeline/app/plan/plan_json.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/app/progress/part_progress.hpp"
#include "pipeline/app/progress/terminal.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/disk_need.hpp"
#include "pipeline/run/expected_time.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

/// ", 2.1 s at 2.50 GB/s (assumed)", if it takes any time.
std::string moving_time(double seconds, double bytes_per_second) {
  if (seconds <= 0) return "";
  return fmt::format(", {} at {} (assumed)", format_duration(seconds), format_rate(bytes_per_second, "B/s"));
}

/// The upper limit of the rate while computing, and the limit of the disk if that is lower.
std::string describe_limit(const run::Prediction& p, const run::PredictedTimes& times) {
  const std::string unit = p.unit + "/s";
  std::string text = fmt::format("{} while computing ({})", format_rate(p.limit, unit), p.limit_kind);
  if (times.disk * p.limit <= p.operations) return text;
  return text + fmt::format("; {} in all (disk)", format_rate(p.operations / times.disk, unit));
}

/// "2.1 s, bound by the disk".
std::string describe_time(const run::PlannedStage& planned, const run::PredictedTimes& times) {
  const double seconds = run::predicted_seconds(planned);
  const std::string bound = times.bound(), article = bound == "disk" || bound == "link" ? "the " : "";
  if (seconds <= 0) return format_duration(seconds);
  if (bound != "blocks") return format_duration(seconds) + ", bound by " + article + bound;
  return fmt::format("{}, bound by the number of blocks, {} each (assumed): larger budgets make fewer",
                     format_duration(seconds), format_duration(run::assumed_block_seconds));
}

void print_taken(std::ostream& out, const run::PlannedStage& planned, const std::string& doubt) {
  out << fmt::format("stage {}\n  taken over from {}\n", planned.name, planned.taken->file.string());
  if (!doubt.empty())
    out << fmt::format("  to be compared: {}; if it holds something else, the stage is computed\n", doubt);
}

/// "method" and its alternatives: "rows" is chosen, others are slower or unfit.
void print_methods(std::ostream& out, const run::PlannedStage& planned, const run::Prediction& prediction) {
  const std::vector<run::StageMethod> methods = planned.stage->methods();
  const bool of_both = std::any_of(methods.begin(), methods.end(), [&](const run::StageMethod& method) {
    return method.backend != methods.front().backend;
  });
  for (const run::StageMethod& method : methods) {
    const double per_second = rate_of(method, prediction);
    const std::string rate = per_second > 0 ? format_rate(per_second, prediction.unit + "/s") : "";
    const std::string by_name = method.schedule.empty() ? "" : "`schedule: " + method.schedule + "`";
    std::string why = !method.unfit.empty() ? "no: " + method.unfit
                      : method.chosen       ? rate + ", chosen"
                      : method.automatic    ? rate
                                            : rate + ", by " + by_name + " alone";
    const std::string name = of_both ? method.name + " on " + method.backend : method.name;
    out << fmt::format("    {:<18}  {}\n", name, why);
  }
}

/// "2 of 3: 2 rows of tiles": the devices that compute a stage, and what is dealt to them.
std::string describe_devices(const run::Plan& plan, int available) {
  const std::string dealt = plan.dealt();
  return fmt::format("{} of {}: {}", plan.devices(available), available,
                     dealt.empty() ? "the blocks of this stage are not dealt" : dealt);
}

/// @param devices that the run opens
void print_stage(std::ostream& out, const run::PlannedStage& planned, const run::RunPlan& plan, int devices,
                 bool explain) {
  const run::Prediction p = planned.stage->prediction();
  const run::PredictedTimes times = run::predicted_times(planned);
  out << fmt::format("stage {}\n", planned.name);
  if (const std::string method = run::method_of(*planned.stage); !method.empty()) {
    const bool on_cpu = run::backend_of(planned, plan) != plan.fixed.value("backend", "");
    out << fmt::format("  method        {}{}\n", method, on_cpu ? ", on the CPU" : "");
    if (explain) print_methods(out, planned, p);
  }
  for (const std::string& line : planned.stage->analysis()) {
    out << fmt::format("  analysis      {}\n", printable(line));
    if (!explain) break;
  }
  const std::size_t comma = std::min(p.block_shape.find(','), p.block_shape.size());
  out << fmt::format("  blocks        {} of {} {}s{}\n", p.blocks, p.block_shape.substr(0, comma), p.unit,
                     p.block_shape.substr(comma));
  if (devices > 1 && run::backend_of(planned, plan) != "cpu")
    out << fmt::format("  devices       {}\n", describe_devices(planned.stage->plan(), devices));
  out << fmt::format("  a block holds {} of device memory{}\n", format_size(static_cast<double>(p.block_bytes)),
                     p.workspace_bytes > 0
                         ? fmt::format(", and the kernel {}", format_size(static_cast<double>(p.workspace_bytes)))
                         : "");
  out << fmt::format("  memory        {} of the host at most\n", format_size(run::memory_taken(planned)));
  out << fmt::format("  work          {}{}\n", format_count(p.operations, p.unit),
                     p.leaves_out ? " at most: what cannot change the result is left out" : "");
  out << fmt::format("  disk          {} to read, {} to write{}\n", format_size(p.bytes_read),
                     format_size(p.bytes_written), moving_time(times.disk, run::assumed_disk_bytes_per_second));
  if (p.bytes_up + p.bytes_down > 0) {
    out << fmt::format("  link          {} up, {} down{}{}\n", format_size(p.bytes_up), format_size(p.bytes_down),
                       moving_time(times.link, run::assumed_link_bytes_per_second),
                       p.link_waits ? ", while nothing is computed: memory holds one block" : "");
  }
  if (p.limit > 0) {
    out << fmt::format("  limit         {}\n", describe_limit(p, times));
  }
  out << fmt::format("  predicted     {}{}\n", describe_time(planned, times),
                     p.leaves_out ? ", if nothing is left out" : "");
}

/// "result.h5 is there already, made by this job: `terrace run` computes nothing; ..."
std::string describe_there(const job::OpenJob& open, const ReadAgain& again) {
  std::string text = open.job.output.string() + " is there already, made by this job: `terrace run` computes nothing";
  for (const job::Stage& stage : open.job.stages) {
    const std::string doubt = again.doubt(stage.name);
    if (doubt.empty()) continue;
    text += ", if what stage '" + stage.name + "' has read is the same (to be compared: " + doubt + ")";
    break;
  }
  return text + "; this is what computing all of it anew would take";
}

/// Looks at the result that is there, if any. Notes what would be lost, or that nothing is to be computed.
Outcome outcome_of(Session& session, const job::OpenJob& open, const Machine& machine, const Wish& wish,
                   ReadAgain& again) {
  const job::Job& job = open.job;
  check_output(job);
  if (wish.fresh >= Fresh::result) return {};
  const Signature now = signature_of(open, machine);
  try {
    const ExistingOutput output = look_at_output(open, now, Fresh::changed, again);
    Outcome outcome;
    outcome.there = output.there && !output.difference && wish.fresh != Fresh::stage;
    if (outcome.there) {
      session.note(describe_there(open, again));
      return outcome;
    }
    outcome.taken = taken_over(open, now, wish.anew(), again);
    for (const job::Stage& stage : job.stages) outcome.doubts[stage.name] = again.doubt(stage.name);
    if (const auto& loss = outcome.taken.loss) {
      session.note(job.output.string() + " is there: " + loss->in_words() +
                   (wish.fresh == Fresh::nothing
                        ? "; `terrace run` does so with --fresh=changed, which is planned here"
                        : ""));
    } else if (outcome.taken.stages.size() == job.stages.size()) {
      session.note("`terrace run` computes nothing: all stages are taken over");
    }
    return outcome;
  } catch (const IoError&) {
    return {};  // `terrace run` says what is wrong with the file
  }
}

/// Plans the job with its progress on standard error. @param outcome is set
run::RunPlan planned(Session& session, const job::OpenJob& open, const Machine& machine, const Wish& wish,
                     Progress& progress, PartProgress& parts, Outcome& outcome) {
  const auto watch = [&parts](const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
    parts.show(part, unit, done, all);
  };
  ReadAgain again(
      open, [&] { return make_plan(open, machine, session.stages, nullptr, watch, {}); }, watch,
      ReadAgain::Mode::note);
  outcome = outcome_of(session, open, machine, wish, again);
  if (!outcome.there) check_scratch_folder(open.job);
  run::RunPlan plan = make_plan(open, machine, session.stages, nullptr, watch, outcome.taken);
  progress.finish();
  tell_of_cpu(plan, [&](const std::string& why) { session.note(why); });
  return plan;
}

/// A job with its machine and its plan.
struct PlannedJob {
  job::OpenJob open;
  Machine machine;
  Outcome outcome;
  run::RunPlan plan;
};

PlannedJob plan_job(Session& session, const PlanArguments& arguments) {
  PlannedJob job;
  job.open = job::load_and_open(arguments.job.path, arguments.job.settings, session.stages.declarations(),
                                session.kinds, true, arguments.job.task.get());
  session.keep_log_apart(job.open.job);
  for (const std::string& warning : job.open.job.warnings) session.warn(warning);
  const auto warn = [&](const std::string& text) { session.warn(text); };
  warn_of_budgets(job.open.job, warn);
  job.machine = open_machine(job.open, session.stages);
  if (!job.machine.note.empty()) session.note(job.machine.note);
  Progress progress(session.err, progress_style(STDERR_FILENO, session.quiet), nullptr,
                    [] { return terminal_columns(STDERR_FILENO); });
  PartProgress parts(progress);
  const Wish wish = wish_from(arguments.fresh, job.open.job);
  job.plan = planned(session, job.open, job.machine, wish, progress, parts, job.outcome);
  StageWarnings(warn).tell(job.plan);
  warn_of_disk(job.open.job, job.plan, warn);
  return job;
}

void print_plan(Session& session, const PlannedJob& job, bool explain) {
  const stages::Resources& resources = job.machine.main.resources;
  session.out << fmt::format("on {} x {}\n", job.machine.main.contexts.size(), resources.device.name);
  session.out << fmt::format("memory: {} of the host, {} of each device\n",
                             format_size(static_cast<double>(resources.host_budget)),
                             format_size(static_cast<double>(resources.device_budget)));
  if (resources.input_memory > 0) {
    session.out << fmt::format("of the host's, {} more are the inputs'\n",
                               format_size(static_cast<double>(resources.input_memory)));
  }
  const run::DiskNeed need = run::disk_need(job.plan);
  session.out << fmt::format(
      "disk: {} for the result{}, {} of scratch\n", format_size(static_cast<double>(need.result)),
      need.taken > 0 ? fmt::format(" ({} of it taken over: no new space if the file system can share it)",
                                   format_size(static_cast<double>(need.taken)))
                     : "",
      format_size(static_cast<double>(need.scratch)));
  double seconds = 0;
  for (const run::PlannedStage& stage : job.plan.stages) {
    if (stage.taken) print_taken(session.out, stage, job.outcome.doubt(stage.name));
    else print_stage(session.out, stage, job.plan, static_cast<int>(job.machine.main.contexts.size()), explain);
    seconds += run::predicted_seconds(stage);
  }
  session.out << fmt::format("predicted in all: {}\n", format_duration(seconds));
}

}  // namespace

Json plan_as_json(Session& session, const PlanArguments& arguments) {
  const PlannedJob job = plan_job(session, arguments);
  return plan_json(job.open.job, job.machine, job.plan, job.outcome, arguments.explain);
}

int answer_plan(Session& session, const PlanArguments& arguments) {
  if (arguments.json) return session.answer_json(plan_as_json(session, arguments));
  print_plan(session, plan_job(session, arguments), arguments.explain);
  return exit_done;
}

int plan(Session& session, const PlanArguments& arguments) {
  if (job::is_batch(arguments.job.path, arguments.job.settings)) return plan_batch(session, arguments);
  if (!arguments.task.empty())
    throw JobError("--task names a task of a batch, and " + arguments.job.path + " has no 'sweep'");
  return answer_plan(session, arguments);
}

}  // namespace terrace::app
