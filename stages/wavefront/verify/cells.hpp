// Cells of a table on sequences, computed again in the values that a result stores.
#pragma once

#include <cmath>

#include "kernels/wavefront/description.hpp"
#include "stages/wavefront/verify.hpp"

namespace terrace::stages {

using wavefront::i64;

/// The cells of a table by its recurrence, in the values that the result stores. @tparam T type of the stored table,
/// or of kept rows and columns @tparam of_letters whether items are letters; else values
template <class T, bool of_letters>
struct TableCells {
  using V = std::conditional_t<of_letters, i64, T>;  // cells are computed in it
  using Item = std::conditional_t<of_letters, std::uint8_t, T>;

  TableCells(const VerifiedTable& verified)
      : table(verified),
        problem(*table.problem),
        recurrence(problem.recurrence<V>()),
        has_gaps(problem.row_planes == 2),
        local(problem.report == wavefront::Report::best) {
    corner = recurrence.left(-1).h;
    if (recurrence.corner && table.rows > 0 && table.columns > 0) {
      corner = recurrence.corner(V(rows(0, 1)[0]), V(columns(0, 1)[0]));
    }
  }

  std::vector<Item> rows(i64 begin, i64 end) const { return read_box<Item>(*table.row_items, {{begin}, {end}}); }
  std::vector<Item> columns(i64 begin, i64 end) const {
    return read_box<Item>(*table.column_items, {{begin}, {end}});
  }

  /// H of the recurrence's own border: i or j is -1.
  V border(i64 i, i64 j) const {
    if (i < 0 && j < 0 && table.rows * table.columns > 0) return corner;
    return i < 0 ? recurrence.top(j).h : recurrence.left(i).h;
  }

  wavefront::Cell<V> cell(const wavefront::Around<V>& around, Item row, Item column, i64 i, i64 j) const {
    auto found = recurrence.cell(around, recurrence.score(static_cast<V>(row), static_cast<V>(column)));
    if (!wavefront::in_window(problem.window, i, j)) found.h = static_cast<V>(wavefront::infinity);
    return found;
  }

  /// The gap behind a cell with that H, which `gap` enters.
  V gap_behind(V gap, V h) const { return has_gaps ? recurrence.gap_behind(gap, h) : gap; }

  /// A computed value as the result stores it.
  T stored(V value) const {
    if constexpr (!of_letters) return value;
    else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(static_cast<double>(value) / static_cast<double>(problem.scale));
    } else {
      return static_cast<T>(value);
    }
  }

  /// A stored value as cells are computed from it. One that no table holds becomes one that sums do not overflow
  /// from.
  V loaded(T value) const {
    constexpr i64 most = i64{1} << 60;
    if constexpr (!of_letters) return value;
    else if constexpr (std::is_floating_point_v<T>) {
      const double scaled = static_cast<double>(value) * static_cast<double>(problem.scale);
      return std::abs(scaled) < static_cast<double>(most) ? std::llround(scaled) : 0;
    } else {
      return std::clamp<i64>(static_cast<i64>(value), -most, most);
    }
  }

  /// A score as the result has it.
  std::string score_text(V value) const {
    if constexpr (!of_letters) return text_of(static_cast<double>(value));
    else if (problem.scale == 1) return text_of(value);
    else return text_of(static_cast<double>(value) / static_cast<double>(problem.scale));
  }

  VerifiedTable table;
  const wavefront::Description& problem;
  const wavefront::Recurrence<V>& recurrence;
  bool has_gaps;  // E and F do not follow from the table's neighbouring cells
  bool local;     // an alignment may begin and end anywhere
  V corner;
};

/// Calls check.operator()<T, of_letters>() for the type of the table. @throws WrongDataset where no table is of that
/// type
template <class Check>
Checked with_cells(const VerifiedTable& table, ElementType type, Check&& check) {
  if (table.problem->items == wavefront::Items::letters) {
    if (type == ElementType::i32) return check.template operator()<std::int32_t, true>();
    if (type == ElementType::i64) return check.template operator()<std::int64_t, true>();
    if (type == ElementType::f64) return check.template operator()<double, true>();
  } else if (table.problem->items == wavefront::Items::values) {
    if (type == ElementType::f32) return check.template operator()<float, false>();
    if (type == ElementType::f64) return check.template operator()<double, false>();
  }
  throw WrongDataset("table", "is of " + std::string(name_of(type)));
}

/// The cell whose score a table reports: its letters consumed, or the last cell if the result names no cell.
inline std::array<std::int64_t, 2> reported_cell(const VerifyRequest& request, const VerifiedTable& table) {
  if (!request.has("end")) return {table.rows, table.columns};
  const auto end = read_all<std::int64_t>(request, "end");
  const bool right = end.size() == 2 && end[0] >= 0 && end[0] <= table.rows && end[1] >= 0 && end[1] <= table.columns;
  if (!right) throw WrongDataset("end", "is no cell of the table");
  return {end[0], end[1]};
}

}  // namespace terrace::stages
