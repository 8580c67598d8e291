#include <fmt/format.h>

#include <array>
#include <ostream>

#include "pipeline/app/batch/batch_commands.hpp"
#include "pipeline/app/batch/run_task.hpp"
#include "pipeline/app/batch/task_list.hpp"
#include "pipeline/app/batch/task_status.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

constexpr std::array all_states{TaskState::done,      TaskState::failed,  TaskState::under_way,
                                TaskState::elsewhere, TaskState::stopped, TaskState::left};

struct KnownTask {
  const job::Task* task;
  TaskStatus status;
};

/// The numbers of the tasks in a state, and of those with a detail a line each.
std::string describe_state(const std::vector<KnownTask>& tasks, TaskState state) {
  std::vector<std::int64_t> numbers;
  std::string lines;
  for (const auto& [task, status] : tasks) {
    if (status.state != state) continue;
    numbers.push_back(task->number);
    if (status.detail.empty()) continue;
    const std::string first = status.detail.substr(0, status.detail.find('\n'));  // without the excerpt
    const bool names_task = first.find(task->in_words()) != std::string::npos;
    lines += "    " + (names_task ? "" : task->in_words() + ": ") + first + "\n";
  }
  if (numbers.empty()) return "";
  return fmt::format("  {:<9}  {}: {}\n", name_of(state), numbers.size(), ranges_of(numbers, ", ")) + lines;
}

Json status_json(const KnownTask& known) {
  Json json = task_json(*known.task);
  json["state"] = name_of(known.status.state);
  if (known.status.detail.empty()) return json;
  json[known.status.state == TaskState::failed ? "error" : "holder"] = text_json(known.status.detail);
  return json;
}

Json batch_json(const job::Batch& batch, const std::vector<KnownTask>& tasks) {
  Json counts = Json::object(), list = Json::array();
  for (const TaskState state : all_states) counts[name_of(state)] = 0;
  for (const KnownTask& known : tasks) {
    Json& count = counts[name_of(known.status.state)];
    count = count.get<std::int64_t>() + 1;
    list.push_back(status_json(known));
  }
  return {{"batch", text_json(batch.file.string())}, {"counts", counts}, {"tasks", list}};
}

}  // namespace

int show_batch(Session& session, const ShowArguments& arguments) {
  if (!arguments.stage.empty() || arguments.paf || arguments.tsv || arguments.xdmf || arguments.kerchunk) {
    throw JobError(arguments.path + ": is a batch; name the result of a task to see more of it");
  }
  const job::Batch batch = known_batch({arguments.path, {}});
  std::vector<KnownTask> tasks;
  for (const job::Task& task : batch.tasks) tasks.push_back({&task, status_of(task)});
  if (arguments.json) return session.answer_json(batch_json(batch, tasks));
  std::string text = fmt::format("{}: {}\n", batch.file.string(), counted(std::ssize(tasks), "task"));
  for (const TaskState state : all_states) text += describe_state(tasks, state);
  session.answer(wrap_lines(text, session.columns, 4));
  return exit_done;
}

}  // namespace terrace::app
