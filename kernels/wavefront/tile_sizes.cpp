#include "kernels/wavefront/tile_sizes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/wavefront/description.hpp"

namespace terrace::wavefront {
namespace {

std::int64_t power_of_two_below(std::int64_t number) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, number))));
}

std::int64_t whole_warps(std::int64_t rows) { return (std::max<std::int64_t>(rows, 1) + 31) / 32 * 32; }

}  // namespace

bool in_tiles(const SweepSpec& spec) {
  return spec.schedule.storage != Schedule::Storage::registers && description_of(spec)->in_tiles;
}

std::int64_t flexible_width(std::int64_t rows, std::int64_t columns, std::int64_t height, std::int64_t processors,
                            const TileCosts& costs) {
  const double W = static_cast<double>(columns), H = static_cast<double>(rows), h = static_cast<double>(height);
  const double P = std::min(static_cast<double>(processors), std::ceil(H / h));
  if (P <= 1) return std::max<std::int64_t>(1, columns);
  const double above = costs.synchronisation * (H * W + H * h + H * h * P - h * h * P);
  const double below = costs.diagonal * h * P * (P - 1);
  const double width = std::sqrt(std::max(0.0, above / below));
  return std::max<std::int64_t>(1, std::llround(std::min(width, std::max(1.0, W))));
}

TileShape shared_tile(const TileLimits& limits) {
  const std::int64_t height = power_of_two_below(limits.cores);
  const std::int64_t cells = power_of_two_below(static_cast<std::int64_t>(limits.shared_bytes / limits.cell_bytes));
  return {height, std::max<std::int64_t>(1, cells / height), 1};
}

TileShape tile_shape(const Schedule& schedule, std::int64_t rows, std::int64_t columns, const TileLimits& limits,
                     const TileCosts& costs) {
  const std::int64_t skew = schedule.shape == Schedule::Shape::hyperplane ? 1 : 0;
  if (schedule.storage == Schedule::Storage::shared) {
    const TileShape shape = shared_tile(limits);
    return {std::min<i64>(shape.height, whole_warps(rows)), shape.width, skew};
  }
  const std::int64_t height = std::min(limits.most_height, whole_warps(rows));
  if (schedule.sizes == Schedule::Sizes::fixed) return {height, height, skew};
  const std::int64_t width = flexible_width(rows, columns, height, limits.processors, costs);
  const std::int64_t rounded = (width + least_tile_width / 2) / least_tile_width * least_tile_width;
  return {height, std::clamp(rounded, least_tile_width, limits.most_height), skew};
}

}  // namespace terrace::wavefront
