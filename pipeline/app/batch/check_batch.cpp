#include <fmt/format.h>

#include <ostream>
#include <set>

#include "pipeline/app/batch/batch_commands.hpp"
#include "pipeline/app/batch/named_errors.hpp"
#include "pipeline/app/batch/task_errors.hpp"
#include "pipeline/app/batch/task_list.hpp"
#include "pipeline/app/job_check.hpp"
#include "pipeline/app/message_json.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

struct CheckedBatch {
  std::int64_t tasks = 0;
  std::vector<std::string> errors, warnings;
};

CheckedBatch check_tasks(Session& session, const JobArguments& arguments) {
  CheckedBatch checked;
  std::set<std::string> warned;
  TaskErrors errors;
  const auto load = [&] {
    const job::Batch batch = known_batch(arguments);
    for (const job::Task& task : batch.tasks) {
      const JobArguments here = task_arguments(arguments, task);
      errors.collect(here, [&] {
        check_job(session, here, [&](const std::string& warning) {
          if (warned.insert(warning).second) checked.warnings.push_back(with_task(warning, here));
        });
      });
    }
    checked.tasks = std::ssize(batch.tasks);
  };
  try {
    load();
    checked.errors = errors.messages();
  } catch (const JobError& error) {
    checked.errors = error.messages();
  }
  return checked;
}

int answer_as_json(Session& session, const JobArguments& arguments, const CheckedBatch& checked) {
  Json answer = {{"job", text_json(arguments.path)},
                 {"valid", checked.errors.empty()},
                 {"tasks", checked.tasks},
                 {"errors", Json::array()},
                 {"warnings", Json::array()}};
  for (const auto& [list, messages] :
       {std::pair("errors", &checked.errors), std::pair("warnings", &checked.warnings)}) {
    for (const std::string& message : *messages) {
      answer[list].push_back(message_json(message, arguments.path, arguments.settings));
    }
  }
  session.answer_json(answer);
  return checked.errors.empty() ? exit_done : exit_wrong;
}

}  // namespace

int check_batch(Session& session, const PlanArguments& arguments) {
  const CheckedBatch checked = check_tasks(session, arguments.job);
  if (arguments.json) return answer_as_json(session, arguments.job, checked);
  for (const std::string& warning : checked.warnings) session.warn(warning);
  if (!checked.errors.empty()) throw JobError(checked.errors);
  session.out << fmt::format("{} is fine: a batch of {}\n", printable(arguments.job.path),
                             counted(checked.tasks, "task"));
  return exit_done;
}

}  // namespace terrace::app
