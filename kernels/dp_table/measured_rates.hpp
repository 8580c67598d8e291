// The measured rates of the methods of tables with many dimensions. "Not measured" marks a value of which no figure
// is recorded; the times of slabs on CUDA stand in measured.hpp.
#pragma once

namespace terrace::dp_table::measured {

/// Look-ups of a step's cell a second, of one core. Steps are counted for all cells, those that do not fit, too. One
/// core of a Xeon with AVX-512, by processor time on a busy machine: bytes 3.5 to 4.1 G, 8 bytes 2.2 G; counts 0.6 to
/// 0.7 G; with choices 0.34 G.
inline constexpr double cpu_rate = 3e9, cpu_count_rate = 6e8, cpu_choice_rate = 3e8;
/// The same of a GPU, in an order of which there is no model. Not measured.
inline constexpr double cuda_rate = 1e12;

}  // namespace terrace::dp_table::measured
