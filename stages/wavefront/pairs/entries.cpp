#include "stages/wavefront/pairs/entries.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/refuse.hpp"
#include "stages/watched_read.hpp"

namespace terrace::stages {
namespace {

/// The item that a text names: by its name, or where none has that name by its index. @throws Error without the text
std::int64_t item_named(const std::string& text, const PairSide& side) {
  try {
    return side.items->names().row_of(text);
  } catch (const Error&) {
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (whole && index >= 0 && index < side.count()) return index;
    throw Error("is neither the name nor the index of one of the " + counted(side.count(), "item") + " of the " +
                side.axis + "s");
  }
}

Entries listed(const Request& request, const PairSides& sides) {
  const auto& texts = request.stage.settings.get<std::vector<std::string>>("pairs");
  std::vector<ItemPair> pairs(texts.size() / 2);
  for (std::size_t at = 0; at < texts.size(); ++at) {
    try {
      pairs[at / 2][at % 2] = item_named(texts[at], at % 2 == 0 ? sides.rows : sides.columns);
    } catch (const Error& error) {
      refuse(request.stage, "pairs", "pair " + std::to_string(at / 2) + ": " + quote(texts[at]) + " " + error.what());
    }
  }
  return Entries(std::move(pairs));
}

/// The index of an item in an array of numbers. @return nullopt if there is no such item
template <class T>
std::optional<std::int64_t> index_of(T number, std::int64_t items) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!(number >= 0) || number != std::floor(number) || number >= static_cast<T>(items)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  } else {
    if (std::cmp_less(number, 0) || std::cmp_greater_equal(number, items)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
}

Entries read_from_input(const Request& request, const PairSides& sides) {
  const std::string& name = request.stage.settings.text("pairs");
  const std::shared_ptr<io::Source> source = request.array(name);
  const Extents& shape = source->shape();
  const bool right = shape.rank() == 1 ? shape[0] % 2 == 0 : shape.rank() == 2 && shape[1] == 2;
  if (!right) {
    refuse(request.stage, "pairs",
           "'" + name + "' is " + to_string(shape) +
               "; give pairs as n x 2, an index of the rows and one of the columns");
  }
  refuse_letters(request, "pairs", *source);
  const std::int64_t count = volume(shape);
  std::vector<ItemPair> pairs(static_cast<std::size_t>(count / 2));
  const io::DataLabel label = label_of(request.stage, "pairs");
  read_values(request.stage, "pairs", [&] {
    dispatch(source->type(), [&](auto zero) {
      std::vector<decltype(zero)> values(static_cast<std::size_t>(count));
      read_watched(*source, values.data(), label.array, request.watch);
      for (std::size_t at = 0; at < values.size(); ++at) {
        const PairSide& side = at % 2 == 0 ? sides.rows : sides.columns;
        const auto item = index_of(values[at], side.count());
        const auto index = static_cast<std::int64_t>(at);
        if (!item) {
          label.fail(*source, shape.rank() == 1 ? Extents{index} : Extents{index / 2, index % 2},
                     std::to_string(values[at]) + " is no index of the " + counted(side.count(), "item") +
                         " of the " + side.axis + "s, from 0");
        }
        pairs[at / 2][at % 2] = *item;
      }
    });
  });
  return Entries(std::move(pairs));
}

}  // namespace

std::int64_t Entries::count() const {
  if (kind_ == Kind::given) return static_cast<std::int64_t>(given_->size());
  if (kind_ == Kind::upper) return rows_ * (rows_ - 1) / 2;
  return kind_ == Kind::same ? rows_ : rows_ * columns_;
}

ItemPair Entries::pair(std::int64_t entry) const {
  if (kind_ == Kind::given) return (*given_)[static_cast<std::size_t>(entry)];
  if (kind_ == Kind::same) return {entry, entry};
  if (kind_ == Kind::all) return {entry / columns_, entry % columns_};
  // The row by the root of row * (2 n - 1 - row) / 2 = entry, put right where the root is not exact.
  const double side = 2.0 * static_cast<double>(columns_) - 1;
  const double root = std::sqrt(std::max(0.0, side * side - 8.0 * static_cast<double>(entry)));
  auto row = std::clamp<std::int64_t>(static_cast<std::int64_t>((side - root) / 2), 0, columns_ - 1);
  while (row > 0 && before_row(row) > entry) --row;
  while (before_row(row + 1) <= entry) ++row;
  return {row, row + 1 + entry - before_row(row)};
}

Entries entries_of(const Request& request, const PairSides& sides) {
  const Settings& settings = request.stage.settings;
  const std::int64_t rows = sides.rows.count(), columns = sides.columns.count();
  if (!settings.has("pairs")) return {Entries::Kind::all, rows, columns};
  if (settings.holds<std::vector<std::string>>("pairs")) return listed(request, sides);
  const std::string& pairs = settings.text("pairs");
  if (pairs == "all") return {Entries::Kind::all, rows, columns};
  if (pairs == "same") {
    if (rows == columns) return {Entries::Kind::same, rows, columns};
    refuse(request.stage, "pairs",
           "`same` pairs item i of the rows with item i of the columns, and there are " + std::to_string(rows) +
               " and " + std::to_string(columns));
  }
  if (pairs == "upper") {
    if (settings.text("rows") == settings.text("columns")) return {Entries::Kind::upper, rows, columns};
    refuse(
        request.stage, "pairs",
        "`upper` pairs each item of one set with the later ones: rows and columns name the same set, and here they "
        "are '" +
            settings.text("rows") + "' and '" + settings.text("columns") + "'");
  }
  return read_from_input(request, sides);
}

}  // namespace terrace::stages
