#include "stages/makespan/verify_loads.hpp"

#include <algorithm>

namespace terrace::stages {

std::vector<std::string> texts_of(const std::vector<std::int64_t>& values) {
  std::vector<std::string> texts;
  for (const std::int64_t value : values) texts.push_back(text_of(value));
  return texts;
}

std::int64_t check_loads(const VerifyRequest& request, const Instance& instance, std::vector<Checked>& found) {
  const auto assignment = read_all<std::int64_t>(request, "assignment");
  Checked checked{"assignment", "each job looked up", "", true};
  if (assignment.size() != instance.times.size()) {
    checked.difference =
        "there are " + std::to_string(assignment.size()) + " of " + std::to_string(instance.times.size()) + " jobs";
  }
  std::vector<std::int64_t> load(static_cast<std::size_t>(instance.machines));
  for (std::size_t job = 0; job < assignment.size() && checked.difference.empty(); ++job) {
    const std::int64_t machine = assignment[job];
    if (machine < 0 || machine >= instance.machines) {
      checked.difference = "job " + std::to_string(job) + " is on machine " + std::to_string(machine);
    } else {
      load[static_cast<std::size_t>(machine)] += instance.times[job];
    }
  }
  found.push_back(checked);
  found.push_back(check_texts(request, "load", texts_of(load), "added up from the assignment"));
  const std::int64_t makespan = *std::max_element(load.begin(), load.end());
  found.push_back(check_texts(request, "makespan", texts_of({makespan}), "the largest load"));
  return makespan;
}

}  // namespace terrace::stages
