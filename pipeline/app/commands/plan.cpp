// `terrace plan`: blocks, memory, disk space and time that a job is expected to take.
#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>

#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/fresh.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/app/progress/part_progress.hpp"
#include "pipeline/app/progress/terminal.hpp"
#include "pipeline/app/signature.hpp"
#include "pipeline/app/taking_over.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/result_summary.hpp"

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

/// "computing", "disk" or "link": the longest of the times.
const char* bound_of(double seconds, const run::PredictedTimes& times) {
  return seconds == times.compute ? "computing" : seconds == times.disk ? "disk" : "link";
}

/// "2.1 s, bound by the disk".
std::string describe_time(const run::Prediction& p, const run::PredictedTimes& times) {
  const double seconds = run::predicted_seconds(p);
  const std::string bound = bound_of(seconds, times), article = bound == "computing" ? "" : "the ";
  return format_duration(seconds) + (seconds > 0 ? ", bound by " + article + bound : "");
}

void print_stage(std::ostream& out, const run::PlannedStage& planned) {
  if (planned.taken) {
    out << fmt::format("stage {}\n  taken over from {}\n", planned.name, planned.taken->file.string());
    return;
  }
  const run::Prediction p = planned.stage->prediction();
  const run::PredictedTimes times = run::predicted_times(p);
  out << fmt::format("stage {}\n", planned.name);
  const std::size_t comma = std::min(p.block_shape.find(','), p.block_shape.size());
  out << fmt::format("  blocks        {} of {} {}s{}\n", p.blocks, p.block_shape.substr(0, comma), p.unit,
                     p.block_shape.substr(comma));
  out << fmt::format("  a block holds {} of device memory{}\n", format_size(static_cast<double>(p.block_bytes)),
                     p.workspace_bytes > 0
                         ? fmt::format(", and the kernel {}", format_size(static_cast<double>(p.workspace_bytes)))
                         : "");
  out << fmt::format("  work          {}{}\n", format_count(p.operations, p.unit),
                     p.leaves_out ? " at most: what cannot change the result is left out" : "");
  out << fmt::format("  disk          {} to read, {} to write{}\n", format_size(p.bytes_read),
                     format_size(p.bytes_written), moving_time(times.disk, run::assumed_disk_bytes_per_second));
  if (p.bytes_up + p.bytes_down > 0) {
    out << fmt::format("  link          {} up, {} down{}\n", format_size(p.bytes_up), format_size(p.bytes_down),
                       moving_time(times.link, run::assumed_link_bytes_per_second));
  }
  if (p.limit > 0) {
    out << fmt::format("  limit         {}\n", describe_limit(p, times));
  }
  out << fmt::format("  predicted     {}{}\n", describe_time(p, times),
                     p.leaves_out ? ", if nothing is left out" : "");
}

/// Parts of the result that is there, if any, which `terrace run` would take over. Notes what would be lost.
TakenOver taken_by(Session& session, const job::OpenJob& open, const Machine& machine, const Wish& wish,
                   ReadAgain& again) {
  const std::filesystem::path& output = open.job.output;
  if (wish.fresh >= Fresh::result) return {};
  try {
    TakenOver taken = taken_over(open, signature_of(open, machine), wish.stage, again);
    if (!taken.loss && taken.stages.size() == open.job.stages.size()) {
      session.note(output.string() + " is there already; this is what computing all of it anew would take");
      return {};
    }
    if (taken.loss) {
      session.note(output.string() + " is there: " + taken.loss->in_words() +
                   (wish.fresh == Fresh::nothing
                        ? "; `terrace run` does so with --fresh=changed, which is planned here"
                        : ""));
    }
    return taken;
  } catch (const IoError&) {
    return {};  // `terrace run` says what is wrong with the file
  }
}

/// Plans the job with its progress on standard error.
run::RunPlan planned(Session& session, const job::OpenJob& open, Machine& machine, const Wish& wish,
                     Progress& progress, PartProgress& parts) {
  const auto tell = [&](const std::string& why) {
    progress.finish();
    session.note(why);
  };
  const auto watch = [&parts](const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
    parts.show(part, unit, done, all);
  };
  const auto take_over = [&](const Machine& machine_now) {
    ReadAgain again(
        open, [&] { return make_plan(open, machine_now, session.stages, nullptr, watch, {}); }, watch);
    return taken_by(session, open, machine_now, wish, again);
  };
  run::RunPlan plan = make_new_plan(open, machine, session.stages, tell, watch, take_over);
  progress.finish();
  return plan;
}

Json stage_json(const run::PlannedStage& planned) {
  const run::Prediction p = planned.stage->prediction();
  const run::PredictedTimes times = run::predicted_times(p);
  const double seconds = run::predicted_seconds(p);
  const Json taken = planned.taken ? text_json(planned.taken->file.string()) : Json();
  return {{"name", planned.name},
          {"temporary", planned.temporary},
          {"taken_over_from", taken},
          {"blocks", p.blocks},
          {"block_shape", p.block_shape},
          {"block_bytes", p.block_bytes},
          {"workspace_bytes", p.workspace_bytes},
          {"unit", p.unit},
          {"operations", number_json(p.operations)},
          {"leaves_out", p.leaves_out},
          {"bytes_read", number_json(p.bytes_read)},
          {"bytes_written", number_json(p.bytes_written)},
          {"bytes_up", number_json(p.bytes_up)},
          {"bytes_down", number_json(p.bytes_down)},
          {"limit", number_json(p.limit)},
          {"limit_kind", p.limit_kind},
          {"compute_seconds", number_json(times.compute)},
          {"disk_seconds", number_json(times.disk)},
          {"link_seconds", number_json(times.link)},
          {"predicted_seconds", number_json(seconds)},
          {"bound", seconds > 0 ? bound_of(seconds, times) : ""}};
}

Json plan_json(const job::Job& job, const Machine& machine, const run::RunPlan& run_plan) {
  const stages::Resources& resources = machine.resources;
  const run::DiskNeed need = run::disk_need(run_plan);
  Json stages = Json::array();
  double seconds = 0;
  for (const run::PlannedStage& stage : run_plan.stages) {
    stages.push_back(stage_json(stage));
    seconds += run::predicted_seconds(stage.stage->prediction());
  }
  return {
      {"job", text_json(job.file.string())},
      {"output", text_json(job.output.string())},
      {"device", resources.device.name},
      {"devices", machine.contexts.size()},
      {"backend", resources.cuda ? "cuda" : "cpu"},
      {"memory",
       {{"host", resources.host_budget}, {"device", resources.device_budget}, {"inputs", resources.input_memory}}},
      {"disk", {{"result", need.result}, {"scratch", need.scratch}, {"taken_over", need.taken}}},
      {"stages", stages},
      {"predicted_seconds", number_json(seconds)}};
}

}  // namespace

int plan(Session& session, const PlanArguments& arguments) {
  const job::OpenJob open =
      job::load_and_open(arguments.job.path, arguments.job.settings, session.stages.declarations(), session.kinds);
  session.keep_log_apart(open.job);
  for (const std::string& warning : open.job.warnings) session.warn(warning);
  const auto warn = [&](const std::string& text) { session.warn(text); };
  warn_of_budgets(open.job, warn);
  Machine machine = open_machine(open, session.stages);
  if (!machine.note.empty()) session.note(machine.note);
  Progress progress(session.err, progress_style(STDERR_FILENO, session.quiet), nullptr,
                    [] { return terminal_columns(STDERR_FILENO); });
  PartProgress parts(progress);
  const run::RunPlan run_plan =
      planned(session, open, machine, wish_from(arguments.fresh, open.job), progress, parts);
  StageWarnings(warn).tell(run_plan);
  warn_of_disk(open.job, run_plan, warn);
  if (arguments.json) return session.answer_json(plan_json(open.job, machine, run_plan));
  session.out << fmt::format("on {} x {}\n", machine.contexts.size(), machine.resources.device.name);
  session.out << fmt::format("memory: {} of the host, {} of each device\n",
                             format_size(static_cast<double>(machine.resources.host_budget)),
                             format_size(static_cast<double>(machine.resources.device_budget)));
  if (machine.resources.input_memory > 0) {
    session.out << fmt::format("of the host's, {} more are the inputs'\n",
                               format_size(static_cast<double>(machine.resources.input_memory)));
  }
  const run::DiskNeed need = run::disk_need(run_plan);
  session.out << fmt::format(
      "disk: {} for the result{}, {} of scratch\n", format_size(static_cast<double>(need.result)),
      need.taken > 0 ? fmt::format(" ({} of it taken over: no new space if the file system can share it)",
                                   format_size(static_cast<double>(need.taken)))
                     : "",
      format_size(static_cast<double>(need.scratch)));
  double seconds = 0;
  for (const run::PlannedStage& stage : run_plan.stages) {
    print_stage(session.out, stage);
    seconds += run::predicted_seconds(stage.stage->prediction());
  }
  session.out << fmt::format("predicted in all: {}\n", format_duration(seconds));
  return exit_done;
}

}  // namespace terrace::app
