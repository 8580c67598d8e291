#include "stages/wavefront/blocks.hpp"

#include <algorithm>

#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t part_bytes = 256;  // that describe one part of a block between kept lines, and its result

using measured::BlockSizes;
constexpr std::int64_t least_side = BlockSizes::least_side;

}  // namespace

std::int64_t side_between_kept(std::int64_t most, std::int64_t extent, std::int64_t every) {
  if (every == 0 || every >= extent || most >= extent) return most;
  if (most >= every) return most - most % every;
  std::int64_t side = every;
  const auto look = [&](std::int64_t divisor) {
    if (divisor < std::min(least_side, every)) return;
    const bool fits = divisor <= most;
    if (fits ? side > most || divisor > side : divisor < side) side = divisor;
  };
  for (std::int64_t d = 1; d <= every / d; ++d) {
    if (every % d == 0) look(d), look(every / d);
  }
  return side;
}

namespace {

/// Parts of a block between the lines that are kept in it.
BlockShape parts_of(const TableNeed& need, const BlockShape& shape) {
  return {ceiling(shape.rows, need.every), ceiling(shape.columns, need.every)};
}

/// The lines that are kept in a block, and the borders between its parts, if it is swept in parts.
std::int64_t kept_bytes(const TableNeed& need, const BlockShape& shape) {
  const BlockShape parts = parts_of(need, shape);
  const std::int64_t lines = whole_pages(parts.rows * shape.columns * need.kept_bytes) +
                             whole_pages(parts.columns * shape.rows * need.kept_bytes);
  if (!need.in_parts) return lines;
  const std::int64_t cells = (parts.rows + 1) * shape.columns + (parts.columns + 1) * (shape.rows + parts.rows);
  return lines + whole_pages(cells * need.border_bytes) + whole_pages(parts.rows * parts.columns * part_bytes);
}

}  // namespace

std::int64_t block_bytes(const TableNeed& need, const BlockShape& shape) {
  const std::int64_t carries = blocks_in_flight + 2;
  const std::int64_t cell = need.table_bytes + need.grid_bytes;
  const std::int64_t tiles = cell > 0 ? whole_pages(shape.rows * shape.columns * need.table_bytes) +
                                            whole_pages(shape.rows * shape.columns * need.grid_bytes)
                                      : 0;
  const std::int64_t items =
      need.grid_bytes > 0 ? 0
                          : whole_pages(shape.rows * need.item_bytes) + whole_pages(shape.columns * need.item_bytes);
  std::int64_t borders = 0;
  if (need.every > 0) borders += kept_bytes(need, shape);
  if (shape.columns < need.columns) borders += carries * whole_pages((shape.rows + 1) * need.border_bytes);
  if (shape.rows < need.rows) borders += carries * whole_pages(shape.columns * need.border_bytes);
  return tiles + items + borders;
}

BlockShape choose_blocks(const TableNeed& need, const Resources& resources,
                         const std::function<std::int64_t(const BlockShape&)>& workspace) {
  const auto device = static_cast<std::int64_t>(resources.device_budget);
  // On a device of its own tiles pass through host memory, and one may be nearly all of a block; on the CPU blocks
  // work in host memory.
  const auto host = static_cast<std::int64_t>(resources.host_budget);
  const auto room = [&](const BlockShape& block) { return std::min(device - workspace(block), host); };
  BlockShape shape{std::max<std::int64_t>(1, need.rows), std::max<std::int64_t>(1, need.columns)};
  const std::int64_t share = std::min(device, host) / (blocks_in_flight + 2);
  const std::int64_t cell = need.table_bytes + need.grid_bytes;
  const std::int64_t most_table_bytes =
      resources.cuda ? BlockSizes::most_table_bytes_cuda : BlockSizes::most_table_bytes_cpu;
  if (cell > 0) {
    const std::int64_t cells = std::max<std::int64_t>(1, std::min(share, most_table_bytes) / cell);
    shape.rows = std::clamp<std::int64_t>(cells / shape.columns, 1, shape.rows);
    if (shape.rows > least_side) shape.rows -= shape.rows % least_side;
    if (shape.rows < std::min(least_side, need.rows)) {
      shape.rows = std::min(least_side, need.rows);
      shape.columns = std::clamp(cells / shape.rows, std::min(least_side, shape.columns), shape.columns);
      if (shape.columns > 1024) shape.columns -= shape.columns % 1024;
    }
  } else {
    const std::int64_t least_strip = resources.cuda ? BlockSizes::least_strip_cuda : BlockSizes::least_strip_cpu;
    shape.columns = std::min(shape.columns, std::max(least_strip, ceiling(shape.columns, BlockSizes::most_strips)));
  }
  const auto rows_up_to = [&](std::int64_t most) { return side_between_kept(most, need.rows, need.every); };
  const auto columns_up_to = [&](std::int64_t most) { return side_between_kept(most, need.columns, need.every); };
  shape = {rows_up_to(shape.rows), columns_up_to(shape.columns)};
  const auto reduce = [](std::int64_t& side, std::int64_t reduced) {
    return reduced < side ? (side = reduced, true) : false;
  };
  // A band of rows that is not full, at a block's lower edge, is slow on a GPU.
  constexpr std::int64_t band_rows = BlockSizes::band_rows;
  const auto halve_rows = [&] {
    std::int64_t half = std::max(least_side, ceiling(shape.rows, 2));
    if (half > band_rows) half = ceiling(half, band_rows) * band_rows;
    return reduce(shape.rows, rows_up_to(half));
  };
  const auto halve_columns = [&] {
    return reduce(shape.columns, columns_up_to(std::max(least_side, ceiling(shape.columns, 2))));
  };
  const auto keeps_too_much = [&] {
    if (need.every == 0) return false;
    const BlockShape parts = parts_of(need, shape);
    return kept_bytes(need, shape) > std::min(share, most_table_bytes) ||
           (need.in_parts && parts.rows * parts.columns > BlockSizes::most_parts);
  };
  while (keeps_too_much() &&
         (shape.rows >= shape.columns ? halve_rows() || halve_columns() : halve_columns() || halve_rows())) {
  }
  // As many as are in flight if they can be made smaller, at least one. The budget also holds a page for the data
  // that the kernel receives.
  const auto fit = [&](std::int64_t blocks, const BlockShape& block) {
    return blocks * block_bytes(need, block) + page_bytes <= room(block);
  };
  while (cell == 0 && !fit(blocks_in_flight + 2, shape) && shape.columns > 1024 &&
         reduce(shape.columns, columns_up_to(ceiling(shape.columns, 2)))) {
  }
  while (!fit(1, shape) && shape.rows > least_side && halve_rows()) {
  }
  while (!fit(1, shape) && shape.columns > least_side && halve_columns()) {
  }
  if (!fit(1, shape)) {
    const BlockShape smallest{rows_up_to(std::clamp<std::int64_t>(need.rows, 1, least_side)),
                              columns_up_to(std::clamp<std::int64_t>(need.columns, 1, least_side))};
    const std::int64_t least = block_bytes(need, smallest) + page_bytes;
    refuse_budgets(resources, least, workspace(smallest), least);
  }
  return shape;
}

}  // namespace terrace::stages
