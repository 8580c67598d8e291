// Kernel tiles on the CPU: a plain loop over the cells of a tile, for any problem, and the state of a block between
// its tiles.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/wavefront/cpu/borders.hpp"
#include "kernels/wavefront/cpu/sums/row_sums.hpp"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/rules/tiles.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

/// Data that all tiles of a sweep share.
template <class P>
struct TilePlan {
  typename P::template Constants<i64> constants;
  TileShape shape;
  i64 rows, columns;  // of the table
  ElementType value, border, grid;
  std::optional<ElementType> table;
  bool checks;   // true if sums must fit `value`
  double scale;  // of integer cells in tables of numbers with a fraction
};

/// One block in tiles, computed in V. Calls for independent tiles may come from several threads in parallel.
///
/// One row of H, in place, passes down through all rows of the block: row i reads the values of row i - 1 and
/// overwrites them. At the end of a tile's row, H before the row and above it, and E, wait for the tile to the
/// right.
template <class P, class V>
class TileBlock {
 public:
  using Constants = typename P::template Constants<V>;

  TileBlock(const TilePlan<P>& plan, i64 most_rows, i64 most_columns)
      : plan_(plan),
        k_(P::template constants_as<V>(plan.constants)),
        above_h_(static_cast<std::size_t>(most_columns)),
        above_f_(P::row_planes > 1 ? static_cast<std::size_t>(most_columns) : 0),
        rows_(static_cast<std::size_t>(most_rows)),
        found_(static_cast<std::size_t>(plan.shape.down(most_rows))) {}

  void open(const BlockTask& task) {
    task_ = task;
    std::fill(found_.begin(), found_.end(), BlockResult{0, 0, 0});
  }

  i64 rows() const { return task_.row_end - task_.row_begin; }
  i64 columns() const { return task_.column_end - task_.column_begin; }

  /// Computes tile t of row r of tiles; the last one of a row writes the border to its right.
  /// @return false if a sum does not fit
  bool sweep(i64 r, i64 t) {
    const i64 first = r * plan_.shape.height, last = std::min(first + plan_.shape.height, rows());
    if (t == 0) load_left(first, last);
    if (r == 0) load_top(t * plan_.shape.width, std::min((t + 1) * plan_.shape.width, columns()));
    for (i64 row = first; row < last; ++row) {
      const i64 shift = plan_.shape.skew * (row - first);
      const i64 begin = std::max<i64>(0, t * plan_.shape.width - shift);
      const i64 end = std::min(columns(), (t + 1) * plan_.shape.width - shift);
      if (begin < end && !sweep_row(r, row, begin, end)) return false;
    }
    if (t + 1 == plan_.shape.across(columns())) store_right(first, last);
    return true;
  }

  /// The result of the block once all of its tiles are done.
  BlockResult result() const {
    if constexpr (P::report == Report::last) {
      return {reported(last_cell()), task_.row_end, task_.column_end};
    } else {
      BlockResult best{0, 0, 0};
      for (const BlockResult& found : found_) {
        if (found.row > 0 && (best.row == 0 || goes_before(found, best))) best = found;
      }
      return best;
    }
  }

 private:
  /// State of a row that passes from tile to tile.
  struct RowState {
    V left, diagonal, e;
  };

  V border_value(const void* border, i64 index) const {
    V value{};
    read_border(plan_.border, border, index, 1, &value);
    return value;
  }

  /// True if row `row` of the block, from -1 on, lies in the window in its column `column`, from -1 on.
  bool inside(i64 row, i64 column) const {
    return in_window(window_of<P, V>(k_), task_.row_begin + row, task_.column_begin + column);
  }

  V left_h(i64 row) const {
    if constexpr (has_window<P>) {
      if (!inside(row, -1)) return static_cast<V>(infinity);
    }
    if (task_.left != nullptr) return border_value(task_.left, row + 1);
    return P::template left<V>(k_, task_.row_begin + row).h;
  }

  void load_left(i64 first, i64 last) {
    for (i64 row = first; row < last; ++row) {
      RowState& state = rows_[static_cast<std::size_t>(row)];
      state.left = left_h(row);
      state.diagonal = row == 0 ? corner() : left_h(row - 1);
      if constexpr (P::column_planes > 1) {
        state.e = task_.left != nullptr ? border_value(task_.left, task_.column_border_stride + row + 1)
                                        : P::template left<V>(k_, task_.row_begin + row).gap;
      } else {
        state.e = V{};
      }
    }
  }

  V corner() const {
    if constexpr (has_corner<P, V>) {
      const bool of_table = task_.left == nullptr && task_.top == nullptr;
      if (of_table && columns() > 0) return P::corner(k_, item(task_.rows, 0), item(task_.columns, 0));
    }
    return left_h(-1);
  }

  void load_top(i64 begin, i64 end) {
    if (begin >= end) return;
    if (task_.top != nullptr) {
      read_border(plan_.border, task_.top, begin, end - begin, above_h_.data() + begin);
      if constexpr (P::row_planes > 1) {
        read_border(plan_.border, task_.top, task_.row_border_stride + begin, end - begin, above_f_.data() + begin);
      }
      cut_top(begin, end);
      return;
    }
    for (i64 j = begin; j < end; ++j) {
      const Border<V> top = P::template top<V>(k_, task_.column_begin + j);
      above_h_[static_cast<std::size_t>(j)] = top.h;
      if constexpr (P::row_planes > 1) above_f_[static_cast<std::size_t>(j)] = top.gap;
    }
  }

  /// Ignores values outside the window: another kind of sweep may not have written them.
  void cut_top(i64 begin, i64 end) {
    if constexpr (has_window<P>) {
      for (i64 j = begin; j < end; ++j) {
        if (!inside(-1, j)) above_h_[static_cast<std::size_t>(j)] = static_cast<V>(infinity);
      }
    }
  }

  V item(const void* items, i64 index) const {
    if constexpr (P::items == Items::letters) return static_cast<V>(static_cast<const std::uint8_t*>(items)[index]);
    else return static_cast<const V*>(items)[index];
  }

  bool sweep_row(i64 r, i64 row, i64 begin, i64 end) {
    bool fits = true;
    if constexpr (P::items == Items::grid) {
      dispatch(plan_.grid, [&](auto sample) {
        const auto* grid = static_cast<const decltype(sample)*>(task_.grid) + row * task_.grid_stride;
        fits = sweep_cells(r, row, begin, end, [grid](i64 j) { return static_cast<V>(grid[j]); });
      });
    } else {
      const V letter = item(task_.rows, row);
      fits = sweep_cells(r, row, begin, end,
                         [this, letter](i64 j) { return P::template score<V>(k_, letter, item(task_.columns, j)); });
    }
    if (!fits) return false;
    if (task_.table != nullptr) store_table(row, begin, end);
    if (row + 1 == rows() && task_.bottom != nullptr) store_bottom(begin, end);
    return true;
  }

  template <class ScoreAt>
  bool sweep_cells(i64 r, i64 row, i64 begin, i64 end, ScoreAt&& score_at) {
    RowState state = rows_[static_cast<std::size_t>(row)];
    for (i64 j = begin; j < end; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const V up = above_h_[at];
      V f{};
      if constexpr (P::row_planes > 1) f = above_f_[at];
      const Around<V> around{state.diagonal, up, state.left, state.e, f};
      const V score = score_at(j);
      Cell<V> cell = P::template cell<V>(k_, around, score);
      if constexpr (has_window<P>) {
        if (!inside(row, j)) cell.h = static_cast<V>(infinity);
      }
      if (plan_.checks && !fits(around, score, cell)) return false;
      if constexpr (P::report != Report::last) look(r, row, j, cell.h);
      above_h_[at] = state.left = cell.h;
      if constexpr (P::row_planes > 1) above_f_[at] = cell.f;
      state.diagonal = up;
      state.e = cell.e;
    }
    rows_[static_cast<std::size_t>(row)] = state;
    return true;
  }

  /// True if `value` holds H, and no sum left 64 bits.
  bool fits(const Around<V>& n, V score, const Cell<V>& cell) const {
    if constexpr (std::is_floating_point_v<V>) {
      return true;
    } else {
      if (plan_.value == ElementType::i32) return cell.h == static_cast<std::int32_t>(cell.h);
      const Around<Wide128> wide{n.diagonal, n.up, n.left, n.e, n.f};
      const auto k = P::template constants_as<Wide128>(plan_.constants);
      const Cell<Wide128> exact = P::template cell<Wide128>(k, wide, Wide128{score});
      return exact.h == cell.h && exact.e == cell.e;
    }
  }

  /// True if the cell counts: a cell above 0, or a cell where an alignment may end.
  bool counts(i64 table_row, i64 table_column, V h) const {
    if constexpr (P::report == Report::best) {
      return h > 0;
    } else {
      const Ends ends = P::template ends<V>(k_);
      const bool bottom = table_row == plan_.rows, right = table_column == plan_.columns;
      return (bottom && (right || ends.last_row)) || (right && ends.last_column);
    }
  }

  void look(i64 r, i64 row, i64 column, V h) {
    const i64 table_row = task_.row_begin + row + 1, table_column = task_.column_begin + column + 1;
    if (!counts(table_row, table_column, h)) return;
    BlockResult& best = found_[static_cast<std::size_t>(r)];
    const BlockResult cell{reported(h), table_row, table_column};
    if (best.row == 0 || goes_before(cell, best)) best = cell;
  }

  void store_table(i64 row, i64 begin, i64 end) {
    dispatch(*plan_.table, [&](auto sample) {
      using Stored = decltype(sample);
      Stored* to = static_cast<Stored*>(task_.table) + row * task_.table_stride;
      for (i64 j = begin; j < end; ++j) {
        to[j] = stored_value<Stored>(above_h_[static_cast<std::size_t>(j)], plan_.scale);
      }
    });
  }

  void store_bottom(i64 begin, i64 end) {
    write_border(plan_.border, above_h_.data() + begin, end - begin, task_.bottom, begin);
    if constexpr (P::row_planes > 1) {
      write_border(plan_.border, above_f_.data() + begin, end - begin, task_.bottom, task_.row_border_stride + begin);
    }
  }

  void store_right(i64 first, i64 last) {
    if (task_.right == nullptr) return;
    for (i64 row = first; row < last; ++row) {
      const RowState& state = rows_[static_cast<std::size_t>(row)];
      if (row == 0) write_border(plan_.border, &state.diagonal, 1, task_.right, 0);
      write_border(plan_.border, &state.left, 1, task_.right, row + 1);
      if constexpr (P::column_planes > 1) {
        write_border(plan_.border, &state.e, 1, task_.right, task_.column_border_stride + row + 1);
      }
    }
  }

  /// For a block without cells the recurrence's border; for a grid without cells 0.
  V last_cell() const {
    if (P::items == Items::grid && (rows() == 0 || columns() == 0)) return V{};
    if (rows() == 0) return P::template top<V>(k_, task_.column_end - 1).h;
    return columns() == 0 ? left_h(rows() - 1) : rows_[static_cast<std::size_t>(rows() - 1)].left;
  }

  TilePlan<P> plan_;
  Constants k_;
  BlockTask task_{};
  std::vector<V> above_h_, above_f_;  // of the columns
  std::vector<RowState> rows_;
  std::vector<BlockResult> found_;  // the best cell of each row of tiles
};

}  // namespace terrace::wavefront
