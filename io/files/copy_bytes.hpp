// Bytes of one file put into another: shared by the file system if it can, else copied.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "io/files/entry.hpp"
#include "pipeline/base/box.hpp"

namespace terrace::io {

/// Bytes [offset, ...) of an open file.
struct FilePlace {
  int descriptor = -1;
  std::filesystem::path path;  // for messages
  std::int64_t offset = 0;
};

/// Lets the file `to` share the first whole blocks of `bytes` bytes with the file `from`, so that they take no space,
/// if the file system can. @return bytes shared; 0 if it cannot
std::int64_t share_bytes(const FilePlace& from, const FilePlace& to, std::int64_t bytes);

/// Copies tiles [first, last) of a row-major array, which lie side by side in its last dimension, through memory. The
/// system begins to write them to the disk meanwhile. @param from, to the first byte of the array
/// @param progress called with the bytes copied since its last call; it may throw
/// @return checksums of the tiles as they were read, in their order @throws IoError, also if `from` ends before
std::vector<std::uint64_t> copy_tiles(const FilePlace& from, const FilePlace& to, const TileGrid& grid,
                                      std::int64_t element_size, std::int64_t first, std::int64_t last,
                                      const std::function<void(std::int64_t)>& progress);

/// Copies few bytes through memory. @throws IoError, also if `from` ends before
void copy_bytes(const FilePlace& from, const FilePlace& to, std::int64_t bytes);

}  // namespace terrace::io
