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

/// "the 3 items of the columns".
std::string items_of(const PairSide& side) {
  return "the " + counted(side.count(), "item") + " of the " + side.axis + "s";
}

/// The item that has that name, or nullopt. @throws Error without the text if several records had it
std::optional<std::int64_t> item_of_name(const std::string& text, const PairSide& side) {
  if (side.items->is_repeated(text)) {
    throw Error("is the name of several records of the " + side.axis +
                "s: give the records names of their own, or pair them by index");
  }
  return side.items->names().row_of_id(text);
}

/// The item that a text names: by its name, or where none has that name by its index. @throws Error without the text
std::int64_t item_named(const std::string& text, const PairSide& side) {
  if (const auto item = item_of_name(text, side)) return *item;
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (whole && index >= 0 && index < side.count()) return index;
  throw Error("is neither the name nor the index of one of " + items_of(side) + side.items->names().near(text));
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

/// Reads the elements of an array and gives each to a function, with its index. Errors name the element.
template <class Take>
void read_elements(const Request& request, io::Source& source, const Take& take) {
  const std::int64_t count = volume(source.shape());
  const io::DataLabel label = label_of(request.stage, "pairs");
  read_values(request.stage, "pairs", [&] {
    dispatch(source.type(), [&](auto zero) {
      std::vector<decltype(zero)> values(static_cast<std::size_t>(count));
      read_watched(source, values.data(), label.array, request.watch);
      for (std::size_t at = 0; at < values.size(); ++at) {
        try {
          take(at, values[at]);
        } catch (const Error& error) {
          const auto index = static_cast<std::int64_t>(at);
          label.fail(source, source.shape().rank() == 1 ? Extents{index} : Extents{index / 2, index % 2},
                     error.what());
        }
      }
    });
  });
}

/// The items that names say, of one side. @throws Error for names that say none, once they are asked for
class NamedItems {
 public:
  NamedItems(const io::NodeNames& names, const PairSide& side) : names_(names), side_(side) {
    items_.resize(static_cast<std::size_t>(names.count()), unknown);
  }

  std::int64_t item(std::int64_t name) {
    std::int64_t& item = items_[static_cast<std::size_t>(name)];
    if (item == unknown) item = find(names_.name(name));
    return item;
  }

 private:
  static constexpr std::int64_t unknown = -1;

  std::int64_t find(const std::string& text) const {
    std::optional<std::int64_t> item;
    try {
      item = item_of_name(text, side_);
    } catch (const Error& error) {
      throw Error(quote(text) + " " + error.what());
    }
    if (item) return *item;
    throw Error(quote(text) + " is the name of none of " + items_of(side_) + side_.items->names().near(text));
  }

  const io::NodeNames& names_;
  const PairSide& side_;
  std::vector<std::int64_t> items_;  // of each name; unknown: not asked for yet
};

Entries read_names(const Request& request, const PairSides& sides, io::Source& source) {
  const auto names = source.element_names();
  NamedItems items[] = {{*names, sides.rows}, {*names, sides.columns}};
  std::vector<ItemPair> pairs(static_cast<std::size_t>(volume(source.shape()) / 2));
  read_elements(request, source, [&](std::size_t at, auto name) {
    try {
      pairs[at / 2][at % 2] = items[at % 2].item(static_cast<std::int64_t>(name));
    } catch (const Error& error) {
      throw Error(error.what() +
                  std::string(at < 2 ? "; if the first line of a text names the columns, say `header: true` in "
                                       "the input"
                                     : ""));
    }
  });
  return Entries(std::move(pairs));
}

Entries read_indices(const Request& request, const PairSides& sides, io::Source& source) {
  std::vector<ItemPair> pairs(static_cast<std::size_t>(volume(source.shape()) / 2));
  read_elements(request, source, [&](std::size_t at, auto number) {
    const PairSide& side = at % 2 == 0 ? sides.rows : sides.columns;
    const auto item = index_of(number, side.count());
    if (!item) throw Error(std::to_string(number) + " is no index of " + items_of(side) + ", from 0");
    pairs[at / 2][at % 2] = *item;
  });
  return Entries(std::move(pairs));
}

Entries read_from_input(const Request& request, const PairSides& sides) {
  const std::string& name = request.stage.settings.text("pairs");
  const std::shared_ptr<io::Source> source = request.array(name);
  const Extents& shape = source->shape();
  const bool right = shape.rank() == 1 ? shape[0] % 2 == 0 : shape.rank() == 2 && shape[1] == 2;
  if (!right) {
    refuse(request.stage, "pairs",
           "'" + name + "' is " + to_string(shape) +
               "; give pairs as n x 2, an index or a name of the rows and one of the columns");
  }
  refuse_letters(request, "pairs", *source);
  return source->element_names() ? read_names(request, sides, *source) : read_indices(request, sides, *source);
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
