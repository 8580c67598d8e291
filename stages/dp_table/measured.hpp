// The measured rates that plans of tables with many dimensions assume. "Not measured" marks a value of which no
// figure is recorded.
#pragma once

namespace terrace::stages::measured {

/// Look-ups of a step's cell a second, of one core. EPYC, both threads, cells of bytes: 1.0 G in lines of 4
/// cells, 1.5 to 2.1 G of 10; with choices 0.63 G.
inline constexpr double table_cpu_rate = 7.5e8, table_cpu_choice_rate = 3e8;
/// The same of a GPU. Not measured.
inline constexpr double table_cuda_rate = 1e12;

}  // namespace terrace::stages::measured
