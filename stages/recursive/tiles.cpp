#include "stages/recursive/tiles.hpp"

#include <algorithm>
#include <cmath>

#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t page = 4096;
constexpr std::int64_t most_side = 2048;  // a block of that takes some tenths of a second
constexpr std::int64_t least_side = 256;  // smaller ones are mostly reading and packing
constexpr std::int64_t step = 16;         // sides are multiples of it where they may be

std::int64_t pages(std::int64_t bytes) { return (bytes + page - 1) / page * page; }

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The largest side of which `count` tiles fit.
std::int64_t side_for(std::int64_t bytes, std::int64_t count, std::int64_t element) {
  const std::int64_t tile = (bytes - page) / count / page * page;
  const auto side =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(std::max<std::int64_t>(0, tile) / element)));
  return side > step ? side - side % step : side;
}

}  // namespace

std::int64_t choose_tile(std::int64_t size, std::int64_t element, std::int64_t tiles, const Resources& resources) {
  const auto device = static_cast<std::int64_t>(resources.device_budget);
  const auto host = static_cast<std::int64_t>(resources.host_budget);
  std::int64_t side = 0;
  for (const std::int64_t blocks : {6, 3, 1}) {
    side = std::min(side_for(host, blocks * tiles, element), side_for(device, tiles, element));
    if (side >= std::min(size, least_side)) break;
  }
  if (side < std::min<std::int64_t>(size, step)) {
    const std::int64_t least = std::min(size, step);
    refuse_budgets(resources, tiles * pages(least * least * element) + page, 0);
  }
  side = std::clamp<std::int64_t>(side, 1, most_side);
  // Tiles that are alike.
  const std::int64_t across = std::max<std::int64_t>(1, ceiling(size, side));
  const std::int64_t even = ceiling(std::max<std::int64_t>(1, size), across);
  return std::min(side, ceiling(even, step) * step);
}

std::vector<std::int64_t> choose_ways(const std::string& schedule, std::int64_t across, std::int64_t tile,
                                      std::int64_t element, const Resources& resources) {
  if (schedule == "plain") return {std::max<std::int64_t>(2, across)};
  if (schedule != "r_way") return {2};
  // A block of the host's level holds three squares, as in the paper.
  const double square = static_cast<double>(resources.host_budget) / 3 / static_cast<double>(element);
  const auto inner = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::sqrt(square)) / tile, 1,
                                              std::max<std::int64_t>(1, across));
  std::vector<std::int64_t> ways;
  if (inner < across) ways.push_back(std::max<std::int64_t>(2, ceiling(across, inner)));
  ways.push_back(std::max<std::int64_t>(2, inner));
  return ways;
}

}  // namespace terrace::stages
