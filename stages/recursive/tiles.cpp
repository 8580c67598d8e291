#include "stages/recursive/tiles.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/recursive/measured.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

/// The memory that there is for tiles of a table.
class Room {
 public:
  Room(const TileNeeds& needs, const Resources& resources) : needs_(needs), resources_(resources) {}

  /// Bytes of `count` blocks' tiles.
  std::int64_t bytes(std::int64_t side, std::int64_t count) const { return count * needs_.block(side) + page_bytes; }
  std::int64_t workspace(std::int64_t side) const { return needs_.workspace(side); }
  std::int64_t tile(std::int64_t side) const { return needs_.tile ? needs_.tile(side) : 0; }

  /// The largest side for which tiles of `count` blocks fit; 0: none.
  std::int64_t side_for(std::int64_t most, std::int64_t count) const {
    const std::int64_t step = needs_.step;
    std::int64_t side = std::max(most / step * step, step);
    while (side > step && !holds(side, count)) side -= step;
    const std::int64_t less = needs_.always ? step : 1;
    while (side > 0 && !holds(side, count)) side -= less;
    return side;
  }

 private:
  bool holds(std::int64_t side, std::int64_t count) const {
    const auto device = static_cast<std::int64_t>(resources_.device_budget);
    const auto host = static_cast<std::int64_t>(resources_.host_budget);
    // On a device of its own tiles pass through host memory; on the CPU a block may work on some of it.
    if (!resources_.cuda) return bytes(side, count) <= host - workspace(side) && bytes(side, 1) <= device;
    return bytes(side, count) <= device - workspace(side) && bytes(side, 1) <= 2 * host && tile(side) <= host;
  }

  const TileNeeds& needs_;
  const Resources& resources_;
};

}  // namespace

std::int64_t block_bytes(const recursive::TileSpec& spec, std::int64_t side) {
  constexpr std::int64_t tiles = 4;  // x, u, v, and the input that x begins as
  const auto tile = [&](ElementType type) {
    return whole_pages(side * side * static_cast<std::int64_t>(size_of(type)));
  };
  const std::int64_t bits = whole_pages(side * side / 8);
  if (spec.table == recursive::Table::counts) return 2 * tile(spec.value) + 2 * bits;
  if (recursive::has_bits(spec.table)) {
    return tiles * bits + (spec.table == recursive::Table::bits ? whole_pages(side * side) : bits);
  }
  std::int64_t bytes = tiles * tile(spec.value);
  if (recursive::has_trails(spec.table))
    bytes += 3 * tile(recursive::trail_type(spec.table)) + tile(ElementType::i32);
  return bytes;
}

std::int64_t workspace_bytes(const recursive::TileSpec& spec, std::int64_t side, const Resources& resources) {
  const recursive::UpdateSpec updates{spec, recursive::Form::product, side};
  const auto backend = resources.backend();
  const recursive::UpdateMethod& method = update_method(updates, backend, resources.device);
  return static_cast<std::int64_t>(method.workspace(updates, resources.device));
}

std::int64_t choose_tile(std::int64_t size, const recursive::TileSpec& spec, const Resources& resources) {
  TileNeeds needs;
  needs.block = [&](std::int64_t side) { return block_bytes(spec, side); };
  needs.workspace = [&](std::int64_t side) { return workspace_bytes(spec, side, resources); };
  if (recursive::has_bit_factors(spec.table)) {
    needs.step = 64;
    needs.always = true;
    needs.scale = 4;
    // The result: a byte a cell.
    if (spec.table == recursive::Table::bits) needs.tile = [](std::int64_t side) { return whole_pages(side * side); };
  }
  return choose_tile(size, needs, resources);
}

std::int64_t choose_tile(std::int64_t size, const TileNeeds& needs, const Resources& resources) {
  const Room room(needs, resources);
  const measured::TileSides sides = resources.cuda ? measured::cuda_sides : measured::cpu_sides;
  const std::int64_t scale = needs.scale;
  std::int64_t most = scale * sides.most;
  if (resources.cuda) {
    const std::int64_t across = ceiling(size, measured::cuda_tiles_across);
    most = std::min(most, std::max(scale * measured::cuda_busy_side, across));
  }
  if (needs.most > 0) most = std::min(most, needs.most);
  std::int64_t side = 0;
  for (const std::int64_t blocks : {6, 3, 1}) {
    side = room.side_for(most, blocks);
    if (side >= std::clamp<std::int64_t>(size, 1, scale * sides.least)) break;
  }
  const std::int64_t step = needs.step, least = needs.always ? step : std::min(size, step);
  if (side < least) {
    refuse_budgets(resources, room.bytes(least, 1), room.workspace(least), room.tile(least));
  }
  side = std::max<std::int64_t>(side, 1);
  // Tiles that are alike.
  const std::int64_t across = std::max<std::int64_t>(1, ceiling(size, side));
  const std::int64_t even = ceiling(std::max<std::int64_t>(1, size), across);
  return std::min(side, ceiling(even, step) * step);
}

double parts_that_fit(double bytes, std::size_t budget, const std::vector<std::int64_t>& ways, std::int64_t across) {
  const double squares = 3 * bytes / static_cast<double>(budget);
  const auto most = static_cast<double>(std::max<std::int64_t>(1, across));
  // If parts are halved again and again, memory holds some more than the largest part that fits.
  if (ways == std::vector<std::int64_t>{2}) return std::clamp(std::sqrt(squares), 1.0, most);
  double parts = 1;
  for (std::size_t level = 0; parts < most && squares > parts * parts; ++level) {
    parts *= static_cast<double>(ways[std::min(level, ways.size() - 1)]);
  }
  return std::min(parts, most);
}

Traffic traffic_again(const UpdatedTable& table, std::size_t budget) {
  const auto memory = static_cast<double>(budget);
  const double kept = std::max(memory - table.block, memory / 2);
  if (table.bytes <= kept) return {};
  const double parts = parts_that_fit(table.bytes, budget, table.ways, table.across);
  const double again = table.share * (parts - 1) * (table.bytes - kept);
  return {measured::PassTraffic::read * again, measured::PassTraffic::written * again};
}

std::vector<std::int64_t> choose_ways(const std::string& schedule, std::int64_t across, std::int64_t tile,
                                      std::int64_t element, const Resources& resources) {
  if (schedule == "plain") return {std::max<std::int64_t>(2, across)};
  if (schedule != "r_way") return {2};
  // A block of a level holds three squares, as in the paper.
  const auto tiles_within = [&](std::size_t budget, std::int64_t most) {
    const double square = static_cast<double>(budget) / 3 / static_cast<double>(element);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::sqrt(square)) / tile, 1,
                                    std::max<std::int64_t>(1, most));
  };
  std::vector<std::int64_t> ways;
  std::int64_t outer = across;
  const auto cut_to = [&](std::size_t budget) {
    const std::int64_t inner = tiles_within(budget, outer);
    if (inner < outer) ways.push_back(std::max<std::int64_t>(2, ceiling(outer, inner)));
    outer = inner;
  };
  cut_to(resources.host_budget);
  if (resources.cuda) cut_to(resources.device_budget);
  ways.push_back(std::max<std::int64_t>(2, outer));
  return ways;
}

}  // namespace terrace::stages
