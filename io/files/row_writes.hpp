// Rows of adjacent boxes, each row written by one call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "io/files/block_file.hpp"
#include "io/files/box_runs.hpp"

namespace terrace::io {

/// A write of adjacent boxes of an array, row by row: boxes with the same extents in all dimensions but the last, in
/// which each begins where the one before ends. A row goes from all of their buffers to one place in the file.
class RowWrites {
 public:
  /// @throws Error if a box does not lie in the array or is not adjacent to the one before
  RowWrites(const FileArray& array, std::vector<BoxPart> parts);

  /// Number of rows. They are not contiguous in the file.
  std::int64_t count() const { return rows_.count(); }
  std::int64_t row_bytes() const { return row_bytes_; }
  /// Offset of a row in the file.
  std::int64_t offset(std::int64_t row) const { return array_offset_ + rows_.offset(row); }
  /// True if all rows of all parts are whole pages, in the file and in memory.
  bool are_pages() const;
  /// Writes rows [first, last). @throws IoError
  void write(int descriptor, std::int64_t first, std::int64_t last, const std::filesystem::path& path) const;

 private:
  std::int64_t array_offset_, pitch_ = 0;  // bytes; from a row of the last dimension to the next
  BoxRuns rows_;                           // of the first part
  std::vector<BoxPart> parts_;
  std::vector<std::int64_t> widths_;  // bytes of a row of each part
  std::int64_t row_bytes_ = 0;
};

}  // namespace terrace::io
