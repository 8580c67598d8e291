#include "pipeline/base/box.hpp"

#include <algorithm>
#include <cstring>

#include "pipeline/base/error.hpp"

namespace terrace {

Extents::Extents(std::initializer_list<std::int64_t> values) : Extents() {
  for (std::int64_t value : values) push_back(value);
}

Extents Extents::filled(int rank, std::int64_t value) {
  Extents result;
  for (int d = 0; d < rank; ++d) result.push_back(value);
  return result;
}

void Extents::assign(const Extents& other) {
  if (!other.is_large()) {
    release();
    std::copy_n(other.small_, most_small, small_);
  } else {
    if (rank_ != other.rank_) {
      auto* values = new std::int64_t[static_cast<std::size_t>(other.rank_)];
      release();
      large_ = values;
    }
    std::copy_n(other.large_, other.rank_, large_);
  }
  rank_ = other.rank_;
}

void Extents::push_back(std::int64_t value) {
  if (rank_ == max_rank) throw Error("an array may have at most 32 dimensions");
  if (rank_ >= most_small) {
    auto* values = new std::int64_t[static_cast<std::size_t>(rank_) + 1];
    std::copy_n(begin(), rank_, values);
    release();
    large_ = values;
  }
  ++rank_;
  data()[rank_ - 1] = value;
}

bool operator==(const Extents& a, const Extents& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::int64_t volume(const Extents& shape) {
  std::int64_t product = 1;
  bool overflow = false;
  for (std::int64_t extent : shape) {
    if (extent == 0) return 0;
    overflow |= __builtin_mul_overflow(product, extent, &product);
  }
  if (overflow) throw Error("an array of " + to_string(shape) + " has more than 2^63 - 1 elements");
  return product;
}

Extents row_major_strides(const Extents& shape) {
  Extents strides = Extents::filled(shape.rank(), 1);
  for (int d = shape.rank() - 2; d >= 0; --d) strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

std::string to_string(const Extents& shape) {
  std::string text;
  for (std::int64_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "1" : text;
}

Box Box::whole(const Extents& shape) { return {Extents::filled(shape.rank(), 0), shape}; }

Extents Box::shape() const {
  Extents result = begin;
  for (int d = 0; d < rank(); ++d) result[d] = std::max<std::int64_t>(0, end[d] - begin[d]);
  return result;
}

std::int64_t Box::volume() const { return terrace::volume(shape()); }

Box intersect(const Box& a, const Box& b) {
  Box result = a;
  for (int d = 0; d < a.rank(); ++d) {
    result.begin[d] = std::max(a.begin[d], b.begin[d]);
    result.end[d] = std::max(result.begin[d], std::min(a.end[d], b.end[d]));
  }
  return result;
}

bool overlaps(const Box& a, const Box& b) {
  for (int d = 0; d < a.rank(); ++d) {
    if (std::max(a.begin[d], b.begin[d]) >= std::min(a.end[d], b.end[d])) return false;
  }
  return true;
}

bool contains(const Box& outer, const Box& inner) {
  return inner.empty() || intersect(outer, inner).volume() == inner.volume();
}

std::vector<Box> subtract(const Box& a, const Box& b) {
  if (!overlaps(a, b)) return {a};
  std::vector<Box> rest;
  Box left = a;  // shrinks to the common part
  for (int d = 0; d < a.rank(); ++d) {
    if (left.begin[d] < b.begin[d]) {
      rest.push_back(left);
      rest.back().end[d] = left.begin[d] = b.begin[d];
    }
    if (left.end[d] > b.end[d]) {
      rest.push_back(left);
      rest.back().begin[d] = left.end[d] = b.end[d];
    }
  }
  return rest;
}

std::string to_string(const Box& box) {
  std::string text;
  for (int d = 0; d < box.rank(); ++d) {
    if (d > 0) text += " x ";
    text += "[" + std::to_string(box.begin[d]) + ", " + std::to_string(box.end[d]) + ")";
  }
  return text.empty() ? "[]" : text;
}

TileGrid::TileGrid(const Extents& shape, const Extents& tile) : shape_(shape), tile_(tile), counts_(shape) {
  for (int d = 0; d < shape.rank(); ++d) {
    tile_[d] = std::max<std::int64_t>(1, std::min(tile[d], shape[d]));
    counts_[d] = (shape[d] + tile_[d] - 1) / tile_[d];
  }
  count_ = volume(counts_);
}

Box TileGrid::box(std::int64_t tile) const {
  Box result{counts_, counts_};
  for (int d = shape_.rank() - 1; d >= 0; --d) {
    result.begin[d] = tile % counts_[d] * tile_[d];
    result.end[d] = std::min(shape_[d], result.begin[d] + tile_[d]);
    tile /= counts_[d];
  }
  return result;
}

std::int64_t TileGrid::tile_at(const Extents& point) const {
  std::int64_t tile = 0;
  for (int d = 0; d < shape_.rank(); ++d) tile = tile * counts_[d] + point[d] / tile_[d];
  return tile;
}

namespace {

std::int64_t offset_in(const Box& box, const Extents& point) {
  std::int64_t offset = 0;
  for (int d = 0; d < box.rank(); ++d) offset = offset * (box.end[d] - box.begin[d]) + point[d] - box.begin[d];
  return offset;
}

}  // namespace

void copy_box(const void* source, const Box& source_box, void* target, const Box& target_box, const Box& box,
              std::size_t element_size) {
  if (box.empty()) return;
  // The longest run that is contiguous in both: trailing dimensions that the box fills in both.
  int split = box.rank();
  std::int64_t run = 1;
  while (split > 0) {
    --split;
    run *= box.end[split] - box.begin[split];
    bool fills = box.begin[split] == source_box.begin[split] && box.end[split] == source_box.end[split] &&
                 box.begin[split] == target_box.begin[split] && box.end[split] == target_box.end[split];
    if (!fills) break;
  }
  const std::size_t bytes = static_cast<std::size_t>(run) * element_size;
  for (Extents at = box.begin;;) {
    std::memcpy(static_cast<char*>(target) + static_cast<std::size_t>(offset_in(target_box, at)) * element_size,
                static_cast<const char*>(source) + static_cast<std::size_t>(offset_in(source_box, at)) * element_size,
                bytes);
    int d = split - 1;
    while (d >= 0 && at[d] + 1 == box.end[d]) at[d] = box.begin[d], --d;
    if (d < 0) return;
    ++at[d];
  }
}

}  // namespace terrace
