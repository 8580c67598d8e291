// Sweeps of a band of diagonals that widens until a distance proves it wide enough.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/wavefront/sweep.hpp"
#include "stages/stage_kind.hpp"
#include "stages/wavefront/measured.hpp"

namespace terrace::stages {

/// The margins (diagonals.hpp) of sweeps over a table of rows x columns. A sweep finds the distance of an alignment,
/// and the margin that proves this distance suffices for the final result: it is taken as soon as it is not much more
/// work. Until then margins grow fourfold, since a wider band may hold a much better alignment.
class Widening {
 public:
  /// The margin of a band that is the whole table.
  static constexpr std::int64_t whole = 0;
  /// In place of a margin: the limits of seeds for alignments of that distance, at least 1, of the same band as
  /// proves it (seed_limits.hpp). Ledgers have it as a margin.
  static constexpr std::int64_t limited_by(std::int64_t distance) { return -distance; }
  static constexpr bool is_limited(std::int64_t margin) { return margin < 0; }
  static constexpr std::int64_t limiting_distance(std::int64_t margin) { return -margin; }
  static constexpr std::int64_t least_margin = measured::BandSizes::least_margin;

  /// The least margin that is worth it. On a GPU each takes as long as any narrower one until it gives every
  /// scheduler a warp; nothing for tables of several blocks, which are computed whole there.
  static std::optional<std::int64_t> least_of(const wavefront::SweepSpec& spec, const Resources& resources);

  /// @param least the margin below which a sweep takes no less time
  Widening(std::int64_t rows, std::int64_t columns, std::int64_t least = least_margin)
      : rows_(rows), columns_(columns), least_(least) {}

  /// The margin of the first sweep.
  std::int64_t first() const;
  /// The margin of the sweep after one with `margin` found `distance`; nullopt if the distance is proved, as it is
  /// within limits.
  std::optional<std::int64_t> next(std::int64_t margin, std::int64_t distance) const;
  wavefront::DiagonalBand band(std::int64_t margin) const;

 private:
  std::int64_t worth_it(std::int64_t margin) const;

  std::int64_t rows_, columns_, least_;
};

}  // namespace terrace::stages
