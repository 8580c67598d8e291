// The best scores of a row.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/pairs/kept.hpp"

namespace terrace::pairs {

/// A column with its score.
template <class T>
struct Hit {
  T score;
  i64 column;
};

/// Keeps the best hits of rows, in memory that it uses again.
template <class T>
class BestHits {
 public:
  explicit BestHits(const KeptSpec& spec) : spec_(spec) {}

  /// Merges the scores of columns [first_column, first_column + columns) into the hits of a row.
  /// @param hits, scores of the row, KeptSpec::best of them @param begins they hold none yet
  void merge(const T* found, i64 columns, i64 first_column, i64* hits, T* scores, bool begins) {
    found_.clear();
    for (i64 at = 0; at < columns; ++at) {
      if (passes(spec_, found[at])) found_.push_back({found[at], first_column + at});
    }
    const auto before = [least = spec_.least](const Hit<T>& a, const Hit<T>& b) {
      if (a.score != b.score) return least ? a.score < b.score : a.score > b.score;
      return a.column < b.column;
    };
    if (std::ssize(found_) > spec_.best) {
      std::nth_element(found_.begin(), found_.begin() + spec_.best, found_.end(), before);
      found_.resize(static_cast<std::size_t>(spec_.best));
    }
    std::sort(found_.begin(), found_.end(), before);
    earlier_.clear();
    for (i64 at = 0; !begins && at < spec_.best && hits[at] != no_hit; ++at)
      earlier_.push_back({scores[at], hits[at]});
    merged_.resize(found_.size() + earlier_.size());
    std::merge(earlier_.begin(), earlier_.end(), found_.begin(), found_.end(), merged_.begin(), before);
    for (i64 at = 0; at < spec_.best; ++at) {
      const bool is_hit = at < std::ssize(merged_);
      hits[at] = is_hit ? merged_[static_cast<std::size_t>(at)].column : no_hit;
      scores[at] = is_hit ? merged_[static_cast<std::size_t>(at)].score : no_score();
    }
  }

  /// The score beside no hit.
  static constexpr T no_score() {
    return std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T{};
  }

 private:
  const KeptSpec& spec_;
  std::vector<Hit<T>> found_, earlier_, merged_;
};

}  // namespace terrace::pairs
