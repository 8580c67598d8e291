#include "kernels/wavefront/greedy_score.hpp"

#include <algorithm>
#include <vector>

#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {
namespace {

using Letters = std::span<const std::uint8_t>;

constexpr std::size_t word_letters = measured::GreedyScore::word_letters;
constexpr std::size_t most_words = measured::GreedyScore::most_words;

/// A direction in two sequences: forwards from a place, or backwards from before it.
struct Way {
  const std::uint8_t *rows, *columns;  // the place
  i64 rows_left, columns_left;
  bool backwards;

  /// Number of equal letters after row i and column j of the way.
  i64 equal_behind(i64 i, i64 j) const {
    const i64 most = std::min(rows_left - i, columns_left - j);
    i64 equal = 0;
    while (equal < most && rows[at(i + equal)] == columns[at(j + equal)]) ++equal;
    return equal;
  }

 private:
  i64 at(i64 letter) const { return backwards ? -1 - letter : letter; }
};

/// Length of an alignment's extension, and a lower bound on twice its best score on the way.
struct Walk {
  i64 best, letters;  // of rows and columns together
  i64 steps;          // letters and diagonals that were looked at
};

/// Extends along a way by edits: on each diagonal as far as so many edits reach (Myers 1986), on diagonals that are
/// not far behind. Only the number of edits is known; each is charged with the higher cost of a substitution and a
/// gap of its own.
class Walker {
 public:
  /// @param match, mismatch score of a pair of letters @param gap cost of a gap of one letter
  Walker(i64 match, i64 mismatch, i64 gap)
      : match_(match), edit_(std::max(2 * (match - mismatch), match + 2 * gap)) {}

  Walk walk(const Way& way, i64 most_steps) {
    Walk walk{0, 0, 0};
    lowest_ = 0;
    rows_.assign(1, way.equal_behind(0, 0));
    for (i64 edits = 0; walk.steps < most_steps; ++edits) {
      const i64 letters = furthest(), score = match_ * letters - edits * edit_;
      walk.letters = std::max(walk.letters, letters);
      walk.best = std::max(walk.best, score);
      if (rows_.empty() || walk.best - score > edit_ * edits_behind(walk.letters)) break;
      leave_behind(letters - most_behind);
      walk.steps += static_cast<i64>(rows_.size());
      edit(way);
    }
    walk.steps += walk.letters;
    return walk;
  }
  i64 match() const { return match_; }

 private:
  /// Number of edits without equal letters between them that ends an alignment of `letters` letters.
  static i64 edits_behind(i64 letters) { return std::min<i64>(400, 20 + letters / 64); }
  static constexpr i64 most_behind = measured::GreedyScore::most_behind;
  static constexpr i64 nowhere = -1;

  /// Letters of rows and columns up to the furthest place on the diagonal at `at`.
  i64 letters_at(std::size_t at) const { return 2 * rows_[at] - (lowest_ + static_cast<i64>(at)); }
  i64 furthest() const {
    i64 most = 0;
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      if (rows_[at] != nowhere) most = std::max(most, letters_at(at));
    }
    return most;
  }
  void leave_behind(i64 least) {
    const auto is_behind = [&](std::size_t at) { return rows_[at] == nowhere || letters_at(at) < least; };
    while (!rows_.empty() && is_behind(rows_.size() - 1)) rows_.pop_back();
    std::size_t behind = 0;
    while (behind < rows_.size() && is_behind(behind)) ++behind;
    rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(behind));
    lowest_ += static_cast<i64>(behind);
  }
  /// One more edit, and the equal letters after it. Diagonals that leave the sequences end.
  void edit(const Way& way) {
    const auto before = [&](i64 diagonal) {
      const i64 at = diagonal - lowest_;
      return at >= 0 && at < static_cast<i64>(rows_.size()) ? rows_[static_cast<std::size_t>(at)] : nowhere;
    };
    next_.clear();
    for (i64 diagonal = lowest_ - 1; diagonal <= lowest_ + static_cast<i64>(rows_.size()); ++diagonal) {
      const i64 pair = before(diagonal), row = before(diagonal - 1);
      const i64 i =
          std::max({before(diagonal + 1), pair == nowhere ? nowhere : pair + 1, row == nowhere ? nowhere : row + 1});
      const bool stays = i != nowhere && i <= way.rows_left && i - diagonal <= way.columns_left;
      next_.push_back(stays ? i + way.equal_behind(i, i - diagonal) : nowhere);
    }
    rows_.swap(next_);
    --lowest_;
  }

  i64 match_, edit_;       // score of a pair of equal letters; twice the cost of an edit
  std::vector<i64> rows_;  // of each diagonal (row minus column) from the lowest on, its furthest row
  std::vector<i64> next_;
  i64 lowest_ = 0;
};

/// A hash of a word that moves along a sequence.
class WordHash {
 public:
  explicit WordHash(const std::uint8_t* letters) {
    for (std::size_t i = 1; i < word_letters; ++i) leaving_ *= factor;
    for (std::size_t i = 0; i < word_letters; ++i) add(letters[i]);
  }
  /// Moves from the word that begins with `first` to the word that ends with `next`.
  void move(std::uint8_t first, std::uint8_t next) {
    value_ -= (first + 1u) * leaving_;
    add(next);
  }
  /// Below 2^bits.
  template <int bits>
  std::size_t slot() const {
    return (value_ * 0x9E3779B1u) >> (32 - bits);
  }

 private:
  static constexpr std::uint32_t factor = 0x01000193u;
  void add(std::uint8_t letter) { value_ = value_ * factor + letter + 1u; }

  std::uint32_t value_ = 0, leaving_ = 1;
};

/// Words from all over the rows.
class Words {
 public:
  explicit Words(Letters rows) : rows_(rows), places_(std::size_t{1} << bits, none) {
    const std::size_t words = rows.size() - word_letters + 1, every = (words + most_words - 1) / most_words;
    for (std::size_t i = 0; i < words; i += every) {
      std::size_t& place = places_[WordHash(rows.data() + i).slot<bits>()];
      if (place == none) place = i;
    }
  }
  static constexpr std::size_t none = ~std::size_t{0};

  /// Place in the rows of the word with this hash; none: no known place.
  std::size_t find(const WordHash& hash, const std::uint8_t* word) const {
    const std::size_t place = places_[hash.slot<bits>()];
    if (place == none || !std::equal(word, word + word_letters, rows_.data() + place)) return none;
    return place;
  }

 private:
  static constexpr int bits = 16;
  Letters rows_;
  std::vector<std::size_t> places_;
};

std::int64_t greedy_score(Walker& walker, Letters rows, Letters columns) {
  if (rows.size() < word_letters || columns.size() < word_letters) return 0;
  const Words words(rows);
  const auto height = static_cast<i64>(rows.size()), width = static_cast<i64>(columns.size());
  constexpr auto word = static_cast<i64>(word_letters);
  i64 best = 0, walked_until = 0;
  i64 steps_left = 2 * (height + width);  // repeats are not walked again and again
  WordHash hash(columns.data());
  for (i64 j = 0; j + word <= width && steps_left > 0; ++j) {
    const std::uint8_t* letters = columns.data() + j;
    if (j > 0) hash.move(letters[-1], letters[word - 1]);
    if (j < walked_until) continue;
    const std::size_t found = words.find(hash, letters);
    if (found == Words::none) continue;
    const auto i = static_cast<i64>(found);
    const Walk after =
        walker.walk({rows.data() + i + word, letters + word, height - i - word, width - j - word, false}, steps_left);
    const Walk before = walker.walk({rows.data() + i, letters, i, j, true}, steps_left);
    best = std::max(best, (before.best + after.best) / 2 + word * walker.match());
    walked_until = j + word + after.letters / 2;
    steps_left -= after.steps + before.steps;
  }
  return best;
}

}  // namespace

bool has_greedy_score(const std::string& problem, const Settings& settings) {
  return describe(problem, settings)->greedy.has_value();
}

std::int64_t greedy_score(const Description& problem, Letters rows, Letters columns) {
  if (!problem.greedy) return 0;
  const EqualScores& scores = *problem.greedy;
  // Twice a score, and what the edits on a walk take from it, stay below 2^62.
  const i64 most = (i64{1} << 58) / static_cast<i64>(rows.size() + columns.size() + 1000);
  const bool fits =
      magnitude(scores.match) <= most && magnitude(scores.mismatch) <= most && magnitude(scores.gap) <= most;
  if (!fits || scores.match <= 0 || scores.mismatch > 0) return 0;
  Walker walker(scores.match, scores.mismatch, scores.gap);
  return greedy_score(walker, rows, columns);
}

std::int64_t greedy_score(const std::string& problem, const Settings& settings, Letters rows, Letters columns) {
  return greedy_score(*describe(problem, settings), rows, columns);
}

}  // namespace terrace::wavefront
