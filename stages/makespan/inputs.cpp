#include "stages/makespan/inputs.hpp"

#include <cmath>
#include <type_traits>

#include "stages/refuse.hpp"
#include "stages/watched_read.hpp"

namespace terrace::stages {
namespace {

/// True if the shape has one dimension, one row or one column.
bool is_list(const Extents& shape) {
  return shape.rank() == 1 || (shape.rank() == 2 && (shape[0] == 1 || shape[1] == 1));
}

template <class T>
const char* fault_of(T time) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(time)) return "is no number (NaN)";
    if (time != std::floor(time)) return "is no whole number";
  }
  if constexpr (std::is_signed_v<T>) {
    if (time < 0) return "is negative";
  }
  return nullptr;
}

template <class T>
std::vector<std::int64_t> read_times(const Request& request, io::Source& source) {
  std::vector<T> values(static_cast<std::size_t>(volume(source.shape())));
  const io::DataLabel label = label_of(request.stage, "times");
  read_watched(source, values.data(), label.array, request.watch);
  std::vector<std::int64_t> times;
  long double sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    Extents at = Extents::filled(source.shape().rank(), 0);
    at[source.shape().rank() == 2 && source.shape()[1] == 1 ? 0 : at.rank() - 1] = static_cast<std::int64_t>(n);
    if (const char* fault = fault_of(values[n])) {
      label.fail(source, at, std::string(fault) + "; give whole numbers that are not negative");
    }
    sum += static_cast<long double>(values[n]);
    if (sum > static_cast<long double>(most_work)) {
      label.fail(source, at, "makes the sum of all times more than 2^56; give them in a larger unit");
    }
    times.push_back(static_cast<std::int64_t>(values[n]));
  }
  return times;
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
  read_values(request.stage, "times", [&] {
    instance.times =
        dispatch(source->type(), [&](auto zero) { return read_times<decltype(zero)>(request, *source); });
  });
  return instance;
}

}  // namespace terrace::stages
