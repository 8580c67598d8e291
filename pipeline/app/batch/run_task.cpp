#include "pipeline/app/batch/run_task.hpp"

#include "io/files/run_lock.hpp"
#include "pipeline/app/batch/named_errors.hpp"
#include "pipeline/app/batch/task_status.hpp"
#include "pipeline/app/program.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace

TaskRun run_task(Session& session, const JobArguments& arguments, const std::string& fresh,
                 const std::optional<TimeSpan>& span) {
  TaskRun run;
  const FailureNote note(arguments.task->output);
  if (status_of(*arguments.task).state == TaskState::failed) note.remove();
  const auto work = [&] {
    try {
      with_named_errors(arguments, [&] { run.made = run_job(session, arguments, fresh, span); });
    } catch (const io::LockHeld& held) {
      run.skipped = true;
      session.note(arguments.task->in_words() + " is skipped: another process runs it (" + held.holder() + ")");
    }
    return exit_done;
  };
  run.code = run_command(session, work, &run.errors);
  if (run.code == exit_wrong) run.code = exit_failed;
  if (run.code == exit_failed) note.write(joined(run.errors));
  else if (!run.skipped) note.remove();
  return run;
}

Json task_json(const job::Task& task) {
  Json values = Json::object();
  for (const auto& [name, value] : task.values) values[name] = text_json(value.text);
  return {{"task", task.number}, {"values", values}, {"output", text_json(task.output.string())}};
}

Json task_answer(const JobArguments& arguments, const TaskRun& run) {
  Json answer = run_answer(arguments, run.code, run.made, run.errors);
  if (run.skipped) answer = {{"job", answer["job"]}, {"state", "under way"}};
  answer.update(task_json(*arguments.task));
  return answer;
}

}  // namespace terrace::app
