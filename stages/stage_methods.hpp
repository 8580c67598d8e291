// The methods of a family of kernels as a stage shows them.
#pragma once

#include <span>
#include <vector>

#include "kernels/launch/method.hpp"
#include "pipeline/run/stage.hpp"

namespace terrace::stages {

template <class Spec>
run::StageMethod stage_method(const device::Method<Spec>& method) {
  return {method.name, method.help, name_of(method.backend), method.schedule, method.automatic};
}

/// All methods.
template <class Spec>
std::vector<run::StageMethod> stage_methods(std::span<const device::Method<Spec>> methods) {
  std::vector<run::StageMethod> all;
  for (const device::Method<Spec>& method : methods) all.push_back(stage_method(method));
  return all;
}

/// The methods of the back end of the chosen one, beside a spec.
template <class Spec>
std::vector<run::StageMethod> stage_methods(std::span<const device::Method<Spec>> methods,
                                            const device::Method<Spec>& chosen, const Spec& spec,
                                            const device::Limits& limits) {
  std::vector<run::StageMethod> all;
  for (const auto& rated : device::rate_methods(methods, chosen.backend, spec, limits)) {
    run::StageMethod method = stage_method(*rated.method);
    method.unfit = rated.unfit;
    method.chosen = rated.method == &chosen;
    if (rated.cost.seconds > 0) method.per_second = 1 / rated.cost.seconds;
    all.push_back(std::move(method));
  }
  return all;
}

}  // namespace terrace::stages
