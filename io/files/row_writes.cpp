#include "io/files/row_writes.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <utility>

#include "io/files/durable.hpp"
#include "io/files/stxxl_lanes.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

/// True if `right` has the extents of `left` in all dimensions but the last, in which it begins at its end.
bool is_beside(const Box& left, const Box& right) {
  const int last = left.rank() - 1;
  if (right.rank() != left.rank() || last < 0 || right.begin[last] != left.end[last]) return false;
  for (int d = 0; d < last; ++d) {
    if (left.begin[d] != right.begin[d] || left.end[d] != right.end[d]) return false;
  }
  return true;
}

bool is_page(std::int64_t value) { return value % direct_alignment == 0; }

}  // namespace

RowWrites::RowWrites(const FileArray& array, std::vector<BoxPart> parts)
    : array_offset_(array.offset), rows_(array.shape, array.element_size, parts.at(0).box), parts_(std::move(parts)) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const BoxRuns rows(array.shape, array.element_size, parts_[part].box);
    if (part > 0 && (!is_beside(parts_[part - 1].box, parts_[part].box) || rows.count() != rows_.count())) {
      throw Error("boxes to be written together do not lie side by side");
    }
    widths_.push_back(rows.run_bytes());
    row_bytes_ += rows.run_bytes();
  }
  if (array.shape.rank() > 0) pitch_ = array.shape[array.shape.rank() - 1] * array.element_size;
}

bool RowWrites::are_pages() const {
  return count() > 0 && is_page(offset(0)) && is_page(pitch_) &&
         std::all_of(widths_.begin(), widths_.end(), is_page) &&
         std::all_of(parts_.begin(), parts_.end(), [](const BoxPart& part) {
           return is_page(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(part.buffer)));
         });
}

void RowWrites::write(int descriptor, std::int64_t first, std::int64_t last,
                      const std::filesystem::path& path) const {
  std::vector<iovec> pieces(parts_.size());
  for (std::int64_t row = first; row < last; ++row) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const auto* data = static_cast<const std::byte*>(parts_[part].buffer) + row * widths_[part];
      pieces[part] = {const_cast<std::byte*>(data), static_cast<std::size_t>(widths_[part])};
    }
    write_fully(descriptor, pieces, offset(row), path);
  }
}

}  // namespace terrace::io
