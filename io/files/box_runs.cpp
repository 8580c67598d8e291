#include "io/files/box_runs.hpp"

#include "pipeline/base/error.hpp"

namespace terrace::io {

BoxRuns::BoxRuns(const Extents& shape, std::int64_t element_size, const Box& box) {
  if (box.rank() != shape.rank()) throw Error("a box of another rank than its array: " + to_string(box));
  if (!contains(Box::whole(shape), box)) {
    throw Error("the box " + to_string(box) + " leaves its array of " + to_string(shape));
  }
  if (box.empty()) return;
  const Extents strides = row_major_strides(shape);
  int inner = shape.rank() - 1;  // the run covers dimensions [inner, rank)
  while (inner > 0 && box.begin[inner] == 0 && box.end[inner] == shape[inner]) --inner;
  run_bytes_ = element_size;
  for (int d = shape.rank() - 1; d >= std::max(inner, 0); --d) run_bytes_ *= box.end[d] - box.begin[d];
  if (inner >= 0) inner_offset_ = box.begin[inner] * strides[inner] * element_size;
  count_ = 1;
  for (int d = 0; d < inner; ++d) {
    outer_begin_.push_back(box.begin[d]);
    outer_shape_.push_back(box.end[d] - box.begin[d]);
    outer_stride_.push_back(strides[d] * element_size);
    count_ *= outer_shape_[d];
  }
}

std::int64_t BoxRuns::offset(std::int64_t run) const {
  std::int64_t offset = inner_offset_;
  for (int d = outer_shape_.rank() - 1; d >= 0; --d) {
    offset += (outer_begin_[d] + run % outer_shape_[d]) * outer_stride_[d];
    run /= outer_shape_[d];
  }
  return offset;
}

}  // namespace terrace::io
