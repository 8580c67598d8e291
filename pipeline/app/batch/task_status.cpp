#include "pipeline/app/batch/task_status.hpp"

#include <fstream>
#include <sstream>
#include <system_error>

#include "io/files/durable.hpp"
#include "io/files/run_lock.hpp"
#include "pipeline/run/run_folder.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

const char* name_of(TaskState state) {
  switch (state) {
    case TaskState::done:
      return "done";
    case TaskState::failed:
      return "failed";
    case TaskState::under_way:
      return "under way";
    case TaskState::elsewhere:
      return "elsewhere";
    case TaskState::stopped:
      return "stopped";
    case TaskState::left:
      break;
  }
  return "left";
}

TaskStatus status_of(const job::Task& task) {
  const fs::path folder = run::RunFolder::path_for(task.output);
  const auto lock = is_file(folder / "lock") ? io::look_at_lock(folder / "lock") : std::nullopt;
  if (lock && lock->held) return {TaskState::under_way, lock->holder};
  if (const auto error = FailureNote(task.output).read()) return {TaskState::failed, *error};
  const bool begun = is_file(folder / "plan.json");
  if (begun && lock && lock->elsewhere) return {TaskState::elsewhere, lock->holder};
  if (begun) return {TaskState::stopped, ""};
  return {is_file(task.output) ? TaskState::done : TaskState::left, ""};
}

std::optional<std::string> FailureNote::read() const {
  if (!is_file(path_)) return std::nullopt;
  std::ifstream file(path_);
  std::ostringstream text;
  text << file.rdbuf();
  std::string error = text.str();
  while (error.ends_with('\n')) error.pop_back();
  return error;
}

void FailureNote::write(const std::string& error) const noexcept {
  try {
    if (path_.has_parent_path()) fs::create_directories(path_.parent_path());
    io::write_file_durably(path_, error + "\n");
  } catch (const std::exception&) {
  }
}

void FailureNote::remove() const noexcept {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace terrace::app
