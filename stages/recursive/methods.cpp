#include "stages/recursive/methods.hpp"

#include "stages/stage_methods.hpp"

namespace terrace::stages {
const recursive::UpdateMethod& update_method(const recursive::UpdateSpec& spec, device::Backend backend,
                                             const device::Limits& limits) {
  return device::chosen_method("updates of tiles", recursive::update_methods(), backend, "auto", spec, limits);
}

const recursive::TriangleMethod& triangle_method(const recursive::TriangleSpec& spec, device::Backend backend,
                                                 const device::Limits& limits) {
  return device::chosen_method("intervals", recursive::triangle_methods(), backend, "auto", spec, limits);
}

const recursive::SearchMethod& search_method(const recursive::SearchSpec& spec, const device::Limits& limits) {
  return device::chosen_method("searches", recursive::search_methods(), device::Backend::cpu, "auto", spec, limits);
}

std::vector<run::StageMethod> methods_of(const recursive::UpdateSpec& spec, const Resources& resources) {
  const device::Limits& limits = resources.device;
  return stage_methods(recursive::update_methods(), update_method(spec, resources.backend(), limits), spec, limits);
}

std::vector<run::StageMethod> methods_of(const recursive::TriangleSpec& spec, const Resources& resources) {
  const device::Limits& limits = resources.device;
  return stage_methods(recursive::triangle_methods(), triangle_method(spec, resources.backend(), limits), spec,
                       limits);
}

std::vector<run::StageMethod> recursive_methods() {
  std::vector<run::StageMethod> all = stage_methods(recursive::update_methods());
  for (run::StageMethod& method : stage_methods(recursive::triangle_methods())) all.push_back(std::move(method));
  for (run::StageMethod& method : stage_methods(recursive::search_methods())) all.push_back(std::move(method));
  return all;
}

}  // namespace terrace::stages
