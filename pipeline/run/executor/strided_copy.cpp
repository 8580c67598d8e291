#include "pipeline/run/executor/strided_copy.hpp"

#include <algorithm>

namespace terrace::run {
namespace {

/// The first dimension from which on a box is contiguous in a row-major buffer.
int first_together(const Box& buffer, const Box& box) {
  int d = box.rank() - 1;
  while (d > 0 && box.begin[d] == buffer.begin[d] && box.end[d] == buffer.end[d]) --d;
  return std::max(0, d);
}

std::int64_t volume_from(const Box& box, int dimension) {
  std::int64_t volume = 1;
  for (int d = dimension; d < box.rank(); ++d) volume *= box.end[d] - box.begin[d];
  return volume;
}

std::size_t offset_of(const Box& buffer, const Extents& strides, const Extents& point, std::size_t element) {
  std::int64_t offset = 0;
  for (int d = 0; d < point.rank(); ++d) offset += (point[d] - buffer.begin[d]) * strides[d];
  return static_cast<std::size_t>(offset) * element;
}

}  // namespace

std::size_t copied_row_bytes(const Box& buffer, const Box& box, std::size_t element) {
  return static_cast<std::size_t>(volume_from(box, first_together(buffer, box))) * element;
}

void copy_box(device::Context& context, device::Queue queue, std::byte* target, const Box& target_box,
              const std::byte* source, const Box& source_box, const Box& box, std::size_t element) {
  const Extents target_strides = row_major_strides(target_box.shape());
  const Extents source_strides = row_major_strides(source_box.shape());
  const int run = std::max(first_together(target_box, box), first_together(source_box, box));
  const std::size_t row_bytes = static_cast<std::size_t>(volume_from(box, run)) * element;
  const int rows_in = run - 1;  // the dimension whose indices are rows; each index of earlier ones is a call
  for (Extents at = box.begin;;) {
    device::Rows rows;
    rows.target = target + offset_of(target_box, target_strides, at, element);
    rows.source = source + offset_of(source_box, source_strides, at, element);
    rows.bytes = row_bytes;
    if (rows_in >= 0) {
      rows.count = static_cast<std::size_t>(box.end[rows_in] - box.begin[rows_in]);
      rows.target_stride = static_cast<std::size_t>(target_strides[rows_in]) * element;
      rows.source_stride = static_cast<std::size_t>(source_strides[rows_in]) * element;
    }
    context.copy_rows(queue, rows);
    int d = rows_in - 1;
    while (d >= 0 && at[d] + 1 == box.end[d]) at[d] = box.begin[d], --d;
    if (d < 0) return;
    ++at[d];
  }
}

}  // namespace terrace::run
