#include "stages/dp_table/verify.hpp"

#include <algorithm>

#include "kernels/dp_table/defined_cells.hpp"
#include "stages/dp_table/definition.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t part_cells = 4096;
constexpr std::int64_t most_window = 1 << 22;  // cells that are read at once for a part

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
    if (definition_.keeps_table) found.push_back(check_cells());
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
    Checked checked = check_parts(request_, choices_ ? "table, choice, value" : "table, value",
                                  {"table", grid.count(), "tiles", grid.count() - 1},
                                  [&](std::int64_t part) { return check_part(grid.box(part), around); });
    if (!checked.difference.empty()) return checked;
    Box corner{table_.extents, table_.extents};
    for (int d = 0; d < corner.rank(); ++d) --corner.begin[d];
    checked.difference = difference_of_value(read_box<T>(*stored_, corner)[0]);
    return checked;
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

  std::string difference_in(const Box& part, const Cells& cells) const {
    const std::vector<T> stored = read_box<T>(*stored_, part);
    std::vector<std::int32_t> choices;
    if (choices_) choices = read_box<std::int32_t>(*choices_, part);
    std::string difference;
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

  std::string difference_of_value(T expected) const {
    const std::vector<std::string> stored = request_.texts("value");
    if (stored.size() == 1 && stored[0] == text_of(expected)) return "";
    return "value " + (stored.empty() ? "?" : stored[0]) + " is stored, " + text_of(expected) + " was computed";
  }

  /// Goes along the steps of the solution from the first cell.
  Checked check_solution() const {
    Checked checked{"solution, value", "the costs of its steps added up", "", true};
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
    bool ends = true;
    for (int d = 0; d < cell.rank(); ++d) ends = ends && cell[d] == table_.extents[d] - 1;
    if (!ends && !solution.empty()) {
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
  std::shared_ptr<io::Source> stored_, choices_;
};

}  // namespace

std::vector<Checked> verify_dp_table(const VerifyRequest& request) {
  const TableDefinition definition = define_table(request.request);
  const dp_table::Table& table = definition.table;
  std::vector<std::string> components;
  for (const std::int64_t component : table.steps.components) components.push_back(text_of(component));
  std::vector<Checked> found{check_texts(request, "steps", components, "compared with the job")};
  dispatch(table.type, [&](auto zero) {
    const std::vector<Checked> more = TableCheck<decltype(zero)>(request, definition).run();
    found.insert(found.end(), more.begin(), more.end());
  });
  return found;
}

}  // namespace terrace::stages
