// Extents and half-open boxes of n-dimensional arrays; the rank is known at run time, up to 32.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace terrace {

/// Largest number of dimensions an array may have.
inline constexpr int max_rank = 32;

/// A point, a shape or a stride vector: `rank()` signed 64-bit values, slowest dimension first. Up to three values
/// are stored inside; windows hold many thousands of boxes.
class Extents {
 public:
  Extents() noexcept : small_{} {}
  Extents(std::initializer_list<std::int64_t> values);
  Extents(const Extents& other) : small_{} { assign(other); }
  Extents(Extents&& other) noexcept : small_{} { swap(other); }
  Extents& operator=(const Extents& other) {
    if (this != &other) assign(other);
    return *this;
  }
  Extents& operator=(Extents&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Extents() { release(); }
  /// `rank` values, all equal to `value`.
  static Extents filled(int rank, std::int64_t value);

  int rank() const { return rank_; }
  std::int64_t& operator[](int dimension) { return data()[check(dimension)]; }
  std::int64_t operator[](int dimension) const { return begin()[check(dimension)]; }
  const std::int64_t* begin() const { return is_large() ? large_ : small_; }
  const std::int64_t* end() const { return begin() + rank_; }
  void push_back(std::int64_t value);

  friend bool operator==(const Extents& a, const Extents& b);

 private:
  static constexpr int most_small = 3;

  bool is_large() const { return rank_ > most_small; }
  std::int64_t* data() { return is_large() ? large_ : small_; }
  std::size_t check(int dimension) const {
    assert(dimension >= 0 && dimension < rank_);
    return static_cast<std::size_t>(dimension);
  }
  void assign(const Extents& other);
  void release() {
    if (is_large()) delete[] large_;
  }
  void swap(Extents& other) noexcept {
    std::swap(rank_, other.rank_);
    std::int64_t values[most_small];
    std::memcpy(values, small_, sizeof values);
    std::memcpy(small_, other.small_, sizeof values);
    std::memcpy(other.small_, values, sizeof values);
  }

  union {
    std::int64_t small_[most_small];
    std::int64_t* large_;  // rank_ values
  };
  int rank_ = 0;
};

/// Product of the values; 1 for rank 0. @throws Error when it leaves the signed 64-bit range.
std::int64_t volume(const Extents& shape);

/// Row-major strides of an array of `shape`, in elements.
Extents row_major_strides(const Extents& shape);

/// "3 x 4 x 5".
std::string to_string(const Extents& shape);

/// A half-open box: the points p with begin[d] <= p[d] < end[d] in every dimension d.
struct Box {
  Extents begin;
  Extents end;

  /// The box [0, shape).
  static Box whole(const Extents& shape);

  int rank() const { return begin.rank(); }
  Extents shape() const;
  /// Number of points; 0 if any extent is 0 or negative.
  std::int64_t volume() const;
  bool empty() const { return volume() == 0; }

  friend bool operator==(const Box& a, const Box& b) { return a.begin == b.begin && a.end == b.end; }
};

/// The common part of two boxes of equal rank; empty (volume 0) when they are disjoint.
Box intersect(const Box& a, const Box& b);
bool overlaps(const Box& a, const Box& b);
/// True if `inner` lies in `outer`; an empty box lies in every box.
bool contains(const Box& outer, const Box& inner);
/// The points of `a` that are not in `b`, as disjoint boxes.
std::vector<Box> subtract(const Box& a, const Box& b);
/// "[0, 3) x [4, 8)".
std::string to_string(const Box& box);

/// An array of shape `shape` cut into tiles of shape `tile`; tiles at the far faces may be smaller.
/// Tiles are numbered row-major from 0.
class TileGrid {
 public:
  TileGrid() = default;
  TileGrid(const Extents& shape, const Extents& tile);

  const Extents& shape() const { return shape_; }
  const Extents& tile_shape() const { return tile_; }
  const Extents& counts() const { return counts_; }
  std::int64_t count() const { return count_; }
  Box box(std::int64_t tile) const;
  std::int64_t tile_at(const Extents& point) const;

  /// Calls `visit(tile, part)` for every tile that `box` touches, in the order of tiles.
  template <class Visit>
  void for_each_tile(const Box& box, Visit&& visit) const;

 private:
  Extents shape_, tile_, counts_;
  std::int64_t count_ = 0;
};

template <class Visit>
void TileGrid::for_each_tile(const Box& box, Visit&& visit) const {
  if (box.empty()) return;
  Extents first = box.begin, last = box.begin;
  for (int d = 0; d < box.rank(); ++d) {
    first[d] = box.begin[d] / tile_[d];
    last[d] = (box.end[d] - 1) / tile_[d];
  }
  for (Extents at = first;;) {
    std::int64_t tile = 0;
    for (int d = 0; d < box.rank(); ++d) tile = tile * counts_[d] + at[d];
    visit(tile, intersect(this->box(tile), box));
    int d = box.rank() - 1;
    while (d >= 0 && at[d] == last[d]) at[d] = first[d], --d;
    if (d < 0) return;
    ++at[d];
  }
}

/// Copies a box between two row-major buffers of elements of `element_size` bytes.
/// @param source, target first element of the box that each buffer holds (`source_box`, `target_box`)
/// @param box the points to copy; lies in both boxes
void copy_box(const void* source, const Box& source_box, void* target, const Box& target_box, const Box& box,
              std::size_t element_size);

}  // namespace terrace
