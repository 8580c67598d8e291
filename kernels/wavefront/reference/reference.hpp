// The plain sequential program of every wavefront problem: two loops over the recurrence as problem.hpp states it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

/// A whole table and the cell that a sweep of it reports.
template <class V>
struct ReferenceTable {
  std::int64_t rows = 0, columns = 0;
  std::vector<V> h;                  // rows x columns, row-major
  V score{};                         // as P::report says; for a table without cells the border's, or 0
  std::int64_t row = 0, column = 0;  // letters consumed at the reported cell

  V at(std::int64_t i, std::int64_t j) const { return h[static_cast<std::size_t>(i * columns + j)]; }
};

/// The recurrence of problem P with its constants, as compute_table() asks for it.
template <class P, class V>
struct ProblemRule {
  typename P::template Constants<V> k;

  static constexpr Items items = P::items;
  static constexpr Report report = P::report;
  Border<V> top(std::int64_t column) const { return P::template top<V>(k, column); }
  Border<V> left(std::int64_t row) const { return P::template left<V>(k, row); }
  Cell<V> cell(const Around<V>& around, V score) const { return P::template cell<V>(k, around, score); }
  i64 window() const { return window_of<P, V>(k); }
  Ends ends() const {
    if constexpr (P::report == Report::ends) return P::template ends<V>(k);
    else return {};
  }
};

/// Computes the table of a recurrence. `score_at(i, j)` is s(i, j); `corner` is H(-1, -1) of a table with cells.
/// @tparam Rule ProblemRule, or DescribedRule (described.hpp)
template <class V, class Rule, class ScoreAt>
ReferenceTable<V> compute_table(const Rule& rule, std::int64_t rows, std::int64_t columns, V corner,
                                ScoreAt&& score_at) {
  ReferenceTable<V> table{rows, columns, std::vector<V>(static_cast<std::size_t>(rows * columns)), V{}, 0, 0};
  std::vector<V> f(static_cast<std::size_t>(columns));
  for (std::int64_t j = 0; j < columns; ++j) f[static_cast<std::size_t>(j)] = rule.top(j).gap;
  auto h = [&](std::int64_t i, std::int64_t j) {
    if (i < 0 && j < 0 && rows * columns > 0) return corner;
    if (i < 0) return rule.top(j).h;
    return j < 0 ? rule.left(i).h : table.at(i, j);
  };
  for (std::int64_t i = 0; i < rows; ++i) {
    V e = rule.left(i).gap;
    for (std::int64_t j = 0; j < columns; ++j) {
      V& down = f[static_cast<std::size_t>(j)];
      const Around<V> around{h(i - 1, j - 1), h(i - 1, j), h(i, j - 1), e, down};
      Cell<V> cell = rule.cell(around, score_at(i, j));
      if (!in_window(rule.window(), i, j)) cell.h = static_cast<V>(infinity);
      e = cell.e;
      down = cell.f;
      table.h[static_cast<std::size_t>(i * columns + j)] = cell.h;
      if (rule.report == Report::best && cell.h > table.score) {
        table.score = cell.h;
        table.row = i + 1;
        table.column = j + 1;
      }
    }
  }
  if (rule.report == Report::ends) {
    const Ends ends = rule.ends();
    const bool least = rule.items == Items::values;
    const std::int64_t first = least ? 0 : -1;  // warpings do not end in the border
    bool found = false;
    if (least && rows * columns == 0) {
      table.score = static_cast<V>(infinity);
      table.row = rows;
      table.column = columns;
    }
    for (std::int64_t i = first; i < rows; ++i) {
      for (std::int64_t j = first; j < columns; ++j) {
        const bool bottom = i + 1 == rows, right = j + 1 == columns;
        if (!(bottom && right) && !(bottom && ends.last_row) && !(right && ends.last_column)) continue;
        if (found && (least ? h(i, j) >= table.score : h(i, j) <= table.score)) continue;
        found = true;
        table.score = h(i, j);
        table.row = i + 1;
        table.column = j + 1;
      }
    }
  }
  if (rule.report == Report::last) {
    if (rule.items != Items::grid || rows * columns > 0) table.score = h(rows - 1, columns - 1);
    table.row = rows;
    table.column = columns;
  }
  return table;
}

/// Computes the table of P.
template <class P, class V, class ScoreAt>
ReferenceTable<V> compute_reference(const typename P::template Constants<i64>& constants, std::int64_t rows,
                                    std::int64_t columns, V corner, ScoreAt&& score_at) {
  return compute_table<V>(ProblemRule<P, V>{P::template constants_as<V>(constants)}, rows, columns, corner,
                          std::forward<ScoreAt>(score_at));
}

/// The corner of a problem that does not find it from items.
template <class P, class V>
V plain_corner(const typename P::template Constants<i64>& k) {
  return P::template left<V>(P::template constants_as<V>(k), -1).h;
}

/// The table of a problem on letters, in 64-bit integers.
template <class P>
ReferenceTable<i64> letters_reference(const typename P::template Constants<i64>& k,
                                      std::span<const std::uint8_t> rows, std::span<const std::uint8_t> columns) {
  return compute_reference<P, i64>(
      k, static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size()), plain_corner<P, i64>(k),
      [&](std::int64_t i, std::int64_t j) {
        return P::template score<i64>(k, rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
      });
}

/// The table of a problem on values, in their type.
template <class P, class V>
ReferenceTable<V> values_reference(const typename P::template Constants<i64>& constants, std::span<const V> rows,
                                   std::span<const V> columns) {
  const auto k = P::template constants_as<V>(constants);
  V corner = plain_corner<P, V>(constants);
  if constexpr (has_corner<P, V>) {
    if (!rows.empty() && !columns.empty()) corner = P::corner(k, rows[0], columns[0]);
  }
  return compute_reference<P, V>(
      constants, static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size()), corner,
      [&](std::int64_t i, std::int64_t j) {
        return P::template score<V>(k, rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
      });
}

/// The table of a problem on a grid of rows x columns values, row-major, in V (i64, f32 or f64).
template <class P, class V, class G>
ReferenceTable<V> grid_reference(const typename P::template Constants<i64>& k, std::span<const G> grid,
                                 std::int64_t rows, std::int64_t columns) {
  return compute_reference<P, V>(k, rows, columns, plain_corner<P, V>(k), [&](std::int64_t i, std::int64_t j) {
    return static_cast<V>(grid[static_cast<std::size_t>(i * columns + j)]);
  });
}

}  // namespace terrace::wavefront
