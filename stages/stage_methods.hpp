// The methods of a family of kernels as a stage shows them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/memory.hpp"
#include "kernels/launch/method.hpp"
#include "pipeline/run/stage.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

template <class Spec>
run::StageMethod stage_method(const device::Method<Spec>& method) {
  return {method.name, method.help, name_of(method.backend), method.schedule, method.automatic};
}

/// A method beside a spec.
template <class Spec>
run::StageMethod stage_method(const device::RatedMethod<Spec>& rated) {
  run::StageMethod method = stage_method(*rated.method);
  method.unfit = rated.unfit;
  if (rated.cost.seconds > 0) method.per_second = 1 / rated.cost.seconds;
  return method;
}

/// All methods.
template <class Spec>
std::vector<run::StageMethod> stage_methods(std::span<const device::Method<Spec>> methods) {
  std::vector<run::StageMethod> all;
  for (const device::Method<Spec>& method : methods) all.push_back(stage_method(method));
  return all;
}

/// The methods of a back end, beside a spec.
template <class Spec>
std::vector<run::StageMethod> stage_methods(std::span<const device::Method<Spec>> methods, device::Backend backend,
                                            const device::Method<Spec>& chosen, const Spec& spec,
                                            const device::Limits& limits) {
  std::vector<run::StageMethod> all;
  for (const auto& rated : device::rate_methods(methods, backend, spec, limits)) {
    all.push_back(stage_method(rated));
    all.back().chosen = rated.method == &chosen;
  }
  return all;
}

/// The methods of the back end of the chosen one.
template <class Spec>
std::vector<run::StageMethod> stage_methods(std::span<const device::Method<Spec>> methods,
                                            const device::Method<Spec>& chosen, const Spec& spec,
                                            const device::Limits& limits) {
  return stage_methods(methods, chosen.backend, chosen, spec, limits);
}

/// The one method of a stage that has no table of them: a kernel for each back end.
struct SingleMethod {
  const char *name, *help;

  run::StageMethod on(device::Backend backend) const { return {name, help, name_of(backend), "", true}; }
  std::vector<run::StageMethod> all() const { return {on(device::Backend::cuda), on(device::Backend::cpu)}; }
  /// The method that computes a stage.
  std::vector<run::StageMethod> chosen(device::Backend backend) const {
    run::StageMethod method = on(backend);
    method.chosen = true;
    return {method};
  }
};

/// The method of a stage: that of the attempt to resume, if this program has it, else the cheapest.
/// @throws JobError if the schedule of the job does not compute the spec; DeviceError if none does
template <class Spec>
const device::Method<Spec>& method_for(const Request& request, std::span<const device::Method<Spec>> methods,
                                       std::string_view schedule, const Spec& spec) {
  const auto backend = request.resources.backend();
  if (request.choices != nullptr) {
    const std::string name = request.choices->value("method", "");
    if (const auto* method = device::find_method(methods, backend, name)) return *method;
  }
  const device::Limits& limits = request.resources.device;
  if (const auto* method = device::choose_method(methods, backend, schedule, spec, limits)) return *method;
  for (const auto& rated : device::rate_methods(methods, backend, spec, limits)) {
    if (rated.method->schedule != schedule) continue;
    refuse(request.stage, "schedule",
           "on " + std::string(name_of(backend)) + " `" + std::string(schedule) +
               "` does not compute it: " + rated.unfit + "; name another schedule, or leave the choice");
  }
  return device::chosen_method("stage '" + request.stage.name + "'", methods, backend, schedule, spec, limits);
}

/// The workspace with which a kernel is made; null on the CPU.
template <class Spec>
std::unique_ptr<device::Memory> workspace_for(const device::Method<Spec>& method, const Spec& spec,
                                              device::Context& context) {
  if (method.backend == device::Backend::cpu) return nullptr;
  return std::make_unique<device::Memory>(context, method.workspace(spec, context.limits()));
}

/// The kernel in a workspace, which outlives it.
template <class Spec>
std::unique_ptr<device::BlockKernel> make_kernel(const device::Method<Spec>& method, const Spec& spec,
                                                 device::Context& context, const device::Memory* workspace) {
  return method.make(spec, context, workspace != nullptr ? workspace->data() : nullptr);
}

}  // namespace terrace::stages
