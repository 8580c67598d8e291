#include "pipeline/app/commands.hpp"

namespace terrace::app {

std::shared_ptr<JobArguments> add_job_arguments(CLI::App& command) {
  auto arguments = std::make_shared<JobArguments>();
  command.add_option("JOB", arguments->path, "The job's file")->required();
  command
      .add_option("--set", arguments->settings,
                  "Set a key of the job, as in memory.device=1GiB or stages.align.match=2; may be given again")
      ->type_size(1)
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  return arguments;
}

}  // namespace terrace::app
