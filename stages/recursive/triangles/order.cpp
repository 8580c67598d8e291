#include "stages/recursive/triangles/order.hpp"

#include <algorithm>
#include <utility>

namespace terrace::stages {

TriangleOrder::TriangleOrder(std::int64_t tiles, std::vector<std::int64_t> ways)
    : tiles_(tiles), ways_(std::move(ways)) {}

std::int64_t TriangleOrder::count() const {
  return tiles_ == 0 ? 0 : count({Kind::triangle, {0, tiles_}, {0, tiles_}, {}});
}

std::int64_t TriangleOrder::count(const Piece& piece) {
  const std::int64_t rows = piece.i.size, columns = piece.j.size;
  if (piece.kind == Kind::triangle) return rows + (rows - 1) * rows * (rows + 1) / 6;
  if (piece.kind == Kind::product) return rows * columns * piece.k.size;
  return rows * columns * (rows + columns) / 2;
}

std::int64_t TriangleOrder::count_of(const Piece& piece, std::int64_t i, std::int64_t j) {
  if (!piece.i.holds(i) || !piece.j.holds(j)) return 0;
  if (piece.kind == Kind::triangle) return i <= j ? updates_of(i, j) : 0;
  if (piece.kind == Kind::product) return piece.k.size;
  return piece.i.end() - i + j - piece.j.begin;
}

std::vector<TriangleOrder::Range> TriangleOrder::cut(const Range& range, std::size_t level) const {
  const std::int64_t parts = std::min(ways_[std::min(level, ways_.size() - 1)], range.size);
  std::vector<Range> ranges;
  for (std::int64_t n = 0; n < parts; ++n) {
    const std::int64_t begin = range.size * n / parts;
    ranges.push_back({range.begin + begin, range.size * (n + 1) / parts - begin});
  }
  return ranges;
}

/// In order.
std::vector<TriangleOrder::Piece> TriangleOrder::cut(const Piece& piece, std::size_t level) const {
  const std::vector<Range> rows = cut(piece.i, level), columns = cut(piece.j, level);
  const auto high = static_cast<std::ptrdiff_t>(rows.size()), wide = static_cast<std::ptrdiff_t>(columns.size());
  const auto row = [&](std::ptrdiff_t n) { return rows[static_cast<std::size_t>(n)]; };
  const auto column = [&](std::ptrdiff_t n) { return columns[static_cast<std::size_t>(n)]; };
  std::vector<Piece> pieces;
  const auto add = [&](Kind kind, Range i, Range j, Range k) {
    if (k.size > 0 || kind != Kind::product) pieces.push_back({kind, i, j, k});
  };
  if (piece.kind == Kind::product) {
    for (const Range& k : cut(piece.k, level)) {
      for (const Range& i : rows) {
        for (const Range& j : columns) add(Kind::product, i, j, k);
      }
    }
  } else if (piece.kind == Kind::triangle) {
    for (const Range& i : rows) add(Kind::triangle, i, i, {});
    for (std::ptrdiff_t apart = 1; apart < high; ++apart) {
      for (std::ptrdiff_t a = 0; a + apart < high; ++a) {
        const Range i = row(a), j = row(a + apart);
        add(Kind::product, i, j, {i.end(), j.begin - i.end()});
        add(Kind::square, i, j, {});
      }
    }
  } else {
    for (std::ptrdiff_t step = 0; step < high + wide - 1; ++step) {
      for (std::ptrdiff_t b = std::max<std::ptrdiff_t>(0, step - high + 1); b <= std::min(step, wide - 1); ++b) {
        const Range i = row(high - 1 - step + b), j = column(b);
        add(Kind::product, i, j, {i.end(), piece.i.end() - i.end()});
        add(Kind::product, i, j, {piece.j.begin, j.begin - piece.j.begin});
        add(Kind::square, i, j, {});
      }
    }
  }
  return pieces;
}

TriangleUpdate TriangleOrder::at(std::int64_t index) const {
  Piece piece{Kind::triangle, {0, tiles_}, {0, tiles_}, {}};
  std::vector<Piece> earlier;
  for (std::size_t level = 0; !piece.single(); ++level) {
    for (const Piece& inner : cut(piece, level)) {
      const std::int64_t size = count(inner);
      if (index < size) {
        piece = inner;
        break;
      }
      index -= size;
      earlier.push_back(inner);
    }
  }
  TriangleUpdate update{piece.i.begin, piece.j.begin, piece.kind == Kind::product ? piece.k.begin : piece.j.begin, 0};
  for (const Piece& other : earlier) update.before += count_of(other, update.i, update.j);
  return update;
}

}  // namespace terrace::stages
