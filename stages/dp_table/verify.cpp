#include "stages/dp_table/verify.hpp"

#include <algorithm>
#include <optional>

#include "kernels/dp_table/defined_cells.hpp"
#include "stages/dp_table/bounded/verify.hpp"
#include "stages/dp_table/definition.hpp"
#include "stages/dp_table/series.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t part_cells = 4096;
constexpr std::int64_t most_window = 1 << 22;  // cells that are read at once for a part
constexpr std::size_t most_terms = 1 << 12;    // of the inverse of a series of counts

/// Calls visit(first, length) with the first cell of each line along the last dimension.
template <class Visit>
void for_each_line(const Box& box, const Visit& visit) {
  if (box.empty()) return;
  const int last = box.rank() - 1;
  Extents at = box.begin;
  while (true) {
    visit(at, box.end[last] - box.begin[last]);
    int d = last - 1;
    for (; d >= 0; --d) {
      if (++at[d] < box.end[d]) break;
      at[d] = box.begin[d];
    }
    if (d < 0) return;
  }
}

/// The index of a cell in a box, in row-major order.
std::int64_t place_in(const Box& box, const Extents& cell) {
  std::int64_t place = 0;
  for (int d = 0; d < box.rank(); ++d) place = place * (box.end[d] - box.begin[d]) + cell[d] - box.begin[d];
  return place;
}

/// Stored cells around a part: read at once if they are not too many.
template <class T>
class StoredCells {
 public:
  StoredCells(io::Source& source, const dp_table::Table& table) : source_(source), reach_(table.extents) {
    for (int d = 0; d < reach_.rank(); ++d) {
      reach_[d] = 0;
      for (std::int64_t number = 0; number < table.steps.count(); ++number) {
        reach_[d] = std::max(reach_[d], table.steps.step(number)[d]);
      }
    }
  }

  void move_to(const Box& part) {
    window_ = part;
    for (int d = 0; d < part.rank(); ++d) window_.begin[d] = std::max<std::int64_t>(0, part.begin[d] - reach_[d]);
    values_ = window_.volume() <= most_window ? read_box<T>(source_, window_) : std::vector<T>{};
  }
  /// The cells of a box, no farther from the part than a step leads.
  std::vector<T> read(const Box& box) const {
    if (values_.empty()) return read_box<T>(source_, box);
    std::vector<T> found;
    for_each_line(box, [&](const Extents& first, std::int64_t length) {
      const auto from = values_.begin() + place_in(window_, first);
      found.insert(found.end(), from, from + length);
    });
    return found;
  }

 private:
  io::Source& source_;
  Extents reach_;  // of steps, in each dimension
  Box window_;
  std::vector<T> values_;
};

/// The shape of parts: as many whole dimensions, from the last one on, as a part has cells for.
Extents part_shape(const Extents& extents) {
  Extents shape = extents;
  std::int64_t room = part_cells;
  for (int d = extents.rank() - 1; d >= 0; --d) {
    shape[d] = std::min(extents[d], room);
    room /= shape[d];
  }
  return shape;
}

/// @tparam T the type of the table's cells
template <class T>
class TableCheck {
  using Cells = std::unique_ptr<dp_table::DefinedCells>;

 public:
  TableCheck(const VerifyRequest& request, const TableDefinition& definition)
      : request_(request), definition_(definition), table_(definition.table) {}

  std::vector<Checked> run() {
    std::vector<Checked> found;
    if (definition_.at_most) {
      best_ = stored_best();
      if (!best_) return {{"end", "compared with the extents", "it is no cell of the table", true}};
    }
    if (definition_.keeps_table && table_.order == dp_table::Order::unordered) found.push_back(check_counts());
    else if (definition_.keeps_table) found.push_back(check_cells());
    else if (definition_.keeps_choice) found.push_back(not_kept("choice"));
    if (definition_.keeps_solution) found.push_back(check_solution());
    if (!definition_.keeps_table && !definition_.keeps_solution) found.push_back(not_kept("value"));
    return found;
  }

 private:
  static Checked not_kept(const char* dataset) {
    return {dataset, "the cells that it depends on are not kept", "", false};
  }
  static T value_of(const Cells& cells, std::int64_t cell) { return *static_cast<const T*>(cells->value(cell)); }

  Checked check_cells() {
    stored_ = open_dataset(request_, "table", table_.extents, element_type_of<T>());
    if (definition_.keeps_choice) choices_ = open_dataset(request_, "choice", table_.extents, ElementType::i32);
    const TileGrid grid(table_.extents, part_shape(table_.extents));
    StoredCells<T> around(*stored_, table_);
    const std::string names =
        std::string("table") + (choices_ ? ", choice" : "") + ", value" + (best_ ? ", end" : "");
    Checked checked = check_parts(request_, names, {"table", grid.count(), "tiles", grid.count() - 1},
                                  [&](std::int64_t part) { return check_part(grid.box(part), around); });
    if (checked.difference.empty()) checked.difference = difference_of_value(read_cell(value_cell()));
    return checked;
  }

  T read_cell(const Extents& cell) const {
    Box box{cell, cell};
    for (int d = 0; d < box.rank(); ++d) ++box.end[d];
    return read_box<T>(*stored_, box)[0];
  }
  Extents last_cell() const {
    Extents last = table_.extents;
    for (int d = 0; d < last.rank(); ++d) --last[d];
    return last;
  }
  /// The cell whose value is the result.
  Extents value_cell() const { return best_ ? *best_ : last_cell(); }
  /// The cell that the result calls the best; nullopt if it is none of the table's.
  std::optional<Extents> stored_best() const {
    Extents cell;
    for (const std::int64_t index : read_all<std::int64_t>(request_, "end")) {
      const int d = cell.rank();
      if (d == table_.extents.rank() || index < 0 || index >= table_.extents[d]) return std::nullopt;
      cell.push_back(index);
    }
    return cell.rank() == table_.extents.rank() ? std::optional(cell) : std::nullopt;
  }

  std::string check_part(const Box& part, StoredCells<T>& around) const {
    around.move_to(part);
    const Cells cells = dp_table::make_defined_cells(table_, part.volume());
    for (std::int64_t number = 0; number < table_.steps.count(); ++number) {
      const std::int64_t* step = table_.steps.step(number);
      Box to = part, from = part;
      for (int d = 0; d < part.rank(); ++d) {
        to.begin[d] = std::min(part.end[d], std::max(part.begin[d], step[d]));
        from.begin[d] = to.begin[d] - step[d];
        from.end[d] = to.end[d] - step[d];
      }
      if (to.empty()) continue;
      const std::vector<T> values = around.read(from);
      const T* value = values.data();
      for_each_line(to, [&](const Extents& first, std::int64_t length) {
        cells->take(number, place_in(part, first), value, length);
        value += length;
      });
    }
    if (part.begin == Extents::filled(part.rank(), 0)) cells->begin_at(0);
    return difference_in(part, cells);
  }

  /// A cell that is better than the one that the result calls the best, or as good and before it.
  std::string better_cell_in(const Box& part, const std::vector<T>& stored) const {
    const T best = read_cell(*best_);
    std::string difference;
    std::size_t place = 0;
    for_each_line(part, [&](Extents cell, std::int64_t length) {
      for (std::int64_t n = 0; n < length && difference.empty(); ++n, ++place, ++cell[cell.rank() - 1]) {
        if (stored[place] < best || (stored[place] == best && !is_before(cell, *best_))) continue;
        difference = "cell " + to_string(cell) + " has " + text_of(stored[place]) + ", and the end, cell " +
                     to_string(*best_) + ", has " + text_of(best);
      }
    });
    return difference;
  }

  std::string difference_in(const Box& part, const Cells& cells) const {
    const std::vector<T> stored = read_box<T>(*stored_, part);
    std::vector<std::int32_t> choices;
    if (choices_) choices = read_box<std::int32_t>(*choices_, part);
    std::string difference = best_ ? better_cell_in(part, stored) : "";
    std::int64_t at = 0;
    for_each_line(part, [&](Extents cell, std::int64_t length) {
      for (std::int64_t n = 0; n < length && difference.empty(); ++n, ++at, ++cell[cell.rank() - 1]) {
        const auto place = static_cast<std::size_t>(at);
        if (stored[place] != value_of(cells, at)) {
          difference = "cell " + to_string(cell) + ": " + text_of(stored[place]) + " is stored, " +
                       text_of(value_of(cells, at)) + " was computed";
        } else if (choices_ && choices[place] != cells->choice(at)) {
          difference = "choice of cell " + to_string(cell) + ": " + text_of(choices[place]) + " is stored, " +
                       text_of(cells->choice(at)) + " was computed";
        }
      }
    });
    return difference;
  }

  /// True if a cell is before another one in row-major order.
  static bool is_before(const Extents& a, const Extents& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }

  /// Multiplies the counts as a power series by its inverse (series.hpp): the product is 1.
  Checked check_counts() {
    stored_ = open_dataset(request_, "table", table_.extents, element_type_of<T>());
    const std::optional<SeriesTerms> terms = inverse_of_counts(table_, most_terms);
    if (!terms) return {"table, value", "there are too many steps", "", false};
    const TileGrid grid(table_.extents, part_shape(table_.extents));
    Checked checked = check_parts(request_, "table, value", {"table", grid.count(), "tiles", grid.count() - 1},
                                  [&](std::int64_t part) { return check_series(grid.box(part), *terms); });
    if (checked.difference.empty()) checked.difference = difference_of_value(read_cell(last_cell()));
    return checked;
  }

  std::string check_series(const Box& part, const SeriesTerms& terms) const {
    const auto modulus = static_cast<std::uint64_t>(table_.modulus);
    bool is_reduced = true;
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(part.volume()), 0);
    for (const auto& [exponents, counted] : terms) {
      const std::int64_t coefficient = counted;
      Box to = part, from = part;
      for (int d = 0; d < part.rank(); ++d) {
        const std::int64_t exponent = exponents[static_cast<std::size_t>(d)];
        to.begin[d] = std::min(part.end[d], std::max(part.begin[d], exponent));
        from.begin[d] = to.begin[d] - exponent;
        from.end[d] = to.end[d] - exponent;
      }
      if (to.empty()) continue;
      const std::vector<T> values = read_box<T>(*stored_, from);
      const T* value = values.data();
      for_each_line(to, [&](const Extents& first, std::int64_t length) {
        auto at = sums.begin() + place_in(part, first);
        for (std::int64_t n = 0; n < length; ++n, ++at, ++value) {
          const auto count = static_cast<std::uint64_t>(*value);
          is_reduced = is_reduced && (modulus == 0 || count < modulus);
          *at = with_term(*at, coefficient, count, modulus);
        }
      });
    }
    if (part.begin == Extents::filled(part.rank(), 0)) {
      sums[0] = with_term(sums[0], -1, 1, modulus);
    }
    if (!is_reduced) return "a count is not below the modulus";
    std::string difference;
    std::size_t place = 0;
    for_each_line(part, [&](Extents cell, std::int64_t length) {
      for (std::int64_t n = 0; n < length && difference.empty(); ++n, ++place, ++cell[cell.rank() - 1]) {
        if (sums[place] != 0) difference = "cell " + to_string(cell) + " is not the count of its steps";
      }
    });
    return difference;
  }

  std::string difference_of_value(T expected) const {
    const std::vector<std::string> stored = request_.texts("value");
    if (stored.size() == 1 && stored[0] == text_of(expected)) return "";
    return "value " + (stored.empty() ? "?" : stored[0]) + " is stored, " + text_of(expected) + " was computed";
  }

  /// Goes along the steps of the solution from the first cell.
  Checked check_solution() const {
    Checked checked{best_ ? "solution, value, end" : "solution, value", "the costs of its steps added up", "", true};
    const std::vector<std::int32_t> solution = read_all<std::int32_t>(request_, "solution");
    Extents cell = Extents::filled(table_.extents.rank(), 0);
    Cells here = dp_table::make_defined_cells(table_, 1);
    here->begin_at(0);
    for (const std::int32_t number : solution) {
      if (number < 0 || number >= table_.steps.count()) {
        checked.difference = "there is no step " + std::to_string(number);
        return checked;
      }
      Cells next = dp_table::make_defined_cells(table_, 1);
      next->take(number, 0, here->value(0), 1);
      here = std::move(next);
      for (int d = 0; d < cell.rank(); ++d) cell[d] += table_.steps.step(number)[d];
    }
    const bool ends = cell == value_cell();
    if (!ends && (!solution.empty() || best_)) {
      checked.difference = "it ends in cell " + to_string(cell);
    } else {
      // Without a solution the last cell is not reached.
      if (!ends) here = dp_table::make_defined_cells(table_, 1);
      checked.difference = difference_of_value(value_of(here, 0));
    }
    return checked;
  }

  const VerifyRequest& request_;
  const TableDefinition& definition_;
  const dp_table::Table& table_;
  std::optional<Extents> best_;  // where the value is that of the best cell
  std::shared_ptr<io::Source> stored_, choices_;
};

}  // namespace

std::vector<Checked> verify_dp_table(const VerifyRequest& request) {
  const TableDefinition definition = define_table(request.request);
  const dp_table::Table& table = definition.table;
  std::vector<std::string> components;
  for (const std::int64_t component : table.steps.components) components.push_back(text_of(component));
  std::vector<Checked> found{check_texts(request, "steps", components, "compared with the job")};
  const std::vector<Checked> more =
      table.steps.is_bounded()
          ? verify_bounded(request, definition)
          : dispatch(table.type, [&](auto zero) { return TableCheck<decltype(zero)>(request, definition).run(); });
  found.insert(found.end(), more.begin(), more.end());
  return found;
}

}  // namespace terrace::stages
