// `terrace submit`: a script for Slurm, with memory, time and GPUs from the plan.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "kernels/device/context.hpp"
#include "pipeline/app/batch/finished.hpp"
#include "pipeline/app/batch/task_list.hpp"
#include "pipeline/app/batch/tasks_plan.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/job_plan.hpp"
#include "pipeline/app/own_program.hpp"
#include "pipeline/app/submit/options.hpp"
#include "pipeline/app/submit/script.hpp"
#include "pipeline/app/submit/slurm.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double mebi = 1 << 20;
// Memory beside the budget: the program, its threads and the measurement of the machine; CUDA maps more.
constexpr double program_memory = 512 * mebi, cuda_memory = 1536 * mebi;
// Budgets where the job gives none: more than the plan expects, which knows no rounding to blocks.
constexpr double budget_factor = 1.25, budget_more = 64 * mebi;
// Time limits: a job that needs longer stops at a checkpoint and goes back into the queue.
constexpr double time_factor = 3, time_more = 300, least_time = 900, most_time = 86400;
constexpr double notice_seconds = 120, notice_share = 0.25;  // before the limit

/// Most tasks that are planned: of more, evenly chosen ones.
constexpr std::size_t most_planned = 200;

/// Memory, time and GPUs that the job, or the largest task, is expected to take.
struct Needs {
  double memory = 0, seconds = 0;  // bytes, seconds
  std::int64_t gpus = 0;
};

Needs needs_of(const Json& plan) {
  return {number_from(plan.at("memory").at("expected")), number_from(plan.at("predicted_seconds")),
          plan.at("backend") == "cuda" ? plan.at("devices").get<std::int64_t>() : 0};
}

/// The arguments for a plan on this machine: for the CPU where there is no GPU.
PlanArguments plan_arguments(const JobArguments& job, bool gpu_here) {
  PlanArguments arguments{.job = job};
  if (gpu_here) return arguments;
  auto& settings = arguments.job.settings;
  std::erase_if(settings,
                [](const std::string& s) { return s.starts_with("backend=") || s.starts_with("devices="); });
  settings.insert(settings.end(), {"backend=cpu", "devices=all"});
  return arguments;
}

/// The largest needs of the tasks, or the needs of the job. @param batch null: a job
Needs planned_needs(Session& session, const JobArguments& job, const job::Batch* batch,
                    const std::vector<std::int64_t>& tasks) {
  const bool gpu_here = !device::cuda_devices(nullptr).empty();
  const PlanArguments arguments = plan_arguments(job, gpu_here);
  Needs needs;
  if (batch == nullptr) {
    needs = needs_of(plan_as_json(session, arguments));
  } else {
    std::vector<std::int64_t> chosen;
    const std::size_t step = (tasks.size() + most_planned - 1) / most_planned;
    for (std::size_t i = 0; i < tasks.size(); i += std::max<std::size_t>(step, 1)) chosen.push_back(tasks[i]);
    for (const Json& task : plan_tasks(session, arguments, *batch, chosen).tasks) {
      const Needs one = needs_of(task.at("plan"));
      needs = {std::max(needs.memory, one.memory), std::max(needs.seconds, one.seconds),
               std::max(needs.gpus, one.gpus)};
    }
  }
  if (!gpu_here && job::named_keys(job.path, job.settings).backend == "cuda") needs.gpus = 1;
  return needs;
}

/// The limit of the user in seconds, or the one that is suggested.
double time_limit(const SbatchOptions& options, double suggested) {
  const auto given = options.value_of("time");
  return given ? parse_slurm_time(*given).value_or(suggested) : suggested;
}

/// Suggests options by the needs, and completes the settings of the run.
void suggest(const std::string& name, const Needs& needs, const job::NamedKeys& names, SbatchOptions& options,
             SubmittedRun& run) {
  options.suggest("job-name", name);
  options.suggest("ntasks", "1");
  const double budget = names.host_memory ? needs.memory : budget_factor * needs.memory + budget_more;
  const double all = budget + program_memory + (needs.gpus > 0 ? cuda_memory : 0);
  const bool suggested =
      options.suggest("mem", fmt::format("{:.0f}M", std::ceil(all / mebi)), {"mem-per-cpu", "mem-per-gpu"});
  if (suggested && !names.host_memory)
    run.settings.push_back(fmt::format("memory.host={:.0f}MiB", std::ceil(budget / mebi)));
  if (needs.gpus > 0)
    options.suggest("gres", fmt::format("gpu:{}", needs.gpus), {"gpus", "gpus-per-node", "gpus-per-task"});
  const double time = std::clamp(time_factor * needs.seconds + time_more, least_time, most_time);
  options.suggest("time", slurm_time(time));
  const double notice = std::min(notice_seconds, notice_share * time_limit(options, time));
  options.suggest("signal", fmt::format("B:USR1@{:.0f}", notice));
  options.suggest("requeue", "", {"no-requeue"});
  options.suggest("open-mode", "append");
  run.threads_of_slurm = !names.threads;
}

/// The numbers of the tasks that are not finished.
std::vector<std::int64_t> left_tasks(const Session& session, const JobArguments& arguments, const job::Batch& batch) {
  std::vector<std::int64_t> left;
  for (const job::Task& task : batch.tasks) {
    if (!is_finished(session, task_arguments(arguments, task))) left.push_back(task.number);
  }
  return left;
}

/// The scripts of a batch: an array for every so many tasks.
std::vector<std::string> array_scripts(const std::vector<std::int64_t>& tasks, const SbatchOptions& options,
                                       SubmittedRun run) {
  const long most = most_array_indices();
  std::vector<std::string> scripts;
  for (std::size_t i = 0; i < tasks.size();) {
    run.first_task = tasks[i] / most * most;
    std::vector<std::int64_t> indices;
    for (; i < tasks.size() && tasks[i] < *run.first_task + most; ++i) indices.push_back(tasks[i] - *run.first_task);
    SbatchOptions all = options;
    all.suggest("array", ranges_of(indices, ","));
    scripts.push_back(script_for(run, all));
  }
  return scripts;
}

}  // namespace

int submit(Session& session, const SubmitArguments& arguments) {
  const JobArguments& job = arguments.job;
  const bool is_batch = job::is_batch(job.path, job.settings);
  SbatchOptions options(arguments.options);
  SubmittedRun run{fs::canonical(own_program()), fs::absolute(job.path), job.settings};
  if (!is_batch && arguments.again) throw JobError("--again is for a batch, and " + job.path + " has no 'sweep'");
  if (is_batch && options.has("array"))
    throw JobError(
        "--array of a batch is made of the tasks that are not finished; name tasks with `terrace run --task`");
  job::Batch batch;
  std::vector<std::int64_t> tasks;
  if (is_batch) {
    batch = listed_batch(job, arguments.again);
    tasks = left_tasks(session, job, batch);
    if (tasks.empty()) {
      session.note(job.path + ": all tasks are done");
      return exit_done;
    }
  }
  const Needs needs = planned_needs(session, job, is_batch ? &batch : nullptr, tasks);
  suggest(fs::path(job.path).stem().string(), needs, job::named_keys(job.path, job.settings), options, run);
  const std::vector<std::string> scripts =
      is_batch ? array_scripts(tasks, options, run) : std::vector{script_for(run, options)};
  for (const std::string& script : scripts) {
    if (arguments.print) session.out << script;
    else hand_to_sbatch(script);
  }
  if (is_batch)
    session.note(fmt::format("{}: {} in {}", job.path, counted(std::ssize(tasks), "task"),
                             counted(std::ssize(scripts), "array")));
  return exit_done;
}

}  // namespace terrace::app
