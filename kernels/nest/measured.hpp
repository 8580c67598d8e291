// The sizes and rates that kernels and plans of nests assume. Results never depend on them.
#pragma once

namespace terrace::nest::measured {

/// Operations of formulas that a core computes one by one in a second: 1.6e8 for edit distance, 1.0e8 for five reals
/// of f32, on two busy threads of an AMD EPYC with AVX-512.
inline constexpr double defined_operations_per_second = 1.3e8;
/// Coordinates of a tile along an axis and along the last one, in a block that threads share. Not measured.
inline constexpr int tile_side = 64, tile_columns = 256;

/// The same of compiled nests, with 1 to 4 coordinates. Others were not measured.
inline constexpr int compiled_tile_sides[4][4] = {{4096, 0, 0, 0}, {64, 512, 0, 0}, {16, 16, 256, 0}, {8, 8, 8, 64}};
/// Operations that a core makes in a second of a compiled nest: 3.3e9 for edit distance, 3.2e9 for SOR in two
/// dimensions of f32, 3.4e10 for Jacobi steps in one dimension, on a busy thread of an AMD EPYC with AVX-512,
/// 2026-11-29.
inline constexpr double compiled_operations_per_second = 3e9;
/// The time that a compilation takes. Not measured.
inline constexpr double compile_seconds = 3;

/// Sides of tiles on CUDA, of nests with 1 to 4 coordinates. Not measured.
inline constexpr int cuda_tile_sides[4][4] = {{2048, 0, 0, 0}, {32, 64, 0, 0}, {16, 16, 32, 0}, {8, 8, 8, 16}};
/// Threads of a thread block that makes a tile, a power of two. Not measured.
inline constexpr int cuda_most_threads = 256;
/// Shared memory that a kernel has beside the values of a tile, in bytes. Not measured.
inline constexpr int cuda_static_shared_bytes = 256;
/// Thread blocks of a processor whose values are in device memory. Not measured.
inline constexpr int cuda_rooms_of_processor = 4;
/// Operations of formulas in a second. H200, 2026-11-29, G cells/s: edit distance 15.4, SOR in two dimensions of f32
/// 16.6, the longest common subsequence of three sequences 16.5.
inline constexpr double cuda_cells_operations_per_second = 1e11;
/// Seconds of a launch of tiles of a hyperplane. H200, 2026-11-29: 50 us for edit distance, 75 us with 3 coordinates.
inline constexpr double cuda_cells_launch_seconds = 6e-5;

/// Sides of the window that a thread keeps in registers in a march, of nests with 2 and 3 coordinates. H200,
/// 2026-11-29: edit distance of 2^20 letters 2.04 T cells/s, with 8 rows 1.91 T; other nests are alike, and so are 4
/// or 8 levels.
inline constexpr int cuda_march_sides[2][3] = {{16, 4, 0}, {4, 4, 4}};
/// Bytes of a window with the values before that it reads: sides are halved while it has more, and with more than the
/// most a nest is not marched; and the longest dependence along a coordinate. Not measured.
inline constexpr int cuda_march_window_bytes = 640, cuda_march_most_window_bytes = 2048, cuda_march_most_distance = 4;
/// Bands of a processor below which a lane of a nest with 2 coordinates has fewer rows. Not measured.
inline constexpr double cuda_march_bands = 1.9;
/// The least rows of such a lane. Not measured.
inline constexpr int cuda_march_least_rows = 2;
/// Warps of a processor that may march at a time, for the memory between them. Not measured.
inline constexpr int cuda_march_warps = 16;
/// Operations of formulas in a second: of edit distance, 2^20 x 2^20. H200, 2026-11-29.
inline constexpr double cuda_march_operations_per_second = 2e13;
/// The same of tables of two sequences whose bands fill the device, by the kernel of such tables (wavefront/). H200:
/// needleman_wunsch with linear gaps, 6 operations and 2, 5.15 T cells/s; of nests not measured.
inline constexpr double cuda_bands_operations_per_second = 4e13;
/// Seconds of a step of the longest chain of steps of a march, of nests with 2 and 3 coordinates; first where rows of
/// the last coordinate begin one below the other, then where they are slanted, whose steps are at rims. H200,
/// 2026-11-29: edit distance, 2^14 x 2^14, 4.2 ms; SOR in one dimension, 65536 x 65536, 92 ms, Jacobi steps 88 ms;
/// the longest common subsequence of three sequences of 64 letters 0.9 ms, of 1024 letters 25 ms, of 4096 letters 99
/// ms; SOR in two dimensions, 64 sweeps over 512 x 512, 5.6 ms, over 2^15 x 2^15 266 ms.
inline constexpr double cuda_march_step_seconds[2][2] = {{3.5e-7, 3e-6}, {2.5e-6, 9e-6}};

}  // namespace terrace::nest::measured
