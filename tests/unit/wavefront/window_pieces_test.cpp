// The pieces of bands at the edges of a window, and what sweeps of such bands come to.
#include "kernels/wavefront/rules/window_pieces.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

namespace terrace::wavefront {
namespace {

struct Band {
  i64 window, diagonal, rows, behind;  // as window_pieces() takes them
};

/// The least and the largest row less column of the cells of a piece, lane by lane.
std::pair<i64, i64> diagonals_of(const Band& band, i64 piece) {
  std::pair<i64, i64> range{no_window, -no_window};
  const i64 lane_rows = band.rows / 32;
  for (i64 lane = 0; lane < 32; ++lane) {
    const i64 first = piece * 32 - lane * band.behind, last = first + 31;
    range.first = std::min(range.first, band.diagonal + lane * lane_rows - last);
    range.second = std::max(range.second, band.diagonal + (lane + 1) * lane_rows - 1 - first);
  }
  return range;
}

TEST_CASE("pieces cross the edges that their cells are beyond, and the diagonal outside is where it is said to be") {
  for (const i64 rows : {128, 256}) {
    for (const i64 behind : {1, 2, 4}) {
      for (const i64 window : {0, 5, 130, 299, 300, 5000}) {
        for (const i64 diagonal : {-700, -31, 0, 1, 100, 255, 256, 331, 5001, 5024}) {
          const Band band{window, diagonal, rows, behind};
          const WindowPieces pieces = window_pieces(window, diagonal, rows, behind);
          for (i64 piece = 0; piece < 400; ++piece) {
            const auto [least, most] = diagonals_of(band, piece);
            REQUIRE(pieces.crosses_left(piece) == (most > window));
            REQUIRE(pieces.crosses_right(piece) == (least < -window));
            REQUIRE(pieces.crosses(piece) == (most > window || least < -window));
            if (!pieces.crosses(piece)) continue;
            // Cell (row, column) of the band's first lane in the piece's first columns.
            const i64 outside = pieces.crosses_left(piece) ? window + 1 : -(window + 1);
            REQUIRE(diagonal - piece * 32 + pieces.edge_of(piece) == outside);
          }
        }
      }
    }
  }
}

TEST_CASE("pieces that cross one edge at most are told from those that cross both") {
  const auto end_of = [](const WindowPieces& pieces, i64 piece) {
    i64 end = piece;
    while (end < 50 && !(pieces.crosses_left(end) && pieces.crosses_right(end))) ++end;
    return end;
  };
  for (i64 left_end = 0; left_end < 12; ++left_end) {
    for (i64 right_begin = 0; right_begin < 12; ++right_begin) {
      const WindowPieces pieces{left_end, right_begin, 0, 0};
      for (i64 piece = 0; piece < 20; ++piece) CHECK(pieces.end_of_single(piece, 50) == end_of(pieces, piece));
    }
  }
}

TEST_CASE("bands of a window sweep few cells outside it, and no piece of them slowly") {
  constexpr i64 rows = 131072, window = 5000, band_rows = 256, behind = 4;
  double swept = 0;
  i64 slow = 0;
  for (i64 row = 0; row < rows; row += band_rows) {
    const ColumnRange columns = columns_in_window(window, row, row + band_rows, 0, rows);
    const i64 start = columns.begin / window_piece * window_piece;
    const i64 pieces = (columns.end - start + window_piece - 1) / window_piece + behind;
    const WindowPieces edges = window_pieces(window, row - start, band_rows, behind);
    swept += static_cast<double>(pieces * window_piece * band_rows);
    for (i64 piece = 0; piece < pieces; ++piece) slow += edges.crosses_left(piece) && edges.crosses_right(piece);
  }
  CHECK(slow == 0);
  CHECK(swept < 1.1 * cells_in_window(window, 0, rows, 0, rows));
}

}  // namespace
}  // namespace terrace::wavefront
