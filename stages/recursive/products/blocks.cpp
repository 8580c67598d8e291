#include "stages/recursive/products/blocks.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/recursive/measured.hpp"

#include <algorithm>

namespace terrace::stages {
namespace {

using measured::ProductBlocks;
constexpr std::size_t levels = 6;
constexpr std::int64_t all = std::int64_t{1} << 40;  // single tiles

/// Spare tiles in a memory of `room` tiles.
std::int64_t spare(std::int64_t room) { return std::min(ProductBlocks::most_spare, room / 4); }

/// Tiles across and down of a block of the product, and the number of blocks.
struct Cut {
  std::int64_t rows = 1, columns = 1;  // parts of the product
  double moved = 0;                    // tiles of factors that pass for a tile of depth
};

/// The blocks for which the fewest tiles of factors pass through a memory of `room` tiles that holds one block,
/// `depth` rows of tiles of the right factor, and as many columns of `panel` tiles of the left one.
Cut fewest_moved(const ProductTiles& tiles, std::int64_t room, std::int64_t depth, std::int64_t panel) {
  Cut best;
  std::int64_t before = 0, least = 0;
  for (std::int64_t parts = 1; parts <= tiles.rows; ++parts) {
    const std::int64_t rows = ceiling(tiles.rows, parts);
    if (rows == before) continue;
    before = rows;
    const std::int64_t most = (room - spare(room) - depth * std::min(panel, rows)) / (rows + depth);
    const std::int64_t columns = std::clamp<std::int64_t>(most, 1, tiles.columns);
    if (most < 1 && rows > 1) continue;
    const Cut cut{parts, ceiling(tiles.columns, columns),
                  static_cast<double>(tiles.rows) * static_cast<double>(ceiling(tiles.columns, columns)) +
                      static_cast<double>(tiles.columns) * static_cast<double>(parts)};
    const std::int64_t held = rows * ceiling(tiles.columns, cut.columns);
    if (best.moved > 0 && (cut.moved > best.moved || (cut.moved == best.moved && held >= least))) continue;
    best = cut;
    least = held;
  }
  return best;
}

}  // namespace

std::vector<Ways> kept_product_ways(const ProductTiles& tiles, const TileRoom& room) {
  const bool fits = tiles.count() <= room.host;
  const auto parts_for = [&](const ProductTiles& of, std::int64_t memory) { return fewest_moved(of, memory, 1, 1); };
  Cut host, device;
  std::int64_t slabs = 1;
  if (room.device == 0) {
    if (!fits) host = parts_for(tiles, room.host);
  } else {
    device = parts_for(tiles, room.device);
    const std::int64_t panel = ceiling(tiles.rows, device.rows);
    const Cut cut = fewest_moved(tiles, room.host, std::min(ProductBlocks::least_slab, tiles.depth), panel);
    if (!fits && cut.moved < device.moved) {
      host = cut;
      const ProductTiles block{ceiling(tiles.rows, host.rows), ceiling(tiles.columns, host.columns), tiles.depth};
      device = parts_for(block, room.device);
      const std::int64_t beside = room.host - spare(room.host) - block.rows * block.columns;
      const std::int64_t slab = beside / (block.columns + ceiling(block.rows, device.rows));
      slabs = ceiling(tiles.depth, std::clamp<std::int64_t>(slab, 1, tiles.depth));
    }
  }
  // If all of it stays, cut it in two: one part is done, and can be written, while the next one is computed.
  if (fits && host.rows * host.columns * device.rows * device.columns == 1)
    host.rows = std::min<std::int64_t>(2, tiles.rows);
  return {{host.rows, host.columns, 1},
          {1, 1, slabs},
          {device.rows, device.columns, 1},
          {1, 1, all},
          {all, 1, 1},
          {all, all, all}};
}

bool keeps_product(const std::vector<Ways>& ways) { return ways.size() == levels && ways[0].k == 1; }

ProductTraffic traffic_of(const ProductTiles& tiles, const TileRoom& room, const std::vector<Ways>& ways) {
  ProductTraffic traffic;
  const auto passes = [](std::int64_t rows, std::int64_t columns, std::int64_t product) {
    return ProductPasses{static_cast<double>(columns), static_cast<double>(rows), static_cast<double>(product)};
  };
  const std::int64_t rows = ways[0].i * ways[2].i, columns = ways[0].j * ways[2].j;
  // If there are no blocks for the host, the blocks of the device pass through host memory.
  const bool own = room.device == 0 || ways[0].i * ways[0].j > 1;
  if (tiles.count() > room.host) traffic.host = own ? passes(ways[0].i, ways[0].j, 1) : passes(rows, columns, 1);
  if (tiles.count() > room.device) {
    traffic.device = passes(rows, columns, ways[2].i * ways[2].j > 1 ? ways[1].k : 1);
  }
  return traffic;
}

}  // namespace terrace::stages
