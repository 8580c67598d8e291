// Checksums of the tiles of an array that lies in a file, read in pieces, in the order of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "io/files/checksum.hpp"
#include "pipeline/base/box.hpp"

namespace terrace::io {

/// Fills the buffer with the bytes of an array from `offset` on, counted from the array's first byte. @throws IoError
using ReadBytes = std::function<void(std::int64_t offset, std::span<std::byte> buffer)>;

/// One past the last of the tiles that are read together with `first`: its neighbours to the right in the last
/// dimension up to the face of the array, at most 4096 in all, so that memory is bounded.
std::int64_t end_of_tile_group(const TileGrid& grid, std::int64_t first);

/// Checksums (XXH3 of the packed elements) of adjacent tiles, whose rows of elements arrive one after another.
class TileRowChecksums {
 public:
  /// Tiles [first, last) of a row-major array, side by side in the last dimension. @param element_size bytes
  TileRowChecksums(const TileGrid& grid, std::int64_t element_size, std::int64_t first, std::int64_t last);

  /// Takes the next bytes of the box that the tiles are together, row-major; they may begin and end within a row.
  void add(std::span<const std::byte> bytes);
  /// The checksums, in the order of the tiles, once all bytes of the box have been added.
  std::vector<std::uint64_t> values() const;

 private:
  std::vector<RunningChecksum> sums_;
  std::vector<std::int64_t> ends_;  // bytes of a row up to the end of each tile
  std::size_t tile_ = 0;
  std::int64_t column_ = 0;  // bytes of the row taken in
};

/// Checksums (XXH3 of the packed elements) of tiles [first, last) of a row-major array, in their order. The tiles lie
/// side by side in the last dimension. Bytes are read in ascending order, each once, at most 4 MiB at a time, which
/// is also the memory that this needs. @param element_size bytes @throws what `read` throws
std::vector<std::uint64_t> checksums_of_tiles(const TileGrid& grid, std::int64_t element_size, std::int64_t first,
                                              std::int64_t last, const ReadBytes& read);

}  // namespace terrace::io
