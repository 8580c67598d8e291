// The measured rates of the methods of tables with many dimensions. "Not measured" marks a value of which no figure
// is recorded; the times of slabs on CUDA stand in measured.hpp.
#pragma once

namespace terrace::dp_table::measured {

/// Look-ups of a step's cell a second, of one core. Steps are counted for all cells, those that do not fit, too. One
/// core of a Xeon with AVX-512, by processor time on a busy machine: bytes 3.5 to 4.1 G, 8 bytes 2.2 G; counts 0.6 to
/// 0.7 G; with choices 0.34 G.
inline constexpr double cpu_rate = 4e9, cpu_count_rate = 6e8, cpu_choice_rate = 3e8;
/// Seconds of a cell of a core at least, and from a cell to the next one on the longest way of steps, by
/// parts that threads hand on. EPYC, 2026-11-28, a busy machine: 300 x 700 x 500 cells with 4 steps, 1,500,000 cells
/// with steps of 30 and more.
inline constexpr double cpu_cell_seconds = 7e-9, cpu_link_seconds = 1.7e-6;
/// The same of a GPU, in an order of which there is no model. Not measured.
inline constexpr double cuda_rate = 1e12;
/// The same by Algorithm 5 of the paper (`partitioned`). H200, 2026-11-28, 44 million cells of 8 dimensions,
/// some 300 steps: 7.8 s.
inline constexpr double cuda_partitioned_rate = 1.6e9;
/// Seconds of a cell on a GPU at least, more with its choice, and of a look-up whose count is taken modulo a
/// number. H200, 2026-11-28, 1200 x 700 x 500 cells, 4 steps: 12.9 ms; 600 x 600 x 400 with choices 6.7 ms; ways of
/// 500 x 500 x 500 modulo a prime, 4 steps: 138 ms.
inline constexpr double cuda_cell_seconds = 2.8e-11, cuda_choice_seconds = 1.6e-11, cuda_modulo_seconds = 1.1e-10;
/// Seconds from a cell to the one that a step leads to, where a GPU takes step after step. H200, 2026-11-28, change
/// of 2,000,000 by eight coins: 280 ms, 3.77 million such cells one after another.
inline constexpr double cuda_link_seconds = 7.5e-8;

/// Bytes of cells a second that take a step that is bounded, of one core, and of a GPU. One core of a Xeon with
/// AVX-512, by processor time on a busy machine: 1,000,001 cells of 8 bytes, 1,000 steps of up to 1,000 cells. GPU:
/// not measured.
inline constexpr double cpu_bounded_bytes = 1.2e10, cuda_bounded_bytes = 4e12;

}  // namespace terrace::dp_table::measured
