#include "pipeline/app/syntax/job_commands.hpp"

#include <memory>
#include <string>
#include <utility>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/progress/time_limit.hpp"
#include "pipeline/app/syntax/command.hpp"

namespace terrace::app {
namespace {

/// Adds the arguments of commands that read a job.
void add_job(CLI::App& command, JobArguments& job) {
  command.add_option("JOB", job.path, "The job's file")->required()->check(not_empty);
  command
      .add_option("--set", job.settings,
                  "Set a key of the job, as in memory.device=1GiB or stages.align.match=2; may be given again")
      ->type_size(1)
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  // After --set: the parse fills in options in this order.
  command.add_option_function<std::string>(
      "--backend", [&job](const std::string& name) { job.settings.push_back("backend=" + name); },
      "auto, cuda or cpu: like --set backend=...");
  command
      .add_option_function<std::string>(
          "--threads", [&job](const std::string& count) { job.settings.push_back("threads=" + count); },
          "Threads of the CPU that compute: like --set threads=...")
      ->type_name("NUMBER");
}

void add_task(CLI::App& command, std::string& task) {
  command.add_option("--task", task, "Of a batch, which task or tasks: 17 or 10-19; by default all")
      ->type_name("NUMBERS")
      ->check(not_empty);
}

void add_run(CLI::App& program, CommandLine& line, Session& session) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App& command = add_command(program, line, session, "run",
                                  "Run a job or the tasks of a batch, or resume what was stopped", run, arguments);
  add_job(command, arguments->job);
  command.preparse_callback([&line](std::size_t) {
    line.output = Output::extra;
    line.stops = true;
  });
  command.add_flag("--dry-run", arguments->dry,
                   "Only plan, as the command plan does; with --fresh what a run with it would take over");
  command.add_flag("--fresh", arguments->fresh,
                   "Compute all anew once, and replace a result that Terrace made; after a stop the same command "
                   "resumes. --fresh=changed: compute what has changed in the job or its inputs, and take over the "
                   "rest; --fresh=STAGE: compute that stage, too, and what reads it; --fresh=all: also discard any "
                   "unfinished run");
  command
      .add_option("--time-limit", arguments->time_limit,
                  "Stop at a checkpoint in time before so long, such as 3h50m; by default when the scheduler says "
                  "(SLURM_JOB_END_TIME), if it does")
      ->type_name("TIME")
      ->check([](const std::string& text) {
        return parse_time_limit(text) ? std::string() : "a time is such as 3h50m, 90min or 30s; not '" + text + "'";
      });
  add_json(command, arguments->json);
  add_task(command, arguments->task);
  command.add_flag("--keep-going", arguments->keep_going, "Of a batch: go on after a task that has failed");
  command.add_flag("--again", arguments->again, "Of a batch: list its tasks anew in BATCH.tasks");
}

void add_submit(CLI::App& program, CommandLine& line, Session& session) {
  auto asked = std::make_shared<SubmitArguments>();
  CLI::App& command = add_command(program, line, session, "submit",
                                  "Hand a job, or the tasks of a batch, to the queue of Slurm", submit, asked);
  add_job(command, asked->job);
  command.add_flag("--print", asked->print, "Print the script in place of handing it to sbatch");
  command.add_flag("--again", asked->again, "Of a batch: list its tasks anew in BATCH.tasks");
  command.add_option("OPTIONS", asked->options, "Options of sbatch, behind --: -- --partition=gpu --time=8:00:00");
}

}  // namespace

void add_job_commands(CLI::App& program, CommandLine& line, Session& session) {
  const auto add_question = [&](const std::string& name, const std::string& help,
                                int (*answer)(Session&, const PlanArguments&)) {
    auto asked = std::make_shared<PlanArguments>();
    CLI::App& question = add_command(program, line, session, name, help, answer, asked);
    add_job(question, asked->job);
    add_json(question, asked->json);
    return std::pair<CLI::App&, std::shared_ptr<PlanArguments>>(question, asked);
  };
  add_question("check", "Report every error of a job, or that it has none", check);
  const auto [planned, asked] = add_question("plan", "Describe how a job would run, without running it", plan);
  planned.add_flag("--explain", asked->explain,
                   "For each stage list the kernels that could compute it, their rate, and why others cannot");
  planned.add_flag("--fresh", asked->fresh, "Plan what `run` with the same --fresh would compute and take over");
  add_task(planned, asked->task);
  add_run(program, line, session);
  add_submit(program, line, session);
}

}  // namespace terrace::app
