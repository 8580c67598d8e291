// Blocks of nests cut into the kernel tiles of compiled code.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/nest/sweep.hpp"
#include "kernels/nest/written/work.hpp"

namespace terrace::nest {

class Tiling {
 public:
  /// @param sides of tiles where the spec has none, a coordinate each
  /// @param even the rows of values of a tile have an even extent
  Tiling(const NestSpec& spec, const int* sides, bool even);

  std::size_t rank() const { return shape_.size(); }
  i64 side(std::size_t coordinate) const { return shape_[coordinate].side; }
  i64 halo(std::size_t coordinate) const { return shape_[coordinate].halo; }
  /// Values of the box that a tile holds along a coordinate: at least halo + side.
  i64 extent(std::size_t coordinate) const { return shape_[coordinate].extent; }

  /// The share of the tiles of all coordinates that are needed (written/work.hpp), by some of them.
  double needed_share(const NestSpec& spec) const;

  /// Bytes of the values of a tile (written/work.hpp).
  std::size_t value_bytes() const { return value_bytes_; }
  /// Bytes of the faces of the tiles of a block (written/faces.hpp), and of those of the largest block of the spec.
  std::size_t face_bytes(const NestTask& task) const;
  std::size_t most_face_bytes() const { return most_face_bytes_; }
  /// The tiles of a block. @param faces of face_bytes() @throws Error if an input's last axis has another stride than
  /// 1, which printed loads take for granted
  TileWork work(const NestTask& task, unsigned char* faces) const;

 private:
  struct Axis {
    i64 side, halo, extent;
    std::size_t face_bytes;
  };

  i64 tiles_along(std::size_t coordinate, i64 cells) const {
    return (cells + side(coordinate) - 1) / side(coordinate);
  }

  std::vector<Axis> shape_;
  std::vector<std::size_t> input_axes_;  // numbers of axes, an input each
  std::size_t value_bytes_ = 0, most_face_bytes_ = 0;
};

}  // namespace terrace::nest
