#include "io/row_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "io/held_source.hpp"
#include "io/input_file.hpp"
#include "io/item_set.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t elements_at_once = std::int64_t{1} << 22;  // elements

/// Rows, or their beginnings, one after another.
class RowSet : public HeldSource {
 public:
  RowSet(std::shared_ptr<Source> table, std::vector<std::int64_t> begin)
      : table_(std::move(table)),
        items_(std::make_shared<ItemSet>(std::move(begin), NodeNames(0, table_->shape()[0]))),
        shape_{items_->begin(items_->count())} {}

  ElementType type() const override { return table_->type(); }
  const Extents& shape() const override { return shape_; }
  std::vector<std::filesystem::path> files() const override { return table_->files(); }
  std::string place_of(const Extents& index) const override { return table_->place_of(place_in_table(index[0])); }
  bool truths() const override { return table_->truths(); }
  int results() const override { return table_->results(); }
  std::optional<ChangedDefault> changed_default() const override { return table_->changed_default(); }
  std::size_t memory() const override { return table_->memory() + items_->memory(); }
  std::optional<KnownRange> known_range() const override { return table_->known_range(); }
  std::shared_ptr<const Packing> packing() const override { return table_->packing(); }
  std::shared_ptr<const ItemSet> items() const override { return items_; }
  std::optional<std::uint64_t> content() const override { return held_content(*table_); }

  void read(const Box& box, void* buffer) override {
    auto* to = static_cast<std::byte*>(buffer);
    const std::int64_t width = table_->shape()[1];
    for (std::int64_t at = box.begin[0]; at < box.end[0];) {
      const std::int64_t row = items_->item_of(at), first = at - items_->begin(row);
      // Whole rows that follow one another are read together.
      std::int64_t rows = 1;
      while (first == 0 && items_->length(row + rows - 1) == width && at + rows * width < box.end[0] &&
             at + (rows + 1) * width <= box.end[0] && items_->length(row + rows) == width) {
        ++rows;
      }
      const std::int64_t last = std::min(items_->length(row), first + box.end[0] - at);
      const Box part = rows > 1 ? Box{{row, 0}, {row + rows, width}} : Box{{row, first}, {row + 1, last}};
      table_->read(part, to);
      to += static_cast<std::size_t>(part.volume()) * size_of(type());
      at += part.volume();
    }
  }

 private:
  Extents place_in_table(std::int64_t element) const {
    const std::int64_t row = items_->item_of(element);
    return {row, element - items_->begin(row)};
  }

  std::shared_ptr<Source> table_;
  std::shared_ptr<const ItemSet> items_;
  Extents shape_;
};

/// The length of a row without the NaN at its end.
template <class T>
std::int64_t length_before_nan(const T* row, std::int64_t width) {
  while (width > 0 && std::isnan(row[width - 1])) --width;
  return width;
}

/// Adds the ends of all rows without the NaN there.
template <class T>
void add_ends(Source& table, std::vector<std::int64_t>& begin) {
  const std::int64_t rows = table.shape()[0], width = std::max<std::int64_t>(1, table.shape()[1]);
  const std::int64_t together = std::max<std::int64_t>(1, elements_at_once / width);
  std::vector<T> values;
  for (std::int64_t row = 0; row < rows; row += together) {
    const Box box{{row, 0}, {std::min(rows, row + together), table.shape()[1]}};
    values.resize(static_cast<std::size_t>(box.volume()));
    table.read(box, values.data());
    for (std::int64_t at = 0; at < box.end[0] - row; ++at) {
      begin.push_back(begin.back() + length_before_nan(values.data() + at * table.shape()[1], table.shape()[1]));
    }
  }
}

std::vector<std::int64_t> begins_of(Source& table, const Settings& settings) {
  std::vector<std::int64_t> begin{0};
  if (!settings.has("end")) {
    for (std::int64_t row = 0; row < table.shape()[0]; ++row) begin.push_back(begin.back() + table.shape()[1]);
    return begin;
  }
  if (!is_floating(table.type())) {
    fail_setting(settings, "end",
                 "end: the array is of " + std::string(name_of(table.type())) +
                     ", which has no NaN: leave `end` out, or give the series as f32 or f64");
  }
  if (table.type() == ElementType::f32) add_ends<float>(table, begin);
  else add_ends<double>(table, begin);
  return begin;
}

}  // namespace

std::span<const Parameter> row_set_parameters() {
  static constexpr std::array<Parameter, 2> parameters{
      {{"each", ParameterKind::choice, "of two dimensions: a set of series, one a row, for stages that take sets", "",
        "row"},
       {"end", ParameterKind::choice, "with each: row: a row ends before the NaN at its end", "", "nan"}}};
  return parameters;
}

std::shared_ptr<Source> with_rows_as_set(std::shared_ptr<Source> source, const Settings& settings) {
  if (!settings.has("each")) {
    if (settings.has("end")) fail_setting(settings, "end", "end: say `each: row`, too: rows end there");
    return source;
  }
  if (source->element_names())
    fail_setting(settings, "each", "each: the array is of texts, and series are of numbers");
  const Extents& shape = source->shape();
  if (shape.rank() != 2) {
    fail_setting(settings, "each",
                 "each: a set of series is made of the rows of an array of two dimensions, and this one has " +
                     counted(shape.rank(), "dimension"));
  }
  if (shape[0] == 0) fail_setting(settings, "each", "each: the array has no rows: a set has at least one item");
  std::vector<std::int64_t> begin = begins_of(*source, settings);
  return std::make_shared<RowSet>(std::move(source), std::move(begin));
}

}  // namespace terrace::io
