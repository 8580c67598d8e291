#include "stages/makespan/inputs.hpp"

#include "stages/numbers_read.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

/// True if the shape has one dimension, one row or one column.
bool is_list(const Extents& shape) {
  return shape.rank() == 1 || (shape.rank() == 2 && (shape[0] == 1 || shape[1] == 1));
}

/// @throws JobError if the sum of all times is too large
void check_sum(const Request& request, const io::Source& source, const std::vector<std::int64_t>& times) {
  long double sum = 0;
  for (std::size_t n = 0; n < times.size(); ++n) {
    sum += static_cast<long double>(times[n]);
    if (sum <= static_cast<long double>(most_work)) continue;
    read_values(request.stage, "times", [&] {
      label_of(request.stage, "times")
          .fail(source, index_of_element(source.shape(), static_cast<std::int64_t>(n)),
                "makes the sum of all times more than 2^56; give them in a larger unit");
    });
  }
}

}  // namespace

Instance read_instance(const Request& request) {
  const Settings& settings = request.stage.settings;
  const std::string& name = settings.text("times");
  const std::shared_ptr<io::Source> source = request.array(name);
  refuse_letters(request, "times", *source);
  if (!is_list(source->shape())) {
    refuse(request.stage, "times",
           "'" + name + "' is " + to_string(source->shape()) +
               "; give the times of the jobs in one dimension, one row or one column (`text` and `csv` take `skip`, "
               "`row` and `column`)");
  }
  const std::int64_t jobs = volume(source->shape());
  if (jobs == 0) refuse(request.stage, "times", "'" + name + "' has no job; give the time of one at least");
  if (jobs > most_jobs) {
    refuse(request.stage, "times",
           "'" + name + "' has " + std::to_string(jobs) + " jobs; give at most " + std::to_string(most_jobs));
  }
  Instance instance;
  instance.machines = settings.integer("machines");
  instance.times = read_whole_numbers(request, "times", *source, 0);
  check_sum(request, *source, instance.times);
  return instance;
}

}  // namespace terrace::stages
