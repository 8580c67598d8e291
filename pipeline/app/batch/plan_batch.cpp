#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <set>
#include <sstream>

#include "pipeline/app/batch/batch_commands.hpp"
#include "pipeline/app/batch/named_errors.hpp"
#include "pipeline/app/batch/run_task.hpp"
#include "pipeline/app/batch/task_errors.hpp"
#include "pipeline/app/batch/task_list.hpp"
#include "pipeline/app/batch/task_status.hpp"
#include "pipeline/app/batch/tasks_plan.hpp"
#include "pipeline/app/job_plan.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

double number_at(const Json& plan, const char* outer, const char* inner) {
  return number_from(plan.at(outer).at(inner));
}

std::vector<std::string> row_of(const job::Task& task, const Json& planned) {
  const Json& plan = planned.at("plan");
  return {std::to_string(task.number),
          planned.at("state"),
          format_size(number_at(plan, "memory", "expected")),
          format_size(number_at(plan, "disk", "result") + number_at(plan, "disk", "scratch")),
          format_duration(number_from(plan.at("predicted_seconds"))),
          task.values_in_words()};
}

}  // namespace

TasksPlan plan_tasks(Session& session, const PlanArguments& arguments, const job::Batch& batch,
                     const std::vector<std::int64_t>& numbers) {
  TasksPlan all;
  TaskErrors errors;
  std::set<std::string> said;
  for (const std::int64_t number : numbers) {
    const job::Task& task = batch.tasks[static_cast<std::size_t>(number)];
    PlanArguments one = arguments;
    one.job = task_arguments(arguments.job, task);
    std::ostringstream out, err;
    Session here(out, err, session.stages, session.kinds);
    here.quiet = true;
    errors.collect(one.job, [&] {
      Json planned = task_json(task);
      planned["state"] = name_of(status_of(task).state);
      planned["plan"] = plan_as_json(here, one);
      const double seconds = number_from(planned["plan"]["predicted_seconds"]);
      if (planned["state"] != "done") all.seconds += seconds;
      all.longest = std::max(all.longest, seconds);
      all.memory = std::max(all.memory, number_at(planned["plan"], "memory", "expected"));
      all.tasks.push_back(std::move(planned));
    });
    if (const std::string text = err.str(); !text.empty() && said.insert(text).second) session.err << text;
  }
  if (!errors.empty()) throw JobError(errors.messages());
  return all;
}

int plan_batch(Session& session, const PlanArguments& arguments) {
  const job::Batch batch = known_batch(arguments.job);
  const TaskRange range = task_range(arguments.task, batch);
  if (!arguments.task.empty() && range.count() == 1) {
    PlanArguments one = arguments;
    one.job = task_arguments(arguments.job, batch.tasks[static_cast<std::size_t>(range.first)]);
    with_named_errors(one.job, [&] { answer_plan(session, one); });
    return exit_done;
  }
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(range.count()));
  std::iota(numbers.begin(), numbers.end(), range.first);
  const TasksPlan all = plan_tasks(session, arguments, batch, numbers);
  if (arguments.json) {
    return session.answer_json({{"batch", text_json(arguments.job.path)},
                                {"tasks", all.tasks},
                                {"memory_expected", number_json(all.memory)},
                                {"longest_seconds", number_json(all.longest)},
                                {"predicted_seconds", number_json(all.seconds)}});
  }
  TextTable table{{"task", "state", "memory", "disk", "predicted", "values"}, {}};
  for (const Json& planned : all.tasks) {
    table.rows.push_back(row_of(batch.tasks[planned.at("task").get<std::size_t>()], planned));
  }
  session.answer(to_text(table, "", session.columns));
  session.answer(fmt::format("predicted in all: {} for {} that are not done, one after another\n",
                             format_duration(all.seconds),
                             counted(std::count_if(all.tasks.begin(), all.tasks.end(),
                                                   [](const Json& task) { return task.at("state") != "done"; }),
                                     "task")));
  return exit_done;
}

}  // namespace terrace::app
