#include "kernels/wavefront/rules/kept_blocks.hpp"

#include <cstring>

namespace terrace::wavefront {
namespace {

/// Elements from `index` on of a border of elements of `size` bytes.
const std::byte* at(const void* border, std::int64_t index, std::size_t size) {
  return static_cast<const std::byte*>(border) + static_cast<std::size_t>(index) * size;
}
std::byte* at(void* border, std::int64_t index, std::size_t size) {
  return static_cast<std::byte*>(border) + static_cast<std::size_t>(index) * size;
}

}  // namespace

PartBorders::PartBorders(const BorderLayout& layout, const BlockGrid& parts)
    : layout_(layout),
      parts_(parts),
      rows_(static_cast<std::size_t>(row_index(parts.down() + 1, 0, 0)) * size()),
      columns_(static_cast<std::size_t>(column_index(parts.across() + 1, 0, 0)) * size()) {}

void PartBorders::begin(const BlockTask& block, const BlockGrid& parts) {
  block_ = block;
  parts_ = parts;
  for (int plane = 0; plane < layout_.row_planes && block.top != nullptr; ++plane) {
    std::memcpy(row_at(0, plane, 0), at(block.top, plane * block.row_border_stride, size()),
                static_cast<std::size_t>(parts.columns) * size());
  }
  for (int plane = 0; plane < layout_.column_planes && block.left != nullptr; ++plane) {
    for (std::int64_t i = 0; i < parts.down(); ++i) {
      // The corner before a piece is the last value of the piece above.
      const std::int64_t first = plane * block.column_border_stride + i * parts.block_rows;
      std::memcpy(column_at(0, plane, i), at(block.left, first, size()),
                  static_cast<std::size_t>(parts.rows_of(i) + 1) * size());
    }
  }
}

BlockTask PartBorders::part(std::int64_t i, std::int64_t j) {
  const std::int64_t row = i * parts_.block_rows, column = j * parts_.block_columns;
  BlockTask part{};
  part.row_begin = block_.row_begin + row;
  part.row_end = part.row_begin + parts_.rows_of(i);
  part.column_begin = block_.column_begin + column;
  part.column_end = std::min(block_.column_end, part.column_begin + parts_.block_columns);
  part.rows = at(block_.rows, row, layout_.item_bytes);
  part.columns = at(block_.columns, column, layout_.item_bytes);
  if (i > 0 || block_.top != nullptr) part.top = row_at(i, 0, column);
  part.bottom = row_at(i + 1, 0, column);
  if (j > 0 || block_.left != nullptr) part.left = column_at(j, 0, i);
  part.right = column_at(j + 1, 0, i);
  part.row_border_stride = row_plane();
  part.column_border_stride = column_plane();
  return part;
}

void PartBorders::end() const {
  for (int plane = 0; plane < layout_.row_planes && block_.bottom != nullptr; ++plane) {
    std::memcpy(at(block_.bottom, plane * block_.row_border_stride, size()), below(parts_.down() - 1, plane),
                static_cast<std::size_t>(parts_.columns) * size());
  }
  for (int plane = 0; plane < layout_.column_planes && block_.right != nullptr; ++plane) {
    const std::int64_t first = plane * block_.column_border_stride;
    std::memcpy(at(block_.right, first, size()), column_at(parts_.across(), plane, 0), size());
    for (std::int64_t i = 0; i < parts_.down(); ++i) {
      std::memcpy(at(block_.right, first + 1 + i * parts_.block_rows, size()),
                  right_of(parts_.across() - 1, plane, i), static_cast<std::size_t>(parts_.rows_of(i)) * size());
    }
  }
}

}  // namespace terrace::wavefront
