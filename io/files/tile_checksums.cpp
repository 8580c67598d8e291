#include "io/files/tile_checksums.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "io/files/box_runs.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t most_tiles = 4096;              // whose checksums are made at a time
constexpr std::int64_t piece = std::int64_t{4} << 20;  // bytes that are read at a time
constexpr std::size_t page = page_bytes;

}  // namespace

TileRowChecksums::TileRowChecksums(const TileGrid& grid, std::int64_t element_size, std::int64_t first,
                                   std::int64_t last)
    : sums_(static_cast<std::size_t>(last - first)) {
  const int dimension = grid.shape().rank() - 1;
  std::int64_t end = 0;
  for (std::int64_t tile = first; tile < last; ++tile) {
    const Box box = grid.box(tile);
    end += (dimension < 0 ? 1 : box.end[dimension] - box.begin[dimension]) * element_size;
    ends_.push_back(end);
  }
}

void TileRowChecksums::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto taken = std::min(bytes.size(), static_cast<std::size_t>(ends_[tile_] - column_));
    sums_[tile_].add(bytes.first(taken));
    bytes = bytes.subspan(taken);
    column_ += static_cast<std::int64_t>(taken);
    if (column_ < ends_[tile_]) continue;
    if (++tile_ == ends_.size()) tile_ = 0, column_ = 0;
  }
}

std::vector<std::uint64_t> TileRowChecksums::values() const {
  std::vector<std::uint64_t> checksums;
  for (const RunningChecksum& sum : sums_) checksums.push_back(sum.value());
  return checksums;
}

std::int64_t end_of_tile_group(const TileGrid& grid, std::int64_t first) {
  const int rank = grid.counts().rank();
  const std::int64_t across = rank == 0 ? 1 : grid.counts()[rank - 1];
  return std::min((first / across + 1) * across, first + most_tiles);
}

std::vector<std::uint64_t> checksums_of_tiles(const TileGrid& grid, std::int64_t element_size, std::int64_t first,
                                              std::int64_t last, const ReadBytes& read) {
  if (grid.shape().rank() == 0) return checksums_of_tiles({{1}, {1}}, element_size, first, last, read);
  const BoxRuns runs(grid.shape(), element_size, {grid.box(first).begin, grid.box(last - 1).end});
  TileRowChecksums row(grid, element_size, first, last);
  const auto bytes = static_cast<std::size_t>(std::min(runs.run_bytes(), piece) + 2 * page) / page * page;
  const std::unique_ptr<std::byte, decltype(&std::free)> buffer(
      static_cast<std::byte*>(std::aligned_alloc(page, bytes)), std::free);
  if (!buffer) throw std::bad_alloc();
  for (std::int64_t run = 0; run < runs.count(); ++run) {
    for (std::int64_t at = 0; at < runs.run_bytes();) {
      const std::int64_t offset = runs.offset(run) + at;
      // Agrees with the array modulo a page, so that files can be read directly.
      std::byte* begin = buffer.get() + static_cast<std::size_t>(offset) % page;
      const std::span part(begin, static_cast<std::size_t>(std::min(runs.run_bytes() - at, piece)));
      read(offset, part);
      row.add(part);
      at += static_cast<std::int64_t>(part.size());
    }
  }
  return row.values();
}

}  // namespace terrace::io
