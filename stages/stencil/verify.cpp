#include "stages/stencil/verify.hpp"

#include <algorithm>

#include "kernels/stencil/points.hpp"
#include "stages/stencil/points.hpp"
#include "stages/stencil/verify/stored.hpp"

namespace terrace::stages {
namespace {

/// The ends of a stage as its residuals tell them.
struct Ending {
  std::int64_t steps;   // that were made
  std::int64_t checks;  // residuals
};

Ending ending_of(const VerifyRequest& request, const StencilDefinition& definition) {
  const StencilEvents& events = definition.events;
  if (events.check_every == 0) return {events.steps, 0};
  const std::vector<double> residuals = read_all<double>(request, "residual");
  const std::int64_t checks = events.steps / events.check_every;
  for (std::int64_t check = 0; check < std::min(checks, std::ssize(residuals)); ++check) {
    const double residual = residuals[static_cast<std::size_t>(check)];
    if (definition.check.is_met_by(residual)) return {(check + 1) * events.check_every, check + 1};
  }
  return {events.steps, checks};
}

bool has_receivers(const StencilDefinition& definition) {
  return definition.spec.points && !definition.spec.points->receivers.empty();
}

/// Steps, times and checks against the job and the residuals.
void check_numbers(const VerifyRequest& request, const StencilDefinition& definition, const Ending& ending,
                   std::vector<Checked>& found) {
  const StencilEvents& events = definition.events;
  const bool until = events.check_every > 0;
  const std::string with = until ? "compared with the residuals" : "compared with the job";
  found.push_back(check_texts(request, "steps", {text_of(ending.steps)}, with));
  if (!events.snapshots.empty()) {
    std::vector<std::string> times;
    for (const std::int64_t step : events.snapshots_of(ending.steps)) times.push_back(text_of(step));
    found.push_back(check_texts(request, "time", times, with));
  }
  if (has_receivers(definition)) {
    const stencil::Points& points = *definition.spec.points;
    std::vector<std::string> times;
    for (std::int64_t time = 1; time <= points.times(ending.steps); ++time) {
      times.push_back(text_of(time * points.every));
    }
    found.push_back(check_texts(request, "receiver_time", times, with));
  }
  if (!until) return;
  std::vector<std::string> steps;
  for (std::int64_t check = 1; check <= ending.checks; ++check) steps.push_back(text_of(check * events.check_every));
  found.push_back(check_texts(request, "residual_step", steps, with));
}

void check_coordinates(const VerifyRequest& request, const StencilDefinition& definition,
                       std::vector<Checked>& found) {
  for (const Coordinate& coordinate : coordinates_of(definition.spacing, definition.inputs.shape)) {
    std::vector<std::string> values;
    for (const double value : coordinate.values) values.push_back(text_of(value));
    found.push_back(check_texts(request, coordinate.axis, values, "compared with the job"));
  }
}

/// The values of a source that are not finite. T is its type.
template <class T>
std::int64_t not_finite_in(io::Source& source) {
  const Box all = Box::whole(source.shape());
  if (all.empty()) return 0;
  constexpr std::int64_t at_once = 1 << 20;  // values
  const std::int64_t rows = std::max<std::int64_t>(1, at_once / (all.volume() / source.shape()[0]));
  std::int64_t found = 0;
  for (Box band = all; band.begin[0] < all.end[0]; band.begin[0] = band.end[0]) {
    band.end[0] = std::min(all.end[0], band.begin[0] + rows);
    const std::vector<T> values = read_box<T>(source, band);
    found += std::count_if(values.begin(), values.end(), [](T value) { return !stencil::is_finite(value); });
  }
  return found;
}

using Datasets = std::vector<std::shared_ptr<io::Source>>;

/// The datasets of the fields at the end, or of so many snapshots; -1: of none.
Datasets open_fields(const VerifyRequest& request, const StencilDefinition& definition, std::int64_t snapshots) {
  Extents shape;
  if (snapshots >= 0) shape.push_back(snapshots);
  for (int axis = 0; axis < definition.inputs.shape.rank(); ++axis) shape.push_back(definition.inputs.shape[axis]);
  Datasets datasets;
  const std::vector<std::string>& names = definition.inputs.names;
  for (const std::string& name : names) {
    const std::string of_snapshots = names.size() == 1 ? "snapshots" : name + "_snapshots";
    datasets.push_back(open_dataset(request, snapshots >= 0 ? of_snapshots : name, shape, definition.spec.value));
  }
  return datasets;
}

std::vector<StoredState> open_states(const VerifyRequest& request, const StencilDefinition& definition,
                                     std::int64_t steps) {
  std::vector<StoredState> states = {{0, definition.inputs.fields, -1}};
  const std::vector<std::int64_t> snapshots = definition.events.snapshots_of(steps);
  const Datasets datasets = snapshots.empty() ? Datasets{} : open_fields(request, definition, std::ssize(snapshots));
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    states.push_back({snapshots[i], datasets, static_cast<std::int64_t>(i)});
  }
  states.push_back({steps, open_fields(request, definition, -1), -1});
  return states;
}

/// The number of cells that are not finite against those of the stored grid.
Checked check_not_finite(const VerifyRequest& request, const StencilDefinition& definition) {
  constexpr std::int64_t most_values = std::int64_t{1} << 28;
  const Datasets fields = open_fields(request, definition, -1);
  if (volume(definition.inputs.shape) * std::ssize(fields) > most_values) {
    return {"not_finite", "too many cells to count: --all computes it again", "", false};
  }
  std::int64_t found = 0;
  for (const std::shared_ptr<io::Source>& field : fields) {
    found += definition.spec.value == ElementType::f32 ? not_finite_in<float>(*field) : not_finite_in<double>(*field);
  }
  return check_texts(request, "not_finite", {text_of(found)}, "compared with the stored grid");
}

}  // namespace

std::vector<Checked> verify_stencil(const VerifyRequest& request) {
  StencilDefinition definition = define_stencil(request.request);
  if (definition.separable) take_separable(definition.spec);
  const Ending ending = ending_of(request, definition);
  std::vector<StoredState> states = open_states(request, definition, ending.steps);
  const StoredStencil stored{request, std::move(definition), std::move(states)};
  std::vector<Checked> found = verify_states(stored);
  check_numbers(request, stored.definition, ending, found);
  check_coordinates(request, stored.definition, found);
  if (has_receivers(stored.definition)) {
    const std::vector<Checked> receivers = verify_receivers(stored);
    found.insert(found.end(), receivers.begin(), receivers.end());
  }
  if (!stored.definition.infinity) found.push_back(check_not_finite(request, stored.definition));
  if (stored.definition.events.check_every > 0) {
    const std::vector<Checked> residuals = verify_residuals(stored);
    found.insert(found.end(), residuals.begin(), residuals.end());
  }
  return found;
}

}  // namespace terrace::stages
