// The guarantee that a job asks for, as whole numbers: nothing is rounded on the way.
#pragma once

#include <cstdint>

namespace terrace::stages {

/// Below it the square of k would leave i64.
inline constexpr double least_epsilon = 1e-9;

/// k = ceil(1 / epsilon). @param epsilon in [least_epsilon, 1]
std::int64_t divisor_of_epsilon(double epsilon);

/// The least lower bound by which a schedule is proved to be good enough: the least L with
/// makespan <= (1 + epsilon) L, where epsilon is the shortest decimal number that is read as this one.
/// @param makespan in [0, 2^57] @param epsilon in [least_epsilon, 1]; decimals beyond the twentieth count as 0
std::int64_t sufficient_bound(std::int64_t makespan, double epsilon);

}  // namespace terrace::stages
