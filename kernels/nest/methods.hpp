// The kernels that could compute a nest.
#pragma once

#include <span>

#include "kernels/launch/method.hpp"
#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

/// Their blocks have descriptors NestTask and results NestResult; they may follow one another in any order in which
/// each comes after those whose borders it reads.
std::span<const device::Method<NestSpec>> nest_methods();

}  // namespace terrace::nest
