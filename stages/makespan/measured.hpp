// The rates that plans of searches assume. "Not measured" marks a value of which no figure is recorded.
#pragma once

namespace terrace::stages::measured {

/// Look-ups of a configuration's cell a second, of one core and of a GPU. Not measured.
inline constexpr double search_cpu_rate = 1e9, search_cuda_rate = 1e12;

}  // namespace terrace::stages::measured
