#include "stages/wavefront/pairs/sides.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/near_name.hpp"
#include "stages/refuse.hpp"
#include "stages/wavefront/series.hpp"
#include "stages/wavefront/stage.hpp"

namespace terrace::stages {
namespace {

PairSide side_of(const Request& request, const std::string& parameter, const char* axis,
                 std::shared_ptr<io::Source> source) {
  PairSide side{axis, std::move(source), request.array(request.stage.settings.text(parameter))->items(), false};
  if (side.items) return side;
  side.single = true;
  const std::int64_t length = side.source->shape()[0];
  side.items = std::make_shared<io::ItemSet>(std::vector<std::int64_t>{0, length}, io::NodeNames(0, 1));
  return side;
}

/// Refuses series without values.
void check_lengths(const Request& request, const std::string& parameter, const PairSide& side) {
  for (std::int64_t item = 0; item < side.count(); ++item) {
    if (side.items->length(item) > 0) continue;
    const std::string what = side.single
                                 ? "'" + request.stage.settings.text(parameter) + "'"
                                 : side.item_name(item) + " of '" + request.stage.settings.text(parameter) + "'";
    refuse(request.stage, parameter, what + " is empty: there is nothing to warp");
  }
}

}  // namespace

std::int64_t PairSide::longest(std::int64_t most) const {
  std::int64_t longest = 0;
  for (std::int64_t item = 0; item < count(); ++item) {
    if (items->length(item) <= most) longest = std::max(longest, items->length(item));
  }
  return longest;
}

bool reads_sets(const Settings& settings, const std::function<const io::Source*(const std::string&)>& input) {
  if (!settings.has("rows") || !settings.has("columns")) return false;
  const auto is_set = [&](const char* side) {
    const io::Source* source = input(settings.text(side));
    return source != nullptr && source->items() != nullptr;
  };
  return is_set("rows") || is_set("columns");
}

bool reads_sets(const Request& request) {
  std::shared_ptr<io::Source> source;
  return reads_sets(request.stage.settings, [&](const std::string& name) {
    source = request.array(name);
    return source.get();
  });
}

PairSides open_sides(const Request& request, pairs::PairsSpec& spec) {
  PairSides sides;
  const bool values = spec.description->items == wavefront::Items::values;
  if (values) {
    SeriesPair series = open_values(request, spec.settings, spec.value);
    sides.rows = side_of(request, "rows", "row", std::move(series.rows));
    sides.columns = side_of(request, "columns", "column", std::move(series.columns));
    check_lengths(request, "rows", sides.rows);
    check_lengths(request, "columns", sides.columns);
  } else {
    SequencePair sequences = open_sequences(request);
    sides.rows = side_of(request, "rows", "row", std::move(sequences.rows));
    sides.columns = side_of(request, "columns", "column", std::move(sequences.columns));
    sides.letters = std::move(sequences.letters);
  }
  spec.longest_row = sides.rows.longest();
  spec.longest_column = sides.columns.longest();
  return sides;
}

}  // namespace terrace::stages
