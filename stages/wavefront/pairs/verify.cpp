#include "stages/wavefront/pairs/verify.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "pipeline/base/rounding.hpp"
#include "stages/wavefront/pairs/plain_pairs.hpp"
#include "stages/wavefront/pairs/task.hpp"

namespace terrace::stages {
namespace {

/// The difference of stored values from computed ones, for the pairs of one row.
template <class T>
std::string difference_in(io::Source& stored, const Box& box, const T* computed, const PairSides& sides,
                          std::int64_t row, std::int64_t column, std::int64_t values) {
  const std::vector<T> there = read_box<T>(stored, box);
  for (std::size_t at = 0; at < there.size(); ++at) {
    if (std::memcmp(&there[at], &computed[at], sizeof(T)) == 0) continue;
    const std::int64_t pair = column + static_cast<std::int64_t>(at) / values;
    return "of " + sides.rows.item_name(row) + " and " + sides.columns.item_name(pair) + ": " + text_of(there[at]) +
           " is stored, " + text_of(computed[at]) + " was computed";
  }
  return "";
}

/// Datasets of a value or two a pair, and how they are checked.
class Scores {
 public:
  Scores(const VerifyRequest& request, const PairsDefinition& definition)
      : definition_(definition), program_(definition) {
    scores_ = open_dataset(request, "score", shape(1), definition.spec.stored);
    if (definition.spec.pairs.ends) ends_ = open_dataset(request, "end", shape(end_values), ElementType::i64);
  }

  Checked check(const VerifyRequest& request) const {
    const bool matrix = definition_.entries.is_matrix();
    const std::int64_t parts =
        matrix ? sides().rows.count() * parts_of_row() : ceiling(definition_.entries.count(), verified_together);
    return check_parts(request, ends_ ? "score, end" : "score", {"score", parts, matrix ? "parts of rows" : "parts"},
                       [&](std::int64_t part) { return matrix ? part_of_row(part) : part_of_list(part); });
  }

 private:
  const PairSides& sides() const { return definition_.sides; }
  std::int64_t parts_of_row() const { return ceiling(sides().columns.count(), verified_together); }
  Extents shape(std::int64_t values) const {
    if (!definition_.entries.is_matrix()) return shape_of_entries(definition_.entries.count(), values);
    return shape_of_pairs(sides(), sides().rows.count(), sides().columns.count(), values);
  }

  std::string part_of_row(std::int64_t part) const {
    const std::int64_t row = part / parts_of_row(), column = part % parts_of_row() * verified_together;
    const PairsBlock block{row, row + 1, column, std::min(sides().columns.count(), column + verified_together)};
    return difference(block, box_of_pairs(sides(), block, 1), box_of_pairs(sides(), block, end_values));
  }

  std::string part_of_list(std::int64_t part) const {
    const std::int64_t end = std::min(definition_.entries.count(), (part + 1) * verified_together);
    for (std::int64_t entry = part * verified_together; entry < end; ++entry) {
      const auto [row, column] = definition_.entries.pair(entry);
      const std::string found = difference({row, row + 1, column, column + 1}, {{entry}, {entry + 1}},
                                           {{entry, 0}, {entry + 1, end_values}});
      if (!found.empty()) return found;
    }
    return "";
  }

  /// The difference of stored pairs of one row. @param scores, ends where they lie in the datasets
  std::string difference(const PairsBlock& block, const Box& scores, const Box& ends) const {
    const PlainScores found = program_.compute(block.row_begin, block.column_begin, block.column_end);
    const std::string difference = dispatch(definition_.spec.stored, [&](auto zero) {
      using T = decltype(zero);
      const auto* computed = reinterpret_cast<const T*>(found.scores.data());
      return difference_in<T>(*scores_, scores, computed, sides(), block.row_begin, block.column_begin, 1);
    });
    if (!difference.empty() || !ends_) return difference;
    const auto* computed = reinterpret_cast<const std::int64_t*>(found.ends.data());
    return difference_in<std::int64_t>(*ends_, ends, computed, sides(), block.row_begin, block.column_begin,
                                       end_values);
  }

  const PairsDefinition& definition_;
  PlainPairs program_;
  std::shared_ptr<io::Source> scores_, ends_;
};

/// The best hits of rows.
class Hits {
 public:
  Hits(const VerifyRequest& request, const PairsDefinition& definition)
      : definition_(definition), program_(definition) {
    const Extents shape = shape_of_hits(sides(), sides().rows.count(), definition.spec.best);
    hits_ = open_dataset(request, "hit", shape, ElementType::i64);
    scores_ = open_dataset(request, "hit_score", shape, definition.spec.stored);
  }

  Checked check(const VerifyRequest& request) const {
    return check_parts(request, "hit, hit_score", {"hit", sides().rows.count(), "rows"}, [&](std::int64_t row) {
      return dispatch(definition_.spec.stored, [&](auto zero) { return difference<decltype(zero)>(row); });
    });
  }

 private:
  const PairSides& sides() const { return definition_.sides; }

  /// Scores of a row and their columns, best first, lower columns first among equal ones.
  template <class T>
  std::vector<std::pair<T, std::int64_t>> ranked(std::int64_t row) const {
    std::vector<std::pair<T, std::int64_t>> all;
    for (std::int64_t begin = 0; begin < sides().columns.count(); begin += verified_together) {
      const std::int64_t end = std::min(sides().columns.count(), begin + verified_together);
      const PlainScores found = program_.compute(row, begin, end);
      const auto* scores = reinterpret_cast<const T*>(found.scores.data());
      for (std::int64_t column = begin; column < end; ++column) {
        if (pairs::passes(definition_.spec, scores[column - begin])) all.push_back({scores[column - begin], column});
      }
    }
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return definition_.spec.least ? a.first < b.first : a.first > b.first;
    });
    return all;
  }

  template <class T>
  std::string difference(std::int64_t row) const {
    Box box = Box::whole(hits_->shape());
    if (!sides().rows.single) box.begin[0] = row, box.end[0] = row + 1;
    const std::vector<std::int64_t> hits = read_box<std::int64_t>(*hits_, box);
    const std::vector<T> scores = read_box<T>(*scores_, box);
    const auto expected = ranked<T>(row);
    for (std::size_t rank = 0; rank < hits.size(); ++rank) {
      const bool is_hit = rank < expected.size();
      const std::int64_t column = is_hit ? expected[rank].second : pairs::no_hit;
      if (hits[rank] == column && (!is_hit || scores[rank] == expected[rank].first)) continue;
      return "rank " + std::to_string(rank) + " of " + sides().rows.item_name(row) + ": column " +
             std::to_string(hits[rank]) + " with " + text_of(scores[rank]) + " is stored, column " +
             std::to_string(column) + (is_hit ? " with " + text_of(expected[rank].first) : "") + " was computed";
    }
    return "";
  }

  const PairsDefinition& definition_;
  PlainPairs program_;
  std::shared_ptr<io::Source> hits_, scores_;
};

/// Small datasets about the inputs.
void check_small(const VerifyRequest& request, const PairsDefinition& definition, std::vector<Checked>& found) {
  const std::string what = "compared with the inputs";
  for (const PairSide* side : {&definition.sides.rows, &definition.sides.columns}) {
    std::vector<std::string> lengths, names;
    for (std::int64_t item = 0; item < side->count(); ++item) {
      lengths.push_back(text_of(side->items->length(item)));
      names.push_back(side->items->names().name(item));
    }
    found.push_back(check_texts(request, side->axis + "_length", lengths, what));
    if (!side->single) found.push_back(check_texts(request, side->axis, names, what));
  }
  if (definition.entries.kind() != Entries::Kind::given || definition.spec.counts) return;
  std::vector<std::string> pairs;
  for (std::int64_t entry = 0; entry < definition.entries.count(); ++entry) {
    for (const std::int64_t item : definition.entries.pair(entry)) pairs.push_back(text_of(item));
  }
  found.push_back(check_texts(request, "pair", pairs, what));
}

}  // namespace

std::vector<Checked> verify_pairs(const VerifyRequest& request) {
  const PairsDefinition definition = define_pairs(request.request);
  std::vector<Checked> found;
  if (definition.spec.best > 0) found.push_back(Hits(request, definition).check(request));
  else if (definition.spec.counts) found.push_back(verify_found(request, definition));
  else found.push_back(Scores(request, definition).check(request));
  if (definition.aligns) found.push_back(verify_alignments(request, definition));
  check_small(request, definition, found);
  return found;
}

}  // namespace terrace::stages
