#include "pipeline/app/batch/task_errors.hpp"

#include <algorithm>

#include "pipeline/app/batch/named_errors.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {

bool TaskErrors::collect(const JobArguments& task, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const JobError& error) {
    for (const std::string& message : error.messages()) {
      const auto at = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const Entry& entry) { return entry.message == message; });
      if (at == entries_.end()) entries_.push_back({message, task});
      else ++at->others;
    }
    return false;
  }
}

std::vector<std::string> TaskErrors::messages() const {
  std::vector<std::string> messages;
  for (const Entry& entry : entries_) {
    const std::string others = entry.others > 0 ? " and " + counted(entry.others, "other task") : "";
    messages.push_back(with_task(entry.message, entry.task, others));
  }
  return messages;
}

}  // namespace terrace::app
