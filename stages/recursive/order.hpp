// The order of blocks of the recursive family: r-way recursion at every level.
#pragma once

#include <cstdint>
#include <vector>

namespace terrace::stages {

/// A block of the family updates tile (i, j) of a table by tiles (i, k) and (k, j): x <- x + u * v in some algebra.
struct Update {
  std::int64_t i, j, k;
  friend bool operator==(const Update&, const Update&) = default;
};

/// Numbers of parts into which a level of the recursion cuts the ranges of i, j and k.
struct Ways {
  std::int64_t i, j, k;
  friend bool operator==(const Ways&, const Ways&) = default;
};

/// Levels that cut all ranges alike, into r parts each.
std::vector<Ways> alike(const std::vector<std::int64_t>& ways);

/// The updates (i, j, k) of a table of tiles, in an order that would be right if they ran one after another.
///
/// As in the paper (Ramachandran and Sivaraman 2017, sections 2 and 5; Chowdhury and Ramachandran, "The
/// cache-oblivious Gaussian elimination paradigm", 2010): the ranges of i, j and k are cut r-way; the parts of k are
/// taken in order, and for each of them the parts of (i, j), first those equal to the part of k; then each piece is
/// cut again. So the tiles of a piece pass each memory that holds them once, and an eviction rule that looks ahead
/// gives every level of memory its locality. For one tile the updates come in the order of k.
class RecursiveOrder {
 public:
  /// Which updates there are.
  enum class Kind {
    closure,      // all; i, j and k range over the same tiles: Floyd-Warshall, transitive closure
    elimination,  // of the same tiles, those with i >= k and j >= k: Gaussian elimination
    product       // all; i, j and k range over tiles of their own
  };

  /// @param ways r of each level, the first one's first; the last one, at least 2, counts for all levels below
  static RecursiveOrder closure(std::int64_t tiles, const std::vector<std::int64_t>& ways);
  static RecursiveOrder elimination(std::int64_t tiles, const std::vector<std::int64_t>& ways);
  static RecursiveOrder product(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::vector<Ways> ways);

  /// Number of updates.
  std::int64_t count() const;
  /// The update at that index in [0, count()).
  Update at(std::int64_t index) const;
  /// The index of an update that there is.
  std::int64_t index_of(const Update& update) const;
  /// Number of updates of tile (i, j) before `index`.
  std::int64_t updates_before(std::int64_t i, std::int64_t j, std::int64_t index) const;
  /// Number of updates of tile (i, j).
  std::int64_t updates_of(std::int64_t i, std::int64_t j) const;

 private:
  struct Range {
    std::int64_t begin, size;
    friend bool operator==(const Range&, const Range&) = default;
  };
  struct Piece {
    Range i, j, k;
  };

  RecursiveOrder(Kind kind, Piece whole, std::vector<Ways> ways);
  std::int64_t count(const Piece& piece) const;
  template <class Choose>
  std::int64_t descend(const Choose& choose, Piece& piece) const;

  Kind kind_;
  Piece whole_;
  std::vector<Ways> ways_;
};

}  // namespace terrace::stages
