// The measured rates that plans of tables with many dimensions assume. "Not measured" marks a value of which no
// figure is recorded.
#pragma once

namespace terrace::stages::measured {

/// Look-ups of a step's cell a second, of one core. Steps are counted for all cells, those that do not fit, too. One
/// core of a Xeon with AVX-512, by processor time on a busy machine: bytes 3.5 to 4.1 G, 8 bytes 2.2 G; counts 0.6 to
/// 0.7 G; with choices 0.34 G.
inline constexpr double table_cpu_rate = 3e9, table_cpu_count_rate = 6e8, table_cpu_choice_rate = 3e8;
/// The same of a GPU, under a schedule of which there is no model. Not measured.
inline constexpr double table_cuda_rate = 1e12;

}  // namespace terrace::stages::measured
