// The sizes of kernel tiles that the papers' schedules take.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/rules/tiles.hpp"
#include "kernels/wavefront/sweep.hpp"

namespace terrace::wavefront {

/// True if there are kernels of tiles in memory for P: for all but counts, which have a table a bin.
template <class P>
inline constexpr bool sweeps_in_tiles = !requires {
  requires P::counts;
};

/// True if a sweep is one in kernel tiles in memory, not in registers.
bool in_tiles(const SweepSpec& spec);

/// The input of PeerWave's model: the time of one anti-diagonal of a tile, and that of one synchronisation with
/// a neighbour, in the same unit.
struct TileCosts {
  double diagonal = 1, synchronisation = 1;
};

/// The properties of a device on which the sizes of tiles depend.
struct TileLimits {
  std::int64_t processors = 1;                                  // that rows of tiles are dealt to
  std::int64_t most_height = measured::CudaTiles::most_height;  // the largest tile in cache, a power of 2
  std::int64_t cores = measured::CudaTiles::cores;              // of a processor, for tiles in shared memory
  std::size_t shared_bytes = measured::CudaTiles::shared_bytes;
  std::size_t cell_bytes = 4;
};

/// The width that makes the critical path of peer-synchronised hyperplane tiles shortest (Belviranli et al. 2015,
/// eq. 4):
///
///   sqrt(s (H W + H h + H h P - h^2 P) / (d h P (P - 1)))
///
/// for a block of W columns and H rows in tiles of h rows, diagonals that take d, synchronisations that take s, and P
/// processors. The paper assumes more rows of tiles than processors; if there are fewer, P is their number, which
/// follows from its eq. 3 if no row waits for a processor. @return at least 1; W with one row of tiles
std::int64_t flexible_width(std::int64_t rows, std::int64_t columns, std::int64_t height, std::int64_t processors,
                            const TileCosts& costs);

/// The tile in shared memory (Li 2020, eq. 6.2): height 2^floor(log2 cores), and as many columns as a power of 2 of
/// cells in shared memory gives.
TileShape shared_tile(const TileLimits& limits);

/// The tiles of a block of `rows` x `columns`. Heights are multiples of 32 and no larger than the block needs; widths
/// of hyperplane and square tiles equal heights if the schedule's sizes are fixed.
TileShape tile_shape(const Schedule& schedule, std::int64_t rows, std::int64_t columns, const TileLimits& limits,
                     const TileCosts& costs);

/// The narrowest tile that a flexible width gives.
inline constexpr std::int64_t least_tile_width = measured::CudaTiles::least_width;

}  // namespace terrace::wavefront
