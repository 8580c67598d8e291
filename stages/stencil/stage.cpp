#include "stages/stencil/stage.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "kernels/stencil/costs.hpp"
#include "kernels/stencil/methods.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/points.hpp"
#include "kernels/stencil/written.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/cell_compiler.hpp"
#include "stages/stage_methods.hpp"
#include "stages/stencil/definition.hpp"
#include "stages/stencil/plan.hpp"
#include "stages/stencil/points.hpp"
#include "stages/stencil/slabs.hpp"
#include "stages/stencil/tally.hpp"

namespace terrace::stages {
namespace {

using stencil::OperatorInfo;
using stencil::StencilMethod;
using stencil::StencilSpec;

StencilNeeds needs_of(const StencilEvents& events, std::size_t fields) {
  return {static_cast<std::int64_t>(fields), !events.snapshots.empty(), events.receives, events.check_every};
}

StencilKernel kernel_of(const StencilMethod& method, const StencilSpec& spec, const Resources& resources) {
  return {method.cost(spec, resources.device), stencil::lost_rows(method, spec, resources.device),
          [&method, &resources](const StencilSpec& cut) {
            return static_cast<std::int64_t>(method.workspace(cut, resources.device));
          }};
}

StencilCells cells_of(const StencilDefinition& definition) {
  const std::vector<std::int64_t>& snapshots = definition.events.snapshots;
  return {definition.inputs.names, definition.inputs.shape, definition.infinity,
          snapshots.empty() ? -1 : snapshots.front()};
}

class StencilStage : public run::Stage {
 public:
  StencilStage(const Request& request, const StencilMethod& method, StencilDefinition definition)
      : name_(request.stage.name),
        resources_(request.resources),
        warnings_(std::move(definition.warnings)),
        read_warnings_(std::move(definition.read_warnings)),
        allows_nan_(!definition.infinity),
        shape_(definition.inputs.shape),
        spacing_(std::move(definition.spacing)),
        tally_(definition.check, cells_of(definition)),
        plan_(method, std::move(definition.spec), std::move(definition.events), std::move(definition.inputs)) {
    // A grid without cells does not change.
    const StencilEvents& events = plan_.events();
    if (plan_.cut().slabs() == 0 && events.check_every > 0 && events.check_every <= events.steps) {
      tally_.stop_at(events.check_every);
    }
  }

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int array) const override {
    const run::ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(array)];
    if (plan_.is_receivers(array)) {
      return {"/" + name_ + "/" + spec.name, {}, {}, {"receiver_time", "receiver"}, "", receivers_name()};
    }
    const bool snapshot = plan_.is_snapshots(array);
    std::vector<std::string> dimensions = axis_names(shape_.rank());
    if (snapshot) dimensions.insert(dimensions.begin(), "time");
    const std::string what = snapshot ? "snapshots of the grid in the steps of " : "grid after the steps of ";
    return {"/" + name_ + "/" + spec.name, {}, {}, dimensions, "", what + plan_.spec().name + ": " + info().help};
  }

  std::vector<io::SmallDataset> small() const override {
    std::vector<io::SmallDataset> all;
    const std::int64_t steps = plan_.steps_made(tally_);
    all.push_back(io::small_scalar<std::int64_t>("/" + name_ + "/steps", steps, "", "steps that were made"));
    if (!plan_.events().snapshots.empty()) {
      const std::vector<std::int64_t> times = plan_.events().snapshots_of(steps);
      all.push_back(io::small_dataset<std::int64_t>("/" + name_ + "/time", {static_cast<std::int64_t>(times.size())},
                                                    {"time"}, times, "", "step of each snapshot"));
    }
    add_receiver_times(all);
    add_coordinates(all);
    if (plan_.events().check_every > 0) {
      const auto checks = static_cast<std::int64_t>(tally_.residuals().size());
      all.push_back(io::small_dataset<double>("/" + name_ + "/residual", {checks}, {"check"}, tally_.residuals(), "",
                                              "change of the last step before each check"));
      all.push_back(io::small_dataset<std::int64_t>("/" + name_ + "/residual_step", {checks}, {"check"},
                                                    tally_.steps(), "", "step of each check"));
    }
    if (allows_nan_) {
      all.push_back(io::small_scalar<std::int64_t>("/" + name_ + "/not_finite", tally_.not_finite(), "",
                                                   "cells of all fields that are infinite or NaN after the steps"));
    }
    return all;
  }

  std::vector<io::Attribute> attributes() const override {
    if (!plan_.spec().separable) return {};
    return {{"/" + name_, "arithmetic", std::string("fast: sums of rows, then of columns")}};
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> all = warnings_;
    if (read_warnings_) {
      for (std::string& warning : read_warnings_()) all.push_back(std::move(warning));
    }
    for (std::string& warning : plan_.compiled_method().warnings(name_)) all.push_back(std::move(warning));
    if (!allows_nan_ && tally_.not_finite() > 0 && tally_.fault().empty()) {
      all.push_back("stage '" + name_ +
                    "': cells of the result that infinities in what was read have made infinite " +
                    "or NaN: " + std::to_string(tally_.not_finite()));
    }
    if (!tally_.residuals().empty() && std::isnan(tally_.residuals().back())) {
      all.push_back("stage '" + name_ + "': it ended at step " + std::to_string(tally_.steps().back()) +
                    ", where the residual of `until` is NaN");
    }
    const bool checked = plan_.events().check_every > 0 && !tally_.residuals().empty();
    if (checked && tally_.stopped() < 0 &&
        tally_.steps().back() + plan_.events().check_every > plan_.events().steps) {
      all.push_back("stage '" + name_ + "': the residual did not fall below the bound of `until` in " +
                    std::to_string(plan_.events().steps) + " steps");
    }
    return all;
  }

  double whole() const override { return plan_.events().check_every > 0 ? prediction().operations : 0; }

  run::Prediction prediction() const override {
    const StencilSpec& spec = plan_.spec();
    const auto size = static_cast<double>(size_of(spec.value));
    const auto fields = static_cast<double>(spec.fields());
    const double cells = static_cast<double>(spec.extents[0]) * static_cast<double>(spec.width());
    const auto steps = static_cast<double>(plan_.events().steps);
    const auto passes = static_cast<double>(std::max<std::int64_t>(1, plan_.timeline().passes()));
    const double bytes = cells * size * fields, constant = cells * size * spec.arrays;
    run::Prediction p;
    p.blocks = plan_.cut().blocks() * plan_.timeline().passes();
    p.unit = "cell";
    p.operations = cells * steps;
    const StencilKernel kernel = kernel_of(method(), spec, resources_);
    p.operations_per_second = 1 / stencil_cell_seconds(spec, resources_, kernel);
    const bool stays = 1.1 * (bytes + constant) <= static_cast<double>(resources_.host_budget);
    const auto snapshots = static_cast<double>(plan_.events().snapshots.size());
    p.bytes_read = (bytes + constant) * (stays ? 1 : passes);
    p.bytes_written = bytes * ((stays ? 1 : passes) + snapshots);
    if (plan_.events().receives) {
      const auto times = static_cast<double>(spec.points->times(plan_.events().steps));
      p.bytes_written += times * static_cast<double>(spec.points->receivers.size()) * size;
    }
    if (resources_.cuda) {
      const bool stays_there = !plan_.cut().streams();
      p.bytes_up = (bytes + constant) * (stays_there ? 1 : passes);
      p.bytes_down = bytes * ((stays_there ? 1 : passes) + snapshots);
    }
    p.workspace_bytes = method().workspace(spec, resources_.device);
    const StencilNeeds needs = needs_of(plan_.events(), static_cast<std::size_t>(spec.fields()));
    p.link_waits = resources_.cuda && plan_.cut().streams() &&
                   !has_room_for_slabs(spec, needs, Held::others, resources_, kernel);
    p.block_shape = shape_of_slab();
    p.block_bytes = static_cast<std::size_t>(stencil_slab_bytes(spec, needs, Held::own));
    p.limit = stencil::limit_of(method(), spec, resources_.device);
    p.limit_kind = "operations";
    const auto bound = [&](double bytes_per_second, double bytes_a_step, const char* kind) {
      if (bytes_per_second <= 0 || bytes_a_step <= 0) return;
      const double rate = bytes_per_second / bytes_a_step;
      if (p.limit <= 0 || rate < p.limit) p.limit = rate, p.limit_kind = kind;
    };
    const double updates = std::max(1.0, cells * steps);
    bound(resources_.device.memory_bytes_per_second, passes * (2 * bytes + constant) / updates, "device memory");
    if (resources_.cuda) bound(resources_.device.link_bytes_per_second, p.bytes_up / updates, "link");
    if (p.limit <= 0) p.limit_kind = "";
    else p.operations_per_second = std::min(p.operations_per_second, p.limit);
    // Each device has memory and a link of its own.
    const int devices = plan_.devices(resources_.devices);
    p.limit *= devices;
    p.operations_per_second *= devices;
    return p;
  }

  std::vector<run::StageMethod> methods() const override {
    return stage_methods(stencil::stencil_methods(), method(), plan_.spec(), resources_.device);
  }

  nlohmann::json choices() const override {
    const StencilSpec& spec = plan_.spec();
    nlohmann::json all = {{"method", method().name},
                          {"slab_rows", spec.slab_rows},
                          {"slab_tiles", spec.slab_tiles},
                          {"pass_steps", spec.pass_steps},
                          {"parts", spec.parts},
                          {"depth", spec.depth},
                          {"at_once", spec.at_once},
                          {"rows", spec.extents[0]},
                          {"width", spec.width()},
                          {"value", name_of(spec.value)},
                          {"schedule", stencil::name_of(spec.schedule)}};
    if (spec.separable) all["separable"] = true;
    if (spec.written) all["formula"] = spec.written->cells.canonical();
    if (spec.schedule == stencil::Schedule::time_skewed) all["tile"] = stencil::name_of(spec.tile);
    return all;
  }

 private:
  std::string receivers_name() const {
    const stencil::StencilSpec& spec = plan_.spec();
    const std::string& field = plan_.arrays()[static_cast<std::size_t>(spec.points->receiver_field)].name;
    return field + " at the receivers in the steps of " + spec.name + ": " + info().help;
  }
  void add_receiver_times(std::vector<io::SmallDataset>& all) const {
    const stencil::StencilSpec& spec = plan_.spec();
    if (!spec.points || spec.points->receivers.empty()) return;
    const std::vector<std::int64_t> times = plan_.receiver_times(tally_);
    all.push_back(io::small_dataset<std::int64_t>("/" + name_ + "/receiver_time", {std::ssize(times)},
                                                  {"receiver_time"}, times, "", "step of each record of receivers"));
    if (plan_.events().receives) return;
    const Extents none = {0, std::ssize(spec.points->receivers)};
    const std::string path = "/" + name_ + "/receivers";
    const std::vector<std::string> dimensions = {"receiver_time", "receiver"};
    if (spec.value == ElementType::f32) {
      all.push_back(io::small_dataset<float>(path, none, dimensions, {}, "", receivers_name()));
    } else {
      all.push_back(io::small_dataset<double>(path, none, dimensions, {}, "", receivers_name()));
    }
  }
  /// Coordinates along the axes of the grid.
  void add_coordinates(std::vector<io::SmallDataset>& all) const {
    for (const Coordinate& coordinate : coordinates_of(spacing_, shape_)) {
      all.push_back(io::small_dataset<double>("/" + name_ + "/" + coordinate.axis, {std::ssize(coordinate.values)},
                                              {coordinate.axis}, coordinate.values, "",
                                              "distance from the first " + coordinate.axis));
    }
  }
  /// "128 x 512, 20 steps a pass", "129 x 512, in 3 tiles, 20 steps a pass".
  std::string shape_of_slab() const {
    Extents shape = plan_.arrays().front().shape;
    shape[0] = std::min(shape[0], plan_.spec().slab_rows);
    const std::int64_t tiles = plan_.spec().slab_tiles;
    return to_string(shape) + (tiles > 1 ? ", in " + counted(tiles, "tile") : "") + ", " +
           counted(plan_.spec().pass_steps, "step") + " a pass";
  }
  const StencilMethod& method() const { return plan_.method(); }
  const OperatorInfo& info() const { return *stencil::find_operator(plan_.spec().name); }
  std::string name_;
  Resources resources_;
  std::vector<std::string> warnings_;
  std::function<std::vector<std::string>()> read_warnings_;
  bool allows_nan_;
  Extents shape_;
  std::vector<double> spacing_;  // of cells along each axis; empty: not given
  StencilTally tally_;
  StencilPlan plan_;
};

}  // namespace

std::unique_ptr<run::Stage> make_stencil(const Request& request) {
  StencilDefinition definition = define_stencil(request);
  StencilSpec& spec = definition.spec;
  const bool separable =
      request.choices != nullptr ? request.choices->value("separable", false) : definition.separable;
  if (separable) take_separable(spec);
  if (spec.written) spec.compiler = cell_compiler(request.resources);
  const StencilMethod& method = method_for(request, stencil::stencil_methods(), name_of(spec.schedule), spec);
  if (request.choices != nullptr) {
    spec.slab_rows = request.choices->at("slab_rows");
    spec.slab_tiles = request.choices->at("slab_tiles");
    spec.pass_steps = request.choices->at("pass_steps");
    spec.parts = request.choices->at("parts");
    spec.depth = request.choices->at("depth");
    spec.at_once = request.choices->at("at_once");
  } else {
    choose_stencil_slabs(spec, needs_of(definition.events, definition.inputs.fields.size()),
                         longest_span(definition.events), request.resources,
                         kernel_of(method, spec, request.resources));
  }
  return std::make_unique<StencilStage>(request, method, std::move(definition));
}

}  // namespace terrace::stages
