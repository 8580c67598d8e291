#include "stages/wavefront/pairs/definition.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>

#include "kernels/pairs/sweeps.hpp"
#include "stages/refuse.hpp"
#include "stages/wavefront/matrix.hpp"
#include "stages/wavefront/pairs/cells.hpp"
#include "stages/wavefront/stage.hpp"

namespace terrace::stages {
namespace {

using pairs::KeptSpec;
using pairs::PairsSpec;

/// Refuses what sets do not take.
void check_settings(const Request& request) {
  const Settings& settings = request.stage.settings;
  const std::string& keep = settings.text("keep");
  if (keep == "table" || keep == "borders") {
    refuse(request.stage, "keep",
           "`keep: " + keep +
               "` is of one table, and every pair of sets has its own: take one pair in a stage of its "
               "own, or leave `keep` out");
  }
  if (settings.text("schedule") != "auto") {
    refuse(request.stage, "schedule", "pairs of sets have one schedule: leave it out, or say `auto`");
  }
}

/// Refuses items of more letters than ends count.
void check_longest(const Request& request, const PairsSpec& spec) {
  const auto check = [&](const char* parameter, std::int64_t longest) {
    if (longest <= std::numeric_limits<std::int32_t>::max()) return;
    refuse(request.stage, parameter,
           "an item of " + std::to_string(longest) +
               " elements is too long for a set: items have at most 2^31 - 1; "
               "compare it in a stage of its own");
  };
  check("rows", spec.longest_row);
  check("columns", spec.longest_column);
}

/// Refuses a window that holds no path of some pair.
void check_window(const Request& request, const PairSides& sides) {
  const auto window = request.stage.settings.find<std::int64_t>("window");
  if (!window) return;
  const auto extreme = [](const PairSide& side, auto before) {
    std::int64_t found = 0;
    for (std::int64_t item = 1; item < side.count(); ++item) {
      if (before(side.items->length(item), side.items->length(found))) found = item;
    }
    return found;
  };
  const auto look = [&](std::int64_t row, std::int64_t column) {
    const std::int64_t apart = std::abs(sides.rows.items->length(row) - sides.columns.items->length(column));
    if (*window >= apart) return;
    refuse(request.stage, "window",
           "a window of " + std::to_string(*window) + " holds no path between " + sides.rows.item_name(row) +
               " and " + sides.columns.item_name(column) + ", of " + std::to_string(sides.rows.items->length(row)) +
               " and " + std::to_string(sides.columns.items->length(column)) + " values: it must be at least " +
               std::to_string(apart));
  };
  look(extreme(sides.rows, std::less<>()), extreme(sides.columns, std::greater<>()));
  look(extreme(sides.rows, std::greater<>()), extreme(sides.columns, std::less<>()));
}

/// Types of scores, and of what is stored of them.
void choose_types(const Request& request, KeptSpec& spec) {
  PairsSpec& pairs = spec.pairs;
  if (pairs.description->items == wavefront::Items::values) {
    spec.stored = pairs.value;
    return;
  }
  const std::string& type = request.stage.settings.text("type");
  spec.scale = pairs.description->scale;
  pairs.value = pairs::score_type(*pairs.description, pairs.longest_row, pairs.longest_column);
  spec.stored = type != "auto" ? *element_type_from(type) : spec.scale != 1 ? ElementType::f64 : ElementType::i64;
  if (spec.scale != 1 && !is_floating(spec.stored)) {
    refuse(request.stage, "type",
           "the scores have decimals, which " + type + " does not hold: say `type: f64`, or leave it out");
  }
  if (size_of(spec.stored) < size_of(pairs.value)) {
    refuse(request.stage, "type", "scores of these pairs may leave " + type + ": say `type: i64`, or leave it out");
  }
}

/// The kept scores.
void choose_kept(const Request& request, PairsDefinition& definition) {
  const Settings& settings = request.stage.settings;
  KeptSpec& spec = definition.spec;
  const bool values = spec.pairs.description->items == wavefront::Items::values;
  spec.least = values || spec.pairs.description->name == "edit_distance";
  spec.limit = settings.find<double>(spec.least ? "at_most" : "at_least");
  if (spec.least && spec.limit) spec.pairs.at_most = spec.limit;
  spec.best = settings.find<std::int64_t>("best").value_or(0);
  spec.counts = spec.limit && spec.best == 0;
  if (spec.best == 0 || definition.entries.is_matrix()) return;
  refuse(request.stage, "best",
         "`best` ranks all columns of each row, and `pairs` leaves some out: take `pairs` away, or `best`");
}

/// Refuses alignments of all pairs of a matrix, and of series.
void choose_alignments(const Request& request, PairsDefinition& definition) {
  definition.aligns = request.stage.settings.text("keep") == "alignment";
  if (!definition.aligns) return;
  const KeptSpec& spec = definition.spec;
  if (spec.pairs.description->items == wavefront::Items::values) {
    refuse(request.stage, "keep",
           "paths of series are kept of one pair alone, in a stage of its own: leave `keep` out for sets");
  }
  if (spec.best > 0 || spec.counts || !definition.entries.is_matrix()) return;
  refuse(request.stage, "keep",
         std::string("alignments of all pairs of two sets are hardly meant: say which by `best`, `") +
             (spec.least ? "at_most" : "at_least") + "` or `pairs`");
}

/// True if every pair's result has the end of its alignment.
bool finds_end(const PairsSpec& spec) {
  return spec.description->report == wavefront::Report::best ||
         (spec.description->report == wavefront::Report::ends && spec.settings.text("free_ends") != "none");
}

}  // namespace

PairsDefinition define_pairs(const Request& request) {
  check_settings(request);
  PairsDefinition definition;
  KeptSpec& spec = definition.spec;
  spec.pairs.problem = request.stage.problem;
  spec.pairs.settings = settings_with_scores(request);
  spec.pairs.description = problem_of(request, spec.pairs.settings);
  definition.sides = open_sides(request, spec.pairs);
  check_longest(request, spec.pairs);
  definition.entries = entries_of(request, definition.sides);
  check_window(request, definition.sides);
  choose_types(request, spec);
  choose_kept(request, definition);
  choose_alignments(request, definition);
  spec.pairs.ends = spec.best == 0 && !spec.counts && !definition.aligns && finds_end(spec.pairs);
  spec.pairs.rectangle = definition.entries.is_matrix();
  const auto count = static_cast<double>(std::max<std::int64_t>(1, definition.entries.count()));
  spec.pairs.pair_cells = PairCells(definition.sides, definition.entries, spec.pairs.settings).all() / count;
  definition.whole = spec.pairs;
  return definition;
}

void set_long_apart(PairsDefinition& definition) {
  constexpr std::int64_t most = pairs::most_lane_elements;
  PairsSpec& spec = definition.spec.pairs;
  if (std::max(spec.longest_row, spec.longest_column) <= most) return;
  LongPairs& apart = definition.long_pairs;
  apart = LongPairs(definition.sides.rows.items, definition.sides.columns.items, definition.entries, most);
  if (apart.count() == 0) return;
  spec.longest_row = definition.sides.rows.longest(most);
  spec.longest_column = definition.sides.columns.longest(most);
  const PairCells cells(definition.sides, definition.entries, spec.settings);
  const std::int64_t others = std::max<std::int64_t>(1, definition.entries.count() - apart.count());
  spec.pair_cells = std::max(0.0, cells.all() - cells.of_long(apart, 0, apart.count())) / static_cast<double>(others);
}

}  // namespace terrace::stages
