#include <algorithm>

#include "pipeline/base/rounding.hpp"
#include "stages/wavefront/pairs/plain_pairs.hpp"
#include "stages/wavefront/pairs/task.hpp"

namespace terrace::stages {
namespace {

/// A list of pairs that count, in a finished result.
class FoundList {
 public:
  FoundList(const VerifyRequest& request, const PairsDefinition& definition)
      : definition_(definition),
        program_(definition),
        pairs_(request.dataset("pair")),
        scores_(request.dataset("score")) {
    const Extents& shape = scores_->shape();
    const bool right = shape.rank() == 1 && pairs_->shape() == Extents{shape[0], 2} &&
                       pairs_->type() == ElementType::i64 && scores_->type() == definition.spec.stored;
    if (!right) throw WrongDataset("pair", "is no list of the pairs of `score`");
  }

  Checked check(const VerifyRequest& request) const {
    const bool matrix = definition_.entries.is_matrix();
    const std::int64_t parts =
        matrix ? definition_.sides.rows.count() : ceiling(scores_->shape()[0], verified_together);
    return check_parts(request, "pair, score", {"pair", parts, matrix ? "rows" : "parts"}, [&](std::int64_t part) {
      return dispatch(definition_.spec.stored,
                      [&](auto zero) { return matrix ? row<decltype(zero)>(part) : listed<decltype(zero)>(part); });
    });
  }

 private:
  std::int64_t row_of(std::int64_t entry) const {
    std::int64_t row = 0;
    pairs_->read({{entry, 0}, {entry + 1, 1}}, &row);
    return row;
  }

  /// The first entry of that row or a later one.
  std::int64_t begin_of(std::int64_t row) const {
    std::int64_t low = 0, high = scores_->shape()[0];
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (row_of(middle) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  std::string name_of(std::int64_t row, std::int64_t column) const {
    return definition_.sides.rows.item_name(row) + " and " + definition_.sides.columns.item_name(column);
  }

  /// All columns of a row: those that count, and no others, are in the list.
  template <class T>
  std::string row(std::int64_t row) const {
    const std::int64_t begin = begin_of(row), end = begin_of(row + 1), columns = definition_.sides.columns.count();
    const auto pairs = read_box<std::int64_t>(*pairs_, {{begin, 0}, {end, 2}});
    const auto scores = read_box<T>(*scores_, {{begin}, {end}});
    std::size_t at = 0;
    for (std::int64_t first = 0; first < columns; first += verified_together) {
      const std::int64_t last = std::min(columns, first + verified_together);
      const PlainScores found = program_.compute(row, first, last);
      const auto* computed = reinterpret_cast<const T*>(found.scores.data());
      for (std::int64_t column = first; column < last; ++column) {
        const T score = computed[column - first];
        const bool counts = pairs::passes(definition_.spec, score);
        const bool listed = at < scores.size() && pairs[2 * at + 1] == column;
        if (counts != listed)
          return name_of(row, column) +
                 (listed ? ": are in the list, and do not count" : ": count, and are not in the list");
        if (!listed) continue;
        if (scores[at] != score) return difference(row, column, scores[at], score);
        ++at;
      }
    }
    return at == scores.size() ? "" : "row " + std::to_string(row) + " has more entries than columns";
  }

  /// Entries of a list: they count, and have these scores.
  template <class T>
  std::string listed(std::int64_t part) const {
    const std::int64_t begin = part * verified_together,
                       end = std::min(scores_->shape()[0], begin + verified_together);
    const auto pairs = read_box<std::int64_t>(*pairs_, {{begin, 0}, {end, 2}});
    const auto scores = read_box<T>(*scores_, {{begin}, {end}});
    for (std::size_t at = 0; at < scores.size(); ++at) {
      const std::int64_t row = pairs[2 * at], column = pairs[2 * at + 1];
      const bool there = row >= 0 && row < definition_.sides.rows.count() && column >= 0 &&
                         column < definition_.sides.columns.count();
      if (!there) return "entry " + std::to_string(begin + static_cast<std::int64_t>(at)) + " is no pair of the sets";
      const PlainScores found = program_.compute(row, column, column + 1);
      const T score = *reinterpret_cast<const T*>(found.scores.data());
      if (!pairs::passes(definition_.spec, score))
        return name_of(row, column) + ": are in the list, and do not count";
      if (scores[at] != score) return difference(row, column, scores[at], score);
    }
    return "";
  }

  template <class T>
  std::string difference(std::int64_t row, std::int64_t column, T stored, T computed) const {
    return "of " + name_of(row, column) + ": " + text_of(stored) + " is stored, " + text_of(computed) +
           " was computed";
  }

  const PairsDefinition& definition_;
  PlainPairs program_;
  std::shared_ptr<io::Source> pairs_, scores_;
};

}  // namespace

Checked verify_found(const VerifyRequest& request, const PairsDefinition& definition) {
  return FoundList(request, definition).check(request);
}

}  // namespace terrace::stages
