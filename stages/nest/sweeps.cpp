#include "stages/nest/sweeps.hpp"

#include <algorithm>
#include <span>

#include "io/convert.hpp"
#include "kernels/nest/swept.hpp"
#include "stages/in_place/plan.hpp"
#include "stages/in_place/slabs.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

constexpr const char* method_name = "in_place";

bool resumes_sweeps(const Request& request) {
  return request.choices != nullptr && request.choices->value("method", "") == method_name;
}

run::StageMethod row_of_sweeps() {
  return {method_name,
          "sweeps of a grid in place: warps take bands of rows, and make several sweeps in registers, compiled at "
          "run time",
          name_of(device::Backend::cuda), "", true};
}

std::string why_not_cut(NestSweeps& made, const Request& request) {
  if (resumes_sweeps(request)) {
    take_choices(*request.choices, made.spec);
    return "";
  }
  const auto workspace = [&](const in_place::InPlaceSpec& cut) {
    return static_cast<std::int64_t>(made.method->workspace(cut, request.resources.device));
  };
  const auto why_not = fit_slabs(made.spec, made.sweeps, request.resources, workspace);
  made.why_not = why_not.value_or("");
  return why_not ? "" : "memory does not hold two slabs of whole rows";
}

std::string why_not_swept(NestSweeps& made, const Request& request, const NestDefinition& definition) {
  const Settings& settings = request.stage.settings;
  if (settings.text("schedule") != "auto" || settings.text("storage") != "expanded")
    return "the job asks for a skew of its own";
  nest::Swept swept = nest::swept(definition.spec);
  if (!swept.unfit.empty()) return swept.unfit;
  const nest::Array& array = definition.spec.nest->arrays.front();
  made.grid = io::convert(definition.inputs[static_cast<std::size_t>(array.from)], array.type);
  made.sweeps = swept.sweeps;
  made.spec.rows = swept.rows;
  made.spec.columns = swept.columns;
  made.spec.value = array.type;
  made.spec.written = std::make_shared<in_place::WrittenCell>(
      in_place::WrittenCell{std::move(swept.cell), swept.corners, swept.operations});
  made.method = &method_for(request, in_place::in_place_methods(), "auto", made.spec);
  return why_not_cut(made, request);
}

}  // namespace

double NestSweeps::seconds(const device::Limits& limits) const {
  return static_cast<double>(spec.rows) * static_cast<double>(spec.columns) * static_cast<double>(sweeps) *
         method->cost(spec, limits).seconds;
}

NestSweeps sweeps_of_nest(const Request& request, const NestDefinition& definition) {
  NestSweeps made;
  made.unfit = request.resources.cuda ? why_not_swept(made, request, definition) : "it is compiled for CUDA alone";
  return made;
}

bool takes_sweeps(const Request& request, const NestDefinition& definition, const NestSweeps& sweeps,
                  const nest::NestMethod& other) {
  if (request.choices != nullptr) return resumes_sweeps(request) && sweeps.unfit.empty();
  if (!sweeps.unfit.empty()) return false;
  const device::Limits& limits = request.resources.device;
  return sweeps.seconds(limits) <= definition.spec.nest->cells() * other.cost(definition.spec, limits).seconds;
}

std::vector<run::StageMethod> all_nest_methods() {
  std::vector<run::StageMethod> all = stage_methods(nest::nest_methods());
  if (!nest::nest_cuda_methods().empty()) all.insert(all.begin(), row_of_sweeps());
  return all;
}

std::vector<run::StageMethod> nest_methods_for(const NestDefinition& definition, const NestSweeps& sweeps,
                                               const nest::NestMethod* chosen, const Resources& resources) {
  const device::Backend backend = resources.backend();
  const std::span<const nest::NestMethod> methods = nest::nest_methods();
  std::vector<run::StageMethod> all;
  if (backend == device::Backend::cuda) {
    run::StageMethod row = row_of_sweeps();
    row.unfit = sweeps.unfit;
    row.chosen = chosen == nullptr;
    if (row.unfit.empty()) row.per_second = definition.spec.nest->cells() / sweeps.seconds(resources.device);
    all.push_back(std::move(row));
  }
  for (const auto& rated : device::rate_methods(methods, backend, definition.spec, resources.device)) {
    all.push_back(stage_method(rated));
    all.back().chosen = rated.method == chosen;
  }
  return all;
}

}  // namespace terrace::stages
