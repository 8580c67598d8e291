#include "stages/wavefront/widening.hpp"

#include <algorithm>

namespace terrace::stages {
namespace {

constexpr std::int64_t least_side = 4096;  // of tables worth more than one sweep
constexpr std::int64_t first_share =
    2048;  // of the shorter side: the cost of the first sweep, at most, is lost in the last
constexpr std::int64_t growth = 4;
constexpr std::int64_t lead = 8;       // a sweep to look for a better alignment is that much cheaper than the proof
constexpr double largest_share = 0.9;  // of the table: a band with more of its cells is not worth its edges

}  // namespace

std::optional<std::int64_t> Widening::least_of(const wavefront::SweepSpec& spec, const Resources& resources) {
  if (!resources.cuda) return least_margin;
  constexpr std::int64_t schedulers = 4, rows_of_warp = 1024;
  if (spec.block_rows < spec.rows || spec.block_columns < spec.columns) return std::nullopt;
  return resources.device.processors * schedulers * rows_of_warp / 2;
}

wavefront::DiagonalBand Widening::band(std::int64_t margin) const {
  return margin == whole ? wavefront::DiagonalBand{} : wavefront::band_of_margin(rows_, columns_, margin);
}

std::int64_t Widening::worth_it(std::int64_t margin) const {
  return wavefront::share_of(band(margin), rows_, columns_) < largest_share ? margin : whole;
}

std::int64_t Widening::first() const {
  const std::int64_t side = std::min(rows_, columns_);
  return side < least_side ? whole : worth_it(std::max(least_, side / first_share));
}

std::optional<std::int64_t> Widening::next(std::int64_t margin, std::int64_t distance) const {
  if (margin == whole || distance <= wavefront::proven_distance(rows_, columns_, margin)) return std::nullopt;
  const std::int64_t proving = wavefront::proving_margin(rows_, columns_, distance);
  return worth_it(margin * growth * lead <= proving ? margin * growth : proving);
}

}  // namespace terrace::stages
