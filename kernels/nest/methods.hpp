// The kernels that could compute a nest.
#pragma once

#include <span>

#include "kernels/launch/method.hpp"
#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

using NestMethod = device::Method<NestSpec>;

/// Their blocks have descriptors NestTask and results NestResult; they may follow one another in any order in which
/// each comes after those whose borders it reads.
std::span<const NestMethod> nest_methods();

/// The method that computes the same where one is not compiled; null: none does.
const NestMethod* method_instead(const NestMethod& method);

/// The methods of CUDA; none in a program without.
std::span<const NestMethod> nest_cuda_methods();

}  // namespace terrace::nest
