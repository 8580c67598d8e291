// The methods of the stage `recursive` (kernels/recursive/methods.hpp).
#pragma once

#include <vector>

#include "kernels/recursive/methods.hpp"
#include "kernels/recursive/searches.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The method of updates of tiles, or of a triangle. @throws DeviceError if there is none
const recursive::UpdateMethod& update_method(const recursive::UpdateSpec& spec, device::Backend backend,
                                             const device::Limits& limits);
const recursive::TriangleMethod& triangle_method(const recursive::TriangleSpec& spec, device::Backend backend,
                                                 const device::Limits& limits);

/// The method of searches, which the CPU computes. @param limits of the CPU
const recursive::SearchMethod& search_method(const recursive::SearchSpec& spec, const device::Limits& limits);

/// The methods beside what a stage computes (run::Stage::methods()).
std::vector<run::StageMethod> methods_of(const recursive::UpdateSpec& spec, const Resources& resources);
std::vector<run::StageMethod> methods_of(const recursive::TriangleSpec& spec, const Resources& resources);

/// The methods of all back ends.
std::vector<run::StageMethod> recursive_methods();

}  // namespace terrace::stages
