// The order of blocks of a triangle of tiles: r-way recursion at every level.
#pragma once

#include <cstdint>
#include <vector>

namespace terrace::stages {

/// A block of a triangle: the splits of tile (i, j), i <= j, that lie in tile k. Those in i and in j itself come
/// last, together, with k = j; tiles on the diagonal have k = i = j alone.
struct TriangleUpdate {
  std::int64_t i, j, k;
  std::int64_t before;  // updates of the same tile before it
  bool closes() const { return k == j; }
  friend bool operator==(const TriangleUpdate&, const TriangleUpdate&) = default;
};

/// The updates of a triangle of tiles in an order that would be right if they ran one after another. Tiles (i, k) and
/// (k, j) are complete before an update (i, j, k), and those on the diagonal, below and to the left of (i, j) before
/// it is closed.
///
/// As in Chowdhury and Ramachandran, "Cache-efficient dynamic programming algorithms for multicores" (2008), with the
/// paper's functions (Ramachandran and Sivaraman 2017): A, a triangle, is cut in triangles and the squares between
/// them; B, a square, in squares, beginning at its lower left corner. Each square first takes the splits in the parts
/// between its rows and its columns: C, products of finished parts, cut in all three directions.
class TriangleOrder {
 public:
  /// @param tiles along a side of the triangle
  /// @param ways r of each level, the first one's first, each at least 2; the last one counts for all levels below
  TriangleOrder(std::int64_t tiles, std::vector<std::int64_t> ways);

  /// Number of updates.
  std::int64_t count() const;
  /// The update at that index in [0, count()).
  TriangleUpdate at(std::int64_t index) const;
  /// Number of updates of tile (i, j).
  static std::int64_t updates_of(std::int64_t i, std::int64_t j) { return j > i ? j - i : 1; }

 private:
  struct Range {
    std::int64_t begin, size;
    std::int64_t end() const { return begin + size; }
    bool holds(std::int64_t at) const { return at >= begin && at < end(); }
  };
  enum class Kind { triangle, square, product };
  struct Piece {
    Kind kind;
    Range i, j, k;  // k: of products alone
    bool single() const { return i.size == 1 && j.size == 1 && (kind != Kind::product || k.size == 1); }
  };

  static std::int64_t count(const Piece& piece);
  /// Number of updates of tile (i, j) in the piece.
  static std::int64_t count_of(const Piece& piece, std::int64_t i, std::int64_t j);
  std::vector<Piece> cut(const Piece& piece, std::size_t level) const;
  std::vector<Range> cut(const Range& range, std::size_t level) const;

  std::int64_t tiles_;
  std::vector<std::int64_t> ways_;
};

}  // namespace terrace::stages
