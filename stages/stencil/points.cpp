#include "stages/stencil/points.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "io/convert.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/points.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

using stencil::Points;
using stencil::StencilSpec;

class PointsDefiner {
 public:
  PointsDefiner(const Request& request, StencilDefinition& definition)
      : request_(request), settings_(request.stage.settings), made_(definition), spec_(definition.spec) {}

  void define() && {
    const std::int64_t sources = settings_.count("point_sources");
    const bool receives = settings_.has("receivers.at");
    if (sources == 0 && !receives) return;
    for (std::int64_t number = 0; number < sources; ++number) {
      add_source("point_sources[" + std::to_string(number) + "].");
    }
    if (receives) add_receivers();
    spec_.points = std::make_shared<const Points>(std::move(points_));
  }

 private:
  [[noreturn]] void refuse(const std::string& parameter, const std::string& what) const {
    stages::refuse(request_.stage, parameter, what);
  }
  [[noreturn]] void refuse_index(const std::string& parameter, std::size_t axis, const std::string& what) const {
    const Place place = element_of(place_of(request_.stage, parameter), axis);
    throw JobError(message_at(place, "stage '" + request_.stage.name + "': " + what));
  }
  void warn(const std::string& parameter, const std::string& what) {
    made_.warnings.push_back(
        message_at(place_of(request_.stage, parameter), "stage '" + request_.stage.name + "': " + what));
  }

  void add_source(const std::string& prefix) {
    const std::string at = prefix + "at";
    const Points::Cell cell = cell_of(at, settings_.get<std::vector<std::int64_t>>(at), "a source");
    if (stencil::is_kept_by_faces(spec_, cell)) {
      refuse(at, "the cell is within " + counted(spec_.radius, "cell") +
                     " of a `fixed` face and keeps its value, so a source there adds nothing: move it inside, or "
                     "choose another `boundary`");
    }
    const int field = field_of(prefix + "field");
    warn_if_masked(at, cell);
    points_.sources.push_back({cell, field, series_of(prefix + "values")});
  }

  void add_receivers() {
    const auto& list = settings_.get<std::vector<std::vector<std::int64_t>>>("receivers.at");
    if (list.empty()) refuse("receivers.at", "there are no receivers: give at least one, or leave `receivers` out");
    for (std::size_t number = 0; number < list.size(); ++number) {
      points_.receivers.push_back(cell_of("receivers.at", list[number], "receiver " + std::to_string(number)));
    }
    points_.receiver_field = field_of("receivers.field");
    points_.every = settings_.integer("receivers.every");
    const std::int64_t times = points_.times(made_.events.steps);
    constexpr double most_values = 1e12;
    if (static_cast<double>(times) * static_cast<double>(list.size()) > most_values) {
      refuse("receivers.at", "there are more than 10^12 values of receivers: ask for fewer");
    }
    made_.events.receives = times > 0;
    if (times == 0) {
      warn("receivers.at", "receivers record nothing: there are " + counted(made_.events.steps, "step") +
                               ", and they record after every " + std::to_string(points_.every));
    }
  }

  Points::Cell cell_of(const std::string& parameter, const std::vector<std::int64_t>& at, const std::string& what) {
    const Extents& shape = made_.inputs.shape;
    if (static_cast<int>(at.size()) != shape.rank()) {
      refuse(parameter, what + " has " + plural(static_cast<std::int64_t>(at.size())) + ", and the grid " +
                            counted(shape.rank(), "dimension") + ": give an index for each");
    }
    Points::Cell cell{0, 0, 0};
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (at[a] < 0 || at[a] >= shape[axis]) {
        const std::string why = what + " has index " + std::to_string(at[a]) + " along axis " + std::to_string(axis) +
                                ", and the grid " + to_string(shape) + " there " +
                                (shape[axis] == 0 ? "no cells" : "cells 0 to " + std::to_string(shape[axis] - 1));
        if (what == "a source") refuse_index(parameter, a, why);
        refuse(parameter, why);
      }
      cell[static_cast<std::size_t>(stencil::axis_of(axis, shape.rank()))] = at[a];
    }
    return cell;
  }
  static std::string plural(std::int64_t count) {
    return count == 1 ? "1 index" : std::to_string(count) + " indices";
  }

  /// The number of the field; left out the one that `source` is added to.
  int field_of(const std::string& parameter) const {
    const std::vector<std::string>& names = made_.inputs.names;
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    if (!settings_.has(parameter)) {
      const stencil::OperatorInfo& info = *stencil::find_operator(request_.stage.problem);
      if (names.size() == 1 || info.linear || info.has_step || info.written) return 0;
      refuse(parameter.substr(0, parameter.rfind('.')) + ".at", "say which `field` is meant: " + all);
    }
    const std::string& name = settings_.text(parameter);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      refuse(parameter, "there is no field " + quote(name) +
                            " here: " + (names.size() == 1 ? "the only one is " : "the fields are ") + all +
                            did_you_mean(name, names));
    }
    return static_cast<int>(found - names.begin());
  }

  /// The place of an array's values among those of all sources: of each array once.
  std::int64_t series_of(const std::string& parameter) {
    const std::string& array = settings_.text(parameter);
    const auto [known, is_new] = series_.try_emplace(array, std::ssize(points_.values));
    if (!is_new) return known->second;
    std::shared_ptr<io::Source> source = request_.array(array);
    if (source->letters()) refuse(parameter, "'" + array + "' holds letters of a sequence, where numbers are wanted");
    const std::int64_t steps = made_.events.steps;
    if (source->shape().rank() != 1) {
      refuse(parameter,
             "'" + array + "' is " + to_string(source->shape()) + ": one dimension, a value a step, is wanted");
    }
    if (source->shape()[0] < steps) {
      refuse(parameter, "'" + array + "' has " + counted(source->shape()[0], "value") + ", and there are " +
                            counted(steps, "step") + ": a source has a value for each");
    }
    constexpr std::int64_t most_values = std::int64_t{1} << 27;
    if (std::ssize(points_.values) + steps > most_values) {
      refuse(parameter,
             "sources have more than 2^27 values in all: make fewer steps, or name the same array several "
             "times");
    }
    points_.values.resize(points_.values.size() + static_cast<std::size_t>(steps));
    if (steps == 0) return known->second;
    std::shared_ptr<io::Source> numbers = io::convert(std::move(source), ElementType::f64);
    if (made_.infinity) {
      const io::DataLabel label{array, request_.stage.name, place_of(request_.stage, parameter)};
      numbers = without_nan(std::move(numbers), label, made_.infinity);
    }
    read_values(request_.stage, parameter, [&] {
      numbers->read({{0}, {steps}}, points_.values.data() + known->second);
    });
    return known->second;
  }

  void warn_if_masked(const std::string& parameter, const Points::Cell& cell) {
    if (spec_.mask < 0) return;
    Box box;
    for (int axis = 0; axis < spec_.rank; ++axis) {
      const std::int64_t index = cell[static_cast<std::size_t>(stencil::axis_of(axis, spec_.rank))];
      box.begin.push_back(index);
      box.end.push_back(index + 1);
    }
    double value = 0;
    read_values(request_.stage, "mask", [&] {
      io::Source& mask = *made_.inputs.arrays[static_cast<std::size_t>(spec_.mask)];
      float narrow = 0;
      mask.read(box, spec_.value == ElementType::f32 ? static_cast<void*>(&narrow) : &value);
      if (spec_.value == ElementType::f32) value = static_cast<double>(narrow);
    });
    if (value != 0) warn(parameter, "the cell is masked and keeps its value: the source there adds nothing");
  }

  const Request& request_;
  const Settings& settings_;
  StencilDefinition& made_;
  StencilSpec& spec_;
  Points points_;
  std::map<std::string, std::int64_t> series_;  // places of arrays' values
};

}  // namespace

void define_points(const Request& request, StencilDefinition& definition) {
  PointsDefiner(request, definition).define();
}

std::vector<double> spacing_of(const Request& request, const Extents& shape) {
  if (!request.stage.settings.has("spacing")) return {};
  const auto& spacing = request.stage.settings.get<std::vector<double>>("spacing");
  if (static_cast<int>(spacing.size()) != shape.rank()) {
    refuse(request.stage, "spacing",
           "`spacing` has " + counted(std::ssize(spacing), "number") + ", and the grid " +
               counted(shape.rank(), "dimension") + ": give one for each");
  }
  constexpr std::int64_t most_cells = std::int64_t{1} << 22;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!(spacing[static_cast<std::size_t>(axis)] > 0)) {
      refuse(request.stage, "spacing", "a distance between cells is positive");
    }
    if (shape[axis] > most_cells) {
      refuse(request.stage, "spacing", "an axis of more than 2^22 cells gets no coordinate: leave `spacing` out");
    }
  }
  return spacing;
}

std::vector<std::string> axis_names(int rank) {
  switch (rank) {
    case 1:
      return {"cell"};
    case 2:
      return {"row", "column"};
    default:
      return {"plane", "row", "column"};
  }
}

std::vector<Coordinate> coordinates_of(const std::vector<double>& spacing, const Extents& shape) {
  std::vector<Coordinate> all;
  for (std::size_t axis = 0; axis < spacing.size(); ++axis) {
    Coordinate& coordinate = all.emplace_back();
    coordinate.axis = axis_names(shape.rank())[axis];
    for (std::int64_t cell = 0; cell < shape[static_cast<int>(axis)]; ++cell) {
      coordinate.values.push_back(static_cast<double>(cell) * spacing[axis]);
    }
  }
  return all;
}

}  // namespace terrace::stages
