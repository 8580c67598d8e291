// A block cut into parts between kept rows and columns: the borders between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/rules/kept.hpp"

namespace terrace::wavefront {

/// Types and sizes of a problem's borders and items.
struct BorderLayout {
  ElementType type;
  std::size_t item_bytes;  // of a letter or value
  int row_planes, column_planes;
};

/// The borders around all parts of a block. Row border i lies above row i of parts, the last one below the block;
/// column border j lies left of column j of parts, in pieces of one part each, after its corner.
class PartBorders {
 public:
  /// @param parts of a block of the largest size
  PartBorders(const BorderLayout& layout, const BlockGrid& parts);

  /// Takes over the borders that the block begins with.
  void begin(const BlockTask& block, const BlockGrid& parts);
  /// The part (i, j) as a block.
  BlockTask part(std::int64_t i, std::int64_t j);
  /// Hands on the borders that the block ends with, if somebody needs them.
  void end() const;

  /// Plane `plane` of the border below row i of parts: one value a column.
  const std::byte* below(std::int64_t i, int plane) const { return row_at(i + 1, plane, 0); }
  /// Plane `plane` of the border right of column j of parts, of the rows of row i of parts.
  const std::byte* right_of(std::int64_t j, int plane, std::int64_t i) const {
    return column_at(j + 1, plane, i) + size();
  }

 private:
  std::size_t size() const { return size_of(layout_.type); }
  std::int64_t row_plane() const { return parts_.columns; }
  std::int64_t column_plane() const { return parts_.rows + parts_.down(); }
  std::int64_t row_index(std::int64_t i, int plane, std::int64_t column) const {
    return (i * layout_.row_planes + plane) * row_plane() + column;
  }
  std::int64_t column_index(std::int64_t j, int plane, std::int64_t i) const {
    return (j * layout_.column_planes + plane) * column_plane() + i * (parts_.block_rows + 1);
  }
  const std::byte* row_at(std::int64_t i, int plane, std::int64_t column) const {
    return rows_.data() + static_cast<std::size_t>(row_index(i, plane, column)) * size();
  }
  const std::byte* column_at(std::int64_t j, int plane, std::int64_t i) const {
    return columns_.data() + static_cast<std::size_t>(column_index(j, plane, i)) * size();
  }
  std::byte* row_at(std::int64_t i, int plane, std::int64_t column) {
    return rows_.data() + static_cast<std::size_t>(row_index(i, plane, column)) * size();
  }
  std::byte* column_at(std::int64_t j, int plane, std::int64_t i) {
    return columns_.data() + static_cast<std::size_t>(column_index(j, plane, i)) * size();
  }

  BorderLayout layout_;
  BlockGrid parts_;
  BlockTask block_{};
  std::vector<std::byte> rows_, columns_;
};

}  // namespace terrace::wavefront
