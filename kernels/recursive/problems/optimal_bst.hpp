// The search tree that is cheapest on average.
#pragma once

#include "kernels/recursive/interval_rules.hpp"
#include "kernels/recursive/problem.hpp"

namespace terrace::recursive {

inline constexpr Parameter optimal_bst_parameters[] = {
    {"keys", ParameterKind::array, "how often each key is looked for"},
    {"gaps", ParameterKind::array,
     "how often what lies before the first key, between two, and behind the last one is looked for: one more number "
     "than keys; left out: never",
     ""},
};

/// e(i, j) <- w(i, j) + min over i < k < j of e(i, k) + e(k, j), where w is the sum of the gaps i .. j - 1 and the
/// keys between them, and e(i, i + 1) is gap i (Knuth 1971; Cormen et al., "Introduction to Algorithms", whose e[i +
/// 1, j] is e(i, j + 1) here).
struct OptimalBst {
  static constexpr const char* name = "optimal_bst";
  static constexpr const char* help =
      "the binary search tree that finds keys, and gaps between them, with the least cost on average";
  static constexpr Form form = Form::intervals;
  static constexpr ParameterList parameters{optimal_bst_parameters, 2};
  using Rule = SearchTreeRule;
};

}  // namespace terrace::recursive
