// The most pairs of bases of an RNA sequence that do not cross.
#pragma once

#include "kernels/recursive/interval_rules.hpp"
#include "kernels/recursive/problem.hpp"

namespace terrace::recursive {

inline constexpr Parameter nussinov_parameters[] = {
    {"sequence", ParameterKind::array, "letters; A pairs with U (or T), C with G; case does not matter"},
    {"minimum_loop", ParameterKind::integer, "bases between two that pair, at least", "3", nullptr, 0, 1e9},
    {"wobble", ParameterKind::flag, "whether G pairs with U, too", "true"},
};

/// n(i, j) <- max of n(i + 1, j - 1) + 1, if bases i and j - 1 pair, and of n(i, k) + n(k, j) over i < k < j
/// (Nussinov et al. 1978).
struct Nussinov {
  static constexpr const char* name = "nussinov";
  static constexpr const char* help = "the most pairs of bases of an RNA sequence that do not cross";
  static constexpr Form form = Form::intervals;
  static constexpr ParameterList parameters{nussinov_parameters, 3};
  using Rule = PairingRule;
};

}  // namespace terrace::recursive
