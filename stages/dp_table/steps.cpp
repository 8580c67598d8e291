#include "stages/dp_table/steps.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/near_name.hpp"
#include "stages/numbers_read.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

using dp_table::StepSet;

namespace {

bool is_list(const Extents& shape) {
  return shape.rank() == 1 || (shape.rank() == 2 && (shape[0] == 1 || shape[1] == 1));
}

std::string given_for_each(std::size_t count, int dimensions) {
  return " has " + counted(static_cast<std::int64_t>(count), "number") + ", and `extents` has " +
         std::to_string(dimensions) + "; give one for each dimension";
}

class StepReader {
 public:
  StepReader(const Request& request, const Extents& extents)
      : request_(request), settings_(request.stage.settings), extents_(extents) {}

  StepSet read() const {
    const bool given = settings_.has("steps"), generated = settings_.has("capacity.weights");
    if (given == generated) {
      wrong(given ? "capacity.weights" : "extents", given ? "`steps` and `capacity` both give the steps; give one"
                                                          : "there are no steps; give `steps` or `capacity`");
    }
    if (generated) return of_capacity();
    return settings_.holds<std::string>("steps") ? of_array() : of_list();
  }

 private:
  [[noreturn]] void wrong(const char* parameter, const std::string& what) const {
    refuse(request_.stage, parameter, what);
  }

  StepSet of_capacity() const {
    const auto& weights = settings_.get<std::vector<std::int64_t>>("capacity.weights");
    if (weights.size() != static_cast<std::size_t>(extents_.rank())) {
      wrong("capacity.weights", "`weights`" + given_for_each(weights.size(), extents_.rank()));
    }
    const std::int64_t at_most = settings_.integer("capacity.at_most");
    auto set = dp_table::steps_of_capacity(extents_, weights, at_most);
    if (!set) {
      wrong("capacity.at_most", "there are more than " + std::to_string(dp_table::most_steps) +
                                    " steps of a weight of at most " + std::to_string(at_most) + "; give less");
    }
    return *std::move(set);
  }

  void check_count(std::int64_t count) const {
    if (count <= dp_table::most_steps) return;
    wrong("steps",
          "there are " + std::to_string(count) + " steps; give at most " + std::to_string(dp_table::most_steps));
  }

  static bool is_zero(const std::int64_t* step, int dimensions) {
    return std::all_of(step, step + dimensions, [](std::int64_t component) { return component == 0; });
  }

  StepSet of_list() const {
    StepSet set;
    set.dimensions = extents_.rank();
    const auto& vectors = settings_.get<std::vector<std::vector<std::int64_t>>>("steps");
    check_count(std::ssize(vectors));
    for (std::size_t number = 0; number < vectors.size(); ++number) {
      const std::vector<std::int64_t>& step = vectors[number];
      if (step.size() != static_cast<std::size_t>(extents_.rank())) {
        wrong("steps", "a step" + given_for_each(step.size(), extents_.rank()));
      }
      if (is_zero(step.data(), set.dimensions)) {
        wrong("steps", "step " + std::to_string(number) + " is all zeros, so a cell would need itself; leave it out");
      }
      set.components.insert(set.components.end(), step.begin(), step.end());
    }
    return set;
  }

  StepSet of_array() const {
    const std::string& name = settings_.text("steps");
    const std::shared_ptr<io::Source> array = request_.array(name);
    const Extents& shape = array->shape();
    const std::int64_t rank = extents_.rank();
    // A table with one column is read as one of one dimension.
    const bool is_rows = shape.rank() == 2 && shape[1] == rank;
    if (!is_rows && !(rank == 1 && is_list(shape)) && !(shape.rank() == 1 && shape[0] == rank)) {
      wrong("steps", "'" + name + "' is " + to_string(shape) +
                         "; give a row for each step and a column for each of " + "the " +
                         counted(rank, "dimension") + " of `extents`");
    }
    check_count(volume(shape) / rank);
    StepSet set;
    set.dimensions = extents_.rank();
    set.components = read_whole_numbers(request_, "steps", *array, 0);
    for (std::int64_t number = 0; number < set.count(); ++number) {
      if (!is_zero(set.step(number), set.dimensions)) continue;
      read_values(request_.stage, "steps", [&] {
        label_of(request_.stage, "steps")
            .fail(*array, index_of_element(shape, number * rank),
                  "begins a step that is all zeros, so a cell would need itself; leave it out");
      });
    }
    return set;
  }

  const Request& request_;
  const Settings& settings_;
  const Extents& extents_;
};

/// The array that a setting names. @throws JobError if it has several rows and columns
std::shared_ptr<io::Source> list_of_steps(const Request& request, const std::string& parameter) {
  const std::string& name = request.stage.settings.text(parameter);
  std::shared_ptr<io::Source> array = request.array(name);
  if (is_list(array->shape())) return array;
  refuse(
      request.stage, parameter,
      "'" + name + "' is " + to_string(array->shape()) +
          "; give a number for each step in one dimension, one row or one column (`text` and `csv` take `column`)");
}

}  // namespace

StepSet define_steps(const Request& request, const Extents& extents) { return StepReader(request, extents).read(); }

void StepCosts::refuse(const Request& request, std::size_t number, const std::string& what) const {
  if (array == nullptr) stages::refuse(request.stage, "cost", what);
  read_values(request.stage, "cost", [&] {
    label_of(request.stage, "cost")
        .fail(*array, index_of_element(array->shape(), static_cast<std::int64_t>(number)), "is wrong: " + what);
  });
  throw Error("an element of an array is not refused");
}

StepCosts define_costs(const Request& request) {
  const Settings& settings = request.stage.settings;
  if (!settings.holds<std::string>("cost")) return {settings.get<std::vector<std::string>>("cost")};
  const std::shared_ptr<io::Source> array = list_of_steps(request, "cost");
  return {read_numbers_as_text(request, "cost", *array), array};
}

std::vector<std::int64_t> define_each(const Request& request, std::int64_t steps) {
  const Settings& settings = request.stage.settings;
  std::vector<std::int64_t> each;
  if (settings.holds<std::string>("each")) {
    each = read_whole_numbers(request, "each", *list_of_steps(request, "each"), 1);
  } else {
    each = settings.get<std::vector<std::int64_t>>("each");
  }
  if (each.size() != 1 && std::ssize(each) != steps) {
    refuse(request.stage, "each",
           "`each` has " + counted(std::ssize(each), "number") + " for " + counted(steps, "step") +
               "; give one for each step, or one for all");
  }
  if (std::ssize(each) != steps) each.assign(static_cast<std::size_t>(steps), each.front());
  return each;
}

}  // namespace terrace::stages
