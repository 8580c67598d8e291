#include "stages/wavefront/widening.hpp"

#include <algorithm>

namespace terrace::stages {
namespace {

using Sizes = measured::BandSizes;

}  // namespace

std::optional<std::int64_t> Widening::least_of(const wavefront::SweepSpec& spec, const Resources& resources) {
  if (!resources.cuda) return least_margin;
  if (spec.block_rows < spec.rows || spec.block_columns < spec.columns) return std::nullopt;
  return resources.device.processors * Sizes::schedulers * Sizes::rows_of_warp / 2;
}

wavefront::DiagonalBand Widening::band(std::int64_t margin) const {
  if (margin == whole) return {};
  const std::int64_t own =
      is_limited(margin) ? wavefront::proving_margin(rows_, columns_, limiting_distance(margin) + 1) : margin;
  return wavefront::band_of_margin(rows_, columns_, own);
}

std::int64_t Widening::worth_it(std::int64_t margin) const {
  return wavefront::share_of(band(margin), rows_, columns_) < Sizes::largest_share ? margin : whole;
}

std::int64_t Widening::first() const {
  const std::int64_t side = std::min(rows_, columns_);
  return side < Sizes::least_side ? whole : worth_it(std::max(least_, side / Sizes::first_share));
}

std::optional<std::int64_t> Widening::next(std::int64_t margin, std::int64_t distance) const {
  if (margin == whole || is_limited(margin) || distance <= wavefront::proven_distance(rows_, columns_, margin))
    return std::nullopt;
  const std::int64_t proving = wavefront::proving_margin(rows_, columns_, distance);
  return worth_it(margin * Sizes::growth * Sizes::lead <= proving ? margin * Sizes::growth : proving);
}

}  // namespace terrace::stages
