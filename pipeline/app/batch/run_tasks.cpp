#include "pipeline/app/batch/run_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/app/batch/finished.hpp"
#include "pipeline/app/batch/places.hpp"
#include "pipeline/app/batch/program_process.hpp"
#include "pipeline/app/batch/run_task.hpp"
#include "pipeline/app/batch/task_status.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

/// A task that runs, or a place for one.
struct TaskPlace {
  std::vector<std::string> settings;  // of tasks that run here
  const job::Task* task = nullptr;    // null: none
  std::unique_ptr<ProgramProcess> process = nullptr;
};

class TaskRuns {
 public:
  TaskRuns(Session& session, const RunArguments& arguments, const job::Batch& batch, const TaskRange& range,
           const std::optional<TimeSpan>& span, const StopSignals& signals)
      : session_(session),
        arguments_(arguments),
        batch_(batch),
        next_(range.first),
        end_(range.last + 1),
        span_(span),
        signals_(signals) {
    for (auto& settings : places_of(session, batch, range.count())) places_.push_back({std::move(settings)});
  }

  int run() {
    while (begin_tasks()) {
      std::vector<const ProgramProcess*> processes;
      for (TaskPlace& place : places_) {
        if (!place.task) continue;
        if (signals_.flag() != 0) place.process->stop();
        if (place.process->poll()) processes.push_back(place.process.get());
        else end_task(place);
      }
      if (!processes.empty()) ProgramProcess::wait(processes);
    }
    return answer();
  }

 private:
  /// Begins tasks where there is room. @return true while tasks run
  bool begin_tasks() {
    bool any = false;
    for (TaskPlace& place : places_) {
      while (!place.task && goes_on()) begin(place, batch_.tasks[static_cast<std::size_t>(next_++)]);
      any = any || place.task;
    }
    return any;
  }

  /// True if another task may begin.
  bool goes_on() const {
    const bool is_late = span_ && (stopped_ > 0 || span_->seconds_left() <= span_->margin());
    return next_ < end_ && signals_.flag() == 0 && !is_late && (failed_ == 0 || arguments_.keep_going);
  }

  void begin(TaskPlace& place, const job::Task& task) {
    const TaskStatus status = status_of(task);
    if (status.state == TaskState::under_way) {
      session_.note(task.in_words() + " is skipped: another process runs it (" + status.detail + ")");
      return count(task, {{"state", "under way"}});
    }
    const JobArguments here = task_arguments(arguments_.job, task);
    if (arguments_.fresh.empty() && is_finished(session_, here)) {
      return count(task, {{"state", "done"}, {"there_already", true}});
    }
    session_.note(task.in_words() + " begins");
    place.process = std::make_unique<ProgramProcess>(words_for(place, task), [this, &task](const std::string& line) {
      const std::string text = fmt::format("task {}: {}", task.number, line);
      if (session_.quiet) session_.error(text);
      else session_.note(text);
    });
    place.task = &task;
  }

  /// The command line of a task's process.
  std::vector<std::string> words_for(const TaskPlace& place, const job::Task& task) const {
    std::vector<std::string> words{"run", arguments_.job.path, "--task", std::to_string(task.number), "--json"};
    for (const auto* settings : {&arguments_.job.settings, &place.settings}) {
      for (const std::string& setting : *settings) words.insert(words.end(), {"--set", setting});
    }
    if (arguments_.fresh == "true") words.emplace_back("--fresh");
    else if (!arguments_.fresh.empty()) words.push_back("--fresh=" + arguments_.fresh);
    if (session_.quiet) words.emplace_back("--quiet");
    if (span_) words.push_back(fmt::format("--time-limit={:.0f}ms", std::max(1.0, 1e3 * span_->seconds_left())));
    return words;
  }

  void end_task(TaskPlace& place) {
    const job::Task& task = *place.task;
    const int code = place.process->code();
    Json answer = Json::parse(place.process->output(), nullptr, false);
    if (!answer.is_object() || !answer.contains("state")) answer = ended_without_answer(task, code);
    if (code == exit_done && answer.contains("output") && !arguments_.json)
      session_.answer_path(text_from(answer["output"]));
    place.process.reset();
    place.task = nullptr;
    count(task, std::move(answer));
  }

  /// The answer of a process that was killed before it gave one.
  Json ended_without_answer(const job::Task& task, int code) {
    if (code == exit_stopped || (code < 0 && signals_.flag() != 0)) return {{"state", "stopped"}};
    const std::string how = code < 0 ? fmt::format("was killed by signal {}{}", -code,
                                                   -code == SIGKILL ? ", as when memory is short" : "")
                                     : fmt::format("ended with code {} and no answer", code);
    const std::string error =
        task.in_words() + ": its process " + how + "; the next run goes on from its last checkpoint, if there is one";
    session_.error(error);
    FailureNote(task.output).write(error);
    return {{"state", "failed"}, {"errors", {{{"message", text_json(error)}}}}};
  }

  void count(const job::Task& task, Json answer) {
    const std::string state = answer.at("state");
    if (state == "done") ++done_;
    else if (state == "stopped") ++stopped_;
    else if (state == "under way") ++skipped_;
    else ++failed_;
    answer.erase("job");
    answer.update(task_json(task));
    answers_.push_back(std::move(answer));
  }

  int answer() {
    const std::int64_t left = end_ - next_;
    std::string text = fmt::format("{}: {} done", batch_.file.string(), counted(done_, "task"));
    if (failed_ > 0) text += fmt::format(", {} failed", failed_);
    if (stopped_ > 0) text += fmt::format(", {} stopped", stopped_);
    if (skipped_ > 0) text += fmt::format(", {} skipped", skipped_);
    if (left > 0) text += fmt::format(", {} left", left);
    if (failed_ > 0 && left > 0 && !arguments_.keep_going)
      text += "; --keep-going goes on after a task that has failed";
    const bool is_late = left > 0 && failed_ == 0 && signals_.flag() == 0;
    if (is_late) text += "; no other task begins so shortly before the time limit";
    session_.note(text);
    const int code = failed_ > 0 ? exit_failed : stopped_ > 0 || left > 0 ? exit_stopped : exit_done;
    if (arguments_.json) {
      std::sort(answers_.begin(), answers_.end(), [](const Json& a, const Json& b) { return a["task"] < b["task"]; });
      session_.answer_json(
          {{"batch", text_json(batch_.file.string())},
           {"state", code == exit_done     ? "done"
                     : code == exit_failed ? "failed"
                                           : "stopped"},
           {"counts",
            {{"done", done_}, {"failed", failed_}, {"stopped", stopped_}, {"under way", skipped_}, {"left", left}}},
           {"tasks", answers_}});
    }
    return code;
  }

  Session& session_;
  const RunArguments& arguments_;
  const job::Batch& batch_;
  std::int64_t next_, end_;
  const std::optional<TimeSpan>& span_;
  const StopSignals& signals_;
  std::vector<TaskPlace> places_;
  std::int64_t done_ = 0, failed_ = 0, stopped_ = 0, skipped_ = 0;
  std::vector<Json> answers_;
};

}  // namespace

int run_tasks(Session& session, const RunArguments& arguments, const job::Batch& batch, const TaskRange& range,
              const std::optional<TimeSpan>& span) {
  const StopSignals signals(
      [&] { session.note("stopping: the tasks under way stop at checkpoints; a second signal stops at once"); });
  return TaskRuns(session, arguments, batch, range, span, signals).run();
}

}  // namespace terrace::app
