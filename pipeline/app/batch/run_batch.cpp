#include "pipeline/app/batch/batch_commands.hpp"
#include "pipeline/app/batch/run_task.hpp"
#include "pipeline/app/batch/run_tasks.hpp"
#include "pipeline/app/batch/task_list.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {

int run_batch(Session& session, const RunArguments& arguments) {
  const auto span = time_span(arguments.time_limit);
  const job::Batch batch = listed_batch(arguments.job, arguments.again);
  const TaskRange range = task_range(arguments.task, batch);
  const bool is_single = !arguments.task.empty() && range.count() == 1;
  if (!is_single) return run_tasks(session, arguments, batch, range, span);
  const JobArguments task = task_arguments(arguments.job, batch.tasks[static_cast<std::size_t>(range.first)]);
  const TaskRun run = run_task(session, task, arguments.fresh, span);
  if (arguments.json) session.answer_json(task_answer(task, run));
  else if (run.code == exit_done && !run.skipped) session.answer_path(run.made.output);
  return run.code;
}

void refuse_batch_options(const RunArguments& arguments) {
  const char* option = !arguments.task.empty() ? "--task"
                       : arguments.keep_going  ? "--keep-going"
                       : arguments.again       ? "--again"
                                               : nullptr;
  if (option) throw JobError(std::string(option) + " is for a batch, and " + arguments.job.path + " has no 'sweep'");
}

}  // namespace terrace::app
