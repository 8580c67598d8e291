// The recurrence of a problem on sequences over values as a result stores them.
#pragma once

#include <cmath>

#include "kernels/wavefront/problems.hpp"
#include "kernels/wavefront/trace.hpp"
#include "kernels/wavefront/window.hpp"
#include "stages/wavefront/verify.hpp"

namespace terrace::stages {

using wavefront::i64;

/// The inputs of the cells of P. @tparam T type of the stored table, or of kept rows and columns
template <class P, class T>
struct Recurrence {
  static constexpr bool letters = P::items == wavefront::Items::letters;
  static constexpr bool has_gaps = P::row_planes == 2;  // E and F do not follow from the table's neighbouring cells
  using V = std::conditional_t<letters, i64, T>;        // cells are computed in it
  using Item = std::conditional_t<letters, std::uint8_t, T>;

  Recurrence(const VerifyRequest& request, const VerifiedTable& verified)
      : table(verified),
        constants(wavefront::problem_constants<P>(request.request.stage.settings)),
        k(P::template constants_as<V>(constants)) {
    corner = P::template left<V>(k, -1).h;
    if constexpr (wavefront::has_corner<P, V>) {
      if (table.rows > 0 && table.columns > 0) corner = P::corner(k, V(rows(0, 1)[0]), V(columns(0, 1)[0]));
    }
  }

  std::vector<Item> rows(i64 begin, i64 end) const { return read_box<Item>(*table.row_items, {{begin}, {end}}); }
  std::vector<Item> columns(i64 begin, i64 end) const {
    return read_box<Item>(*table.column_items, {{begin}, {end}});
  }

  /// H of the recurrence's own border: i or j is -1.
  V border(i64 i, i64 j) const {
    if (i < 0 && j < 0 && table.rows * table.columns > 0) return corner;
    return i < 0 ? P::template top<V>(k, j).h : P::template left<V>(k, i).h;
  }

  wavefront::Cell<V> cell(const wavefront::Around<V>& around, Item row, Item column, i64 i, i64 j) const {
    auto found = P::template cell<V>(k, around, P::template score<V>(k, static_cast<V>(row), static_cast<V>(column)));
    if (!wavefront::in_window(wavefront::window_of<P, V>(k), i, j)) found.h = static_cast<V>(wavefront::infinity);
    return found;
  }

  /// The gap after a cell with that H, which `gap` enters.
  V gap_behind(V gap, V h) const {
    if constexpr (has_gaps) {
      const V next = wavefront::maximum(wavefront::subtract(gap, k.gap_next), P::template gap_opened<V>(k, h, V(0)));
      return wavefront::is_local<P> ? wavefront::maximum(next, V(0)) : next;
    } else {
      return gap;
    }
  }

  /// A computed value as the result stores it.
  T stored(V value) const {
    if constexpr (!letters) return value;
    else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(static_cast<double>(value) / static_cast<double>(table.scale));
    } else {
      return static_cast<T>(value);
    }
  }

  /// A stored value as cells are computed from it. One that no table holds becomes one that sums do not overflow
  /// from.
  V loaded(T value) const {
    constexpr i64 most = i64{1} << 60;
    if constexpr (!letters) return value;
    else if constexpr (std::is_floating_point_v<T>) {
      const double scaled = static_cast<double>(value) * static_cast<double>(table.scale);
      return std::abs(scaled) < static_cast<double>(most) ? std::llround(scaled) : 0;
    } else {
      return std::clamp<i64>(static_cast<i64>(value), -most, most);
    }
  }

  /// A score as the result has it.
  std::string score_text(V value) const {
    if constexpr (!letters) return text_of(static_cast<double>(value));
    else if (table.scale == 1) return text_of(value);
    else return text_of(static_cast<double>(value) / static_cast<double>(table.scale));
  }

  VerifiedTable table;
  typename P::template Constants<i64> constants;
  typename P::template Constants<V> k;
  V corner;
};

/// Calls `check<P, T>` for the problem of the stage and the type of its table.
/// @throws WrongDataset if no table is of that type
template <class Check>
Checked with_recurrence(const VerifyRequest& request, ElementType type, Check&& check) {
  const job::Stage& stage = request.request.stage;
  Checked found;
  bool known = false;
  wavefront::visit_problem(stage.problem, stage.settings, [&]<class P>(P) {
    const auto with = [&]<class T>(T) {
      known = true;
      found = check.template operator()<P, T>();
    };
    if constexpr (P::items == wavefront::Items::letters) {
      if (type == ElementType::i32) with(std::int32_t{});
      if (type == ElementType::i64) with(std::int64_t{});
      if (type == ElementType::f64) with(double{});
    } else if constexpr (P::items == wavefront::Items::values) {
      if (type == ElementType::f32) with(float{});
      if (type == ElementType::f64) with(double{});
    }
  });
  if (!known) throw WrongDataset("table", "is of " + std::string(name_of(type)));
  return found;
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
