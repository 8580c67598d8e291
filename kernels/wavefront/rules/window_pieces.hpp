// The pieces of a band in a window whose cells are not all in it: at its left edge the first ones, at its right edge
// the last ones.
//
// A warp walks along a band's columns in pieces of 32, each lane `behind` columns behind the one before, so that its
// cells of a piece are those of more columns. Cells outside the window are infinite if those next to it are, on the
// diagonal just outside: what a cell further out is made of lies on that diagonal or beyond it, or on a border that
// is infinite there. So a piece at one edge costs little more than any other: cells on one diagonal are replaced.
#pragma once

#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

/// Columns of a piece.
inline constexpr i64 window_piece = 32;

struct WindowPieces {
  i64 left_end = 0;                // pieces before it have cells left of the window
  i64 right_begin = no_window;     // pieces from it on have cells right of it
  i64 window = no_window, at = 0;  // row less column of the band's first cell

  TERRACE_HOST_DEVICE constexpr bool crosses_left(i64 piece) const { return piece < left_end; }
  TERRACE_HOST_DEVICE constexpr bool crosses_right(i64 piece) const { return piece >= right_begin; }
  TERRACE_HOST_DEVICE constexpr bool crosses(i64 piece) const { return crosses_left(piece) || crosses_right(piece); }
  /// The end of the pieces from `piece` on that cross one edge at most; `piece` itself if it crosses both.
  TERRACE_HOST_DEVICE constexpr i64 end_of_single(i64 piece, i64 end) const {
    if (piece >= left_end || right_begin >= left_end) return end;
    return maximum(piece, minimum(end, right_begin));
  }
  /// Row less column of the cells just outside the edge that the piece crosses, less that of the band's first cell in
  /// the piece's first column.
  TERRACE_HOST_DEVICE constexpr i64 edge_of(i64 piece) const {
    return (crosses_left(piece) ? window + 1 : -(window + 1)) - at + piece * window_piece;
  }
};

/// @param diagonal row less column of the band's first cell in its first column
/// @param behind columns that each lane is behind the one before
TERRACE_HOST_DEVICE constexpr WindowPieces window_pieces(i64 window, i64 diagonal, i64 band_rows, i64 behind) {
  const i64 over = diagonal + band_rows - 1 + 31 * behind - window, room = diagonal + window + 1 - window_piece;
  const i64 left_end = over > 0 ? (over + window_piece - 1) / window_piece : 0;
  const i64 right_begin = room < 0 ? 0 : room / window_piece + 1;
  return {left_end, right_begin, window, diagonal};
}

}  // namespace terrace::wavefront
