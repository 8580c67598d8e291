#include "stages/dp_table/bounded/verify.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/dp_table/bounded_table.hpp"
#include "stages/dp_table/series.hpp"
#include "stages/dp_table/values.hpp"

namespace terrace::stages {
namespace {

using dp_table::BoundedPass;
using dp_table::Combine;

/// Cells and passes that are made again, at most.
constexpr double most_plain_updates = 4e9;

/// All cells of a table, in f32, f64, or i64 in place of all types of whole numbers.
template <class T>
class PlainTable {
 public:
  explicit PlainTable(const dp_table::Table& table) : table_(table), strides_(row_major_strides(table.extents)) {
    using Limits = std::numeric_limits<T>;
    const bool infinite = Limits::has_infinity;
    if (table.combine == Combine::min) unreached_ = infinite ? Limits::infinity() : Limits::max();
    if (table.combine == Combine::max) unreached_ = infinite ? -Limits::infinity() : Limits::lowest();
    cells_.assign(static_cast<std::size_t>(*dp_table::cells_of(table.extents)), unreached_);
    const bool is_cost = table.combine == Combine::min || table.combine == Combine::max;
    cells_[0] = is_cost ? T{0} : T{1};
  }

  void take(const BoundedPass& pass) {
    const std::int64_t* step = table_.steps.step(pass.step);
    std::int64_t back = 0;
    for (int d = 0; d < strides_.rank(); ++d) back += step[d] * pass.times * strides_[d];
    for (std::int64_t cell = std::ssize(cells_) - 1; cell >= back; --cell) {
      bool fits = true;
      std::int64_t rest = cell;
      for (int d = 0; d < strides_.rank(); ++d) {
        fits = fits && rest / strides_[d] >= step[d] * pass.times;
        rest %= strides_[d];
      }
      if (fits) combine(pass, cells_[static_cast<std::size_t>(cell - back)], cells_[static_cast<std::size_t>(cell)]);
    }
  }

  bool is_reached(std::int64_t cell) const { return cells_[static_cast<std::size_t>(cell)] != unreached_; }
  T value(std::int64_t cell) const { return cells_[static_cast<std::size_t>(cell)]; }
  std::int64_t count() const { return std::ssize(cells_); }

 private:
  void combine(const BoundedPass& pass, T source, T& cell) const {
    if (table_.combine == Combine::count) {
      cell = static_cast<T>(with_term(static_cast<std::uint64_t>(cell), pass.sign, static_cast<std::uint64_t>(source),
                                      static_cast<std::uint64_t>(table_.modulus)));
    } else if (table_.combine == Combine::any) {
      cell = std::max(cell, source);
    } else if (source != unreached_) {
      T made = source;
      if constexpr (std::is_floating_point_v<T>) made += static_cast<T>(pass.real_cost);
      else made += pass.whole_cost;
      cell = table_.combine == Combine::min ? std::min(cell, made) : std::max(cell, made);
    }
  }

  const dp_table::Table& table_;
  Extents strides_;
  T unreached_ = 0;
  std::vector<T> cells_;
};

/// @tparam T the type of the table's cells
template <class T>
class BoundedCheck {
  using Plain = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;

 public:
  BoundedCheck(const VerifyRequest& request, const TableDefinition& definition)
      : request_(request), definition_(definition), table_(definition.table), bounded_(definition.table) {}

  std::vector<Checked> run() {
    std::vector<Checked> found{check_cells()};
    if (definition_.keeps_solution) found.push_back(check_solution());
    return found;
  }

 private:
  Checked check_cells() const {
    const std::string names =
        std::string(definition_.keeps_table ? "table, value" : "value") + (definition_.at_most ? ", end" : "");
    const auto cells = static_cast<double>(*dp_table::cells_of(table_.extents));
    if (cells * static_cast<double>(bounded_.passes.size() + 1) > most_plain_updates) {
      return {names, "there are too many cells and steps", "", false};
    }
    PlainTable<Plain> plain(table_);
    for (std::size_t pass = 0; pass < bounded_.passes.size(); ++pass) {
      plain.take(bounded_.passes[pass]);
      if (request_.advance) {
        request_.advance(static_cast<std::int64_t>(pass) + 1, static_cast<std::int64_t>(bounded_.passes.size()));
      }
    }
    return {names, "all cells computed again", difference_from(plain), true};
  }

  T in_type(const PlainTable<Plain>& plain, std::int64_t cell) const {
    if (std::is_floating_point_v<T> || plain.is_reached(cell)) return static_cast<T>(plain.value(cell));
    return static_cast<T>(dp_table::unreached_value(table_));
  }

  std::string difference_from(const PlainTable<Plain>& plain) const {
    std::int64_t value = plain.count() - 1;
    if (definition_.at_most) {
      for (std::int64_t cell = value = 0; cell < plain.count(); ++cell) {
        if (plain.value(cell) > plain.value(value)) value = cell;
      }
      std::vector<std::int64_t> end = read_all<std::int64_t>(request_, "end");
      const Extents best = cell_of(value);
      if (!std::equal(end.begin(), end.end(), best.begin(), best.end())) {
        return "cell " + to_string(best) + " is the first of the best, and not the end";
      }
    }
    const std::string made = text_of(in_type(plain, value));
    const std::vector<std::string> stored = request_.texts("value");
    if (stored.size() != 1 || stored[0] != made) {
      return "value " + (stored.empty() ? "?" : stored[0]) + " is stored, " + made + " was computed";
    }
    if (!definition_.keeps_table) return "";
    open_dataset(request_, "table", table_.extents, element_type_of<T>());
    const std::vector<T> table = read_all<T>(request_, "table");
    for (std::int64_t cell = 0; cell < plain.count(); ++cell) {
      const T expected = in_type(plain, cell);
      if (table[static_cast<std::size_t>(cell)] == expected) continue;
      return "cell " + to_string(cell_of(cell)) + ": " + text_of(table[static_cast<std::size_t>(cell)]) +
             " is stored, " + text_of(expected) + " was computed";
    }
    return "";
  }

  Extents cell_of(std::int64_t place) const {
    const Extents strides = row_major_strides(table_.extents);
    Extents cell = strides;
    for (int d = 0; d < cell.rank(); ++d) {
      cell[d] = place / strides[d];
      place %= strides[d];
    }
    return cell;
  }

  /// Adds up the steps of the solution and their costs.
  Checked check_solution() const {
    Checked checked{"solution", "its steps and their costs added up", "", true};
    const std::vector<std::int32_t> solution = read_all<std::int32_t>(request_, "solution");
    Extents cell = Extents::filled(table_.extents.rank(), 0), end = table_.extents;
    for (int d = 0; d < end.rank(); ++d) --end[d];
    if (definition_.at_most) {
      const std::vector<std::int64_t> best = read_all<std::int64_t>(request_, "end");
      for (int d = 0; d < end.rank() && d < std::ssize(best); ++d) end[d] = best[static_cast<std::size_t>(d)];
    }
    std::vector<std::int64_t> taken(static_cast<std::size_t>(table_.steps.count()), 0);
    std::int64_t cost = 0;
    for (const std::int32_t step : solution) {
      if (step < 0 || step >= table_.steps.count()) {
        checked.difference = "there is no step " + std::to_string(step);
        return checked;
      }
      const auto place = static_cast<std::size_t>(step);
      if (++taken[place] > table_.steps.each[place]) {
        checked.difference = "it takes step " + std::to_string(step) + " more often than `each` allows";
        return checked;
      }
      for (int d = 0; d < cell.rank(); ++d) cell[d] += table_.steps.step(step)[d];
      if (table_.steps.has_whole_costs()) cost += table_.steps.whole_costs[place];
    }
    if (cell != end && (!solution.empty() || definition_.at_most)) {
      checked.difference = "it ends in cell " + to_string(cell);
    }
    const bool has_cost = !std::is_floating_point_v<T> && table_.combine != Combine::any && cell == end;
    const std::vector<std::string> stored = request_.texts("value");
    if (checked.difference.empty() && has_cost && stored.size() == 1 && stored[0] != text_of(cost)) {
      checked.difference = "value " + stored[0] + " is stored, its costs are " + text_of(cost);
    }
    return checked;
  }

  const VerifyRequest& request_;
  const TableDefinition& definition_;
  const dp_table::Table& table_;
  dp_table::BoundedTable bounded_;
};

}  // namespace

std::vector<Checked> verify_bounded(const VerifyRequest& request, const TableDefinition& definition) {
  return dispatch(definition.table.type,
                  [&](auto zero) { return BoundedCheck<decltype(zero)>(request, definition).run(); });
}

}  // namespace terrace::stages
