#include "stages/recursive/order.hpp"

#include <algorithm>

namespace terrace::stages {

std::vector<Ways> alike(const std::vector<std::int64_t>& ways) {
  std::vector<Ways> levels;
  for (const std::int64_t r : ways) levels.push_back({r, r, r});
  return levels;
}

RecursiveOrder::RecursiveOrder(Kind kind, Piece whole, std::vector<Ways> ways)
    : kind_(kind), whole_(whole), ways_(std::move(ways)) {}

RecursiveOrder RecursiveOrder::closure(std::int64_t tiles, const std::vector<std::int64_t>& ways) {
  return {Kind::closure, {{0, tiles}, {0, tiles}, {0, tiles}}, alike(ways)};
}

RecursiveOrder RecursiveOrder::elimination(std::int64_t tiles, const std::vector<std::int64_t>& ways) {
  return {Kind::elimination, {{0, tiles}, {0, tiles}, {0, tiles}}, alike(ways)};
}

RecursiveOrder RecursiveOrder::product(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                                       std::vector<Ways> ways) {
  return {Kind::product, {{0, rows}, {0, columns}, {0, depth}}, std::move(ways)};
}

std::int64_t RecursiveOrder::count() const { return count(whole_); }

/// Ranges of one level are either the same or apart.
std::int64_t RecursiveOrder::count(const Piece& piece) const {
  const auto& [i, j, k] = piece;
  if (kind_ != Kind::elimination) return i.size * j.size * k.size;
  if (i.begin < k.begin || j.begin < k.begin) return 0;
  const std::int64_t n = k.size;
  if (i == k && j == k) return n * (n + 1) * (2 * n + 1) / 6;
  if (i == k) return n * (n + 1) / 2 * j.size;
  if (j == k) return n * (n + 1) / 2 * i.size;
  return i.size * j.size * n;
}

/// Goes down to one update: at every level `choose(piece, before)` is asked of the pieces in their order, where
/// `before` counts the updates before the piece; the first that it takes is cut next.
/// @returns the updates before the one that is left in `piece`
template <class Choose>
std::int64_t RecursiveOrder::descend(const Choose& choose, Piece& piece) const {
  std::int64_t before = 0;
  for (std::size_t level = 0; piece.i.size > 1 || piece.j.size > 1 || piece.k.size > 1; ++level) {
    const Ways& ways = ways_[std::min(level, ways_.size() - 1)];
    const auto part = [&](const Range& range, std::int64_t count, std::int64_t number) {
      const std::int64_t begin = range.size * number / count;
      return Range{range.begin + begin, range.size * (number + 1) / count - begin};
    };
    const std::int64_t i_parts = std::min(ways.i, piece.i.size), j_parts = std::min(ways.j, piece.j.size);
    const std::int64_t k_parts = std::min(ways.k, piece.k.size);
    // The part of k itself comes first, the others follow in order.
    const auto turn = [](bool same, std::int64_t first, std::int64_t number) {
      return !same ? number : number == 0 ? first : number <= first ? number - 1 : number;
    };
    const bool aliased = kind_ != Kind::product;
    const bool rows_are_k = aliased && piece.i == piece.k, columns_are_k = aliased && piece.j == piece.k;
    const auto next = [&]() -> Piece {
      for (std::int64_t k = 0; k < k_parts; ++k) {
        const Piece slice{piece.i, piece.j, part(piece.k, k_parts, k)};
        if (kind_ != Kind::elimination && !choose(slice, before)) {
          before += count(slice);
          continue;
        }
        for (std::int64_t a = 0; a < i_parts; ++a) {
          for (std::int64_t b = 0; b < j_parts; ++b) {
            const Piece inner{part(piece.i, i_parts, turn(rows_are_k, k, a)),
                              part(piece.j, j_parts, turn(columns_are_k, k, b)), slice.k};
            if (choose(inner, before)) return inner;
            before += count(inner);
          }
        }
      }
      return piece;
    };
    piece = next();
  }
  return before;
}

Update RecursiveOrder::at(std::int64_t index) const {
  Piece piece = whole_;
  descend([&](const Piece& inner, std::int64_t before) { return index < before + count(inner); }, piece);
  return {piece.i.begin, piece.j.begin, piece.k.begin};
}

std::int64_t RecursiveOrder::index_of(const Update& update) const {
  const auto holds = [](const Range& range, std::int64_t at) {
    return at >= range.begin && at < range.begin + range.size;
  };
  Piece piece = whole_;
  return descend(
      [&](const Piece& inner, std::int64_t) {
        return holds(inner.i, update.i) && holds(inner.j, update.j) && holds(inner.k, update.k);
      },
      piece);
}

std::int64_t RecursiveOrder::updates_of(std::int64_t i, std::int64_t j) const {
  return kind_ == Kind::elimination ? std::min(i, j) + 1 : whole_.k.size;
}

std::int64_t RecursiveOrder::updates_before(std::int64_t i, std::int64_t j, std::int64_t index) const {
  std::int64_t least = 0, most = updates_of(i, j);
  while (least < most) {
    const std::int64_t k = (least + most) / 2;
    if (index_of({i, j, k}) < index) least = k + 1;
    else most = k;
  }
  return least;
}

}  // namespace terrace::stages
