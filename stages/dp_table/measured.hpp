// The measured rates that plans of tables with many dimensions assume. "Not measured" marks a value of which no
// figure is recorded.
#pragma once

namespace terrace::stages::measured {

/// Look-ups of a step's cell a second, of one core and of a GPU. Not measured.
inline constexpr double table_cpu_rate = 1e9, table_cuda_rate = 1e12;

}  // namespace terrace::stages::measured
