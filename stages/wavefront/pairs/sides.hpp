// The two sides of pairs: sets of sequences or series, or one of them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "io/item_set.hpp"
#include "io/source.hpp"
#include "kernels/pairs/spec.hpp"
#include "stages/stage_kind.hpp"
#include "stages/wavefront/counted_letters.hpp"

namespace terrace::stages {

/// The items of one side.
struct PairSide {
  std::string axis;                    // of results: "row", "column"
  std::shared_ptr<io::Source> source;  // codes of letters or values, of all items one after another
  std::shared_ptr<const io::ItemSet> items;
  bool single = false;  // one sequence or series, no set: results have no axis for it

  std::int64_t count() const { return items->count(); }
  std::int64_t longest() const { return longest(std::numeric_limits<std::int64_t>::max()); }
  /// The same of the items of at most `most` elements.
  std::int64_t longest(std::int64_t most) const;
  /// The name of an item for people: "'chr1'", "item 3".
  std::string item_name(std::int64_t item) const { return items->item_name(item); }
};

struct PairSides {
  PairSide rows, columns;
  LetterCounts letters;  // of these, sequences whose letters are counted as they are read
};

/// True if a side of the step is a set.
bool reads_sets(const Request& request);
/// The same. @param input as that of StageKind::deals
bool reads_sets(const Settings& settings, const std::function<const io::Source*(const std::string&)>& input);

/// Opens both sides. @param spec problem, settings and description are read; the type of values is chosen
/// @throws JobError at the place of a side that the problem does not take
PairSides open_sides(const Request& request, pairs::PairsSpec& spec);

}  // namespace terrace::stages
