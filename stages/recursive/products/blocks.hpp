// Cuts of products for which parts of the product stay in memory until they are done.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/recursive/order.hpp"
#include "stages/recursive/tiles.hpp"

namespace terrace::stages {

/// A product in tiles: of `rows` x `depth` tiles by `depth` x `columns`.
struct ProductTiles {
  std::int64_t rows = 1, columns = 1, depth = 1;

  std::int64_t count() const { return rows * depth + depth * columns + rows * columns; }
};

/// Numbers of tiles that a host and a device hold at a time. On the CPU `device` is 0.
struct TileRoom {
  std::int64_t host = 0, device = 0;
};

/// Levels of a recursion that move the fewest tiles: a block of the product stays in a memory while the whole depth
/// passes, one tile of it after another. So no part of the product is moved twice, and each part of a factor as often
/// as there are blocks in its row or column. A product too large for host memory is cut into blocks for it, and
/// these, for as many tiles of the depth as also fit, into blocks for the device.
std::vector<Ways> kept_product_ways(const ProductTiles& tiles, const TileRoom& room);

/// True if the levels are made by kept_product_ways().
bool keeps_product(const std::vector<Ways>& ways);

/// Number of times that each matrix of a product passes a memory: the factors into it, the product out of it, and in
/// again one time less.
struct ProductPasses {
  double left = 1, right = 1, product = 1;
};
/// The same of host memory and of the device's.
struct ProductTraffic {
  ProductPasses host, device;
};
/// @param ways levels that keep parts of the product
ProductTraffic traffic_of(const ProductTiles& tiles, const TileRoom& room, const std::vector<Ways>& ways);

}  // namespace terrace::stages
