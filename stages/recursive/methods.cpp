#include "stages/recursive/methods.hpp"

#include "pipeline/base/error.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

device::Backend backend_of(const Resources& resources) {
  return resources.cuda ? device::Backend::cuda : device::Backend::cpu;
}

template <class Spec>
const device::Method<Spec>& chosen(std::span<const device::Method<Spec>> methods, const Spec& spec,
                                   device::Backend backend, const device::Limits& limits) {
  const auto* method = device::choose_method(methods, backend, "auto", spec, limits);
  if (method == nullptr) throw DeviceError("recursive stage", "no kernel of this program computes it");
  return *method;
}

}  // namespace

const recursive::UpdateMethod& update_method(const recursive::UpdateSpec& spec, device::Backend backend,
                                             const device::Limits& limits) {
  return chosen(recursive::update_methods(), spec, backend, limits);
}

const recursive::TriangleMethod& triangle_method(const recursive::TriangleSpec& spec, device::Backend backend,
                                                 const device::Limits& limits) {
  return chosen(recursive::triangle_methods(), spec, backend, limits);
}

std::vector<run::StageMethod> methods_of(const recursive::UpdateSpec& spec, const Resources& resources) {
  const device::Limits& limits = resources.device;
  return stage_methods(recursive::update_methods(), update_method(spec, backend_of(resources), limits), spec, limits);
}

std::vector<run::StageMethod> methods_of(const recursive::TriangleSpec& spec, const Resources& resources) {
  const device::Limits& limits = resources.device;
  return stage_methods(recursive::triangle_methods(), triangle_method(spec, backend_of(resources), limits), spec,
                       limits);
}

std::vector<run::StageMethod> recursive_methods() {
  std::vector<run::StageMethod> all = stage_methods(recursive::update_methods());
  for (run::StageMethod& method : stage_methods(recursive::triangle_methods())) all.push_back(std::move(method));
  return all;
}

}  // namespace terrace::stages
