// The list of wavefront problems as types.
#pragma once

#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/problems/dtw.hpp"
#include "kernels/wavefront/problems/edit_distance.hpp"
#include "kernels/wavefront/problems/integral_histogram.hpp"
#include "kernels/wavefront/problems/lcs.hpp"
#include "kernels/wavefront/problems/needleman_wunsch.hpp"
#include "kernels/wavefront/problems/smith_waterman.hpp"
#include "kernels/wavefront/problems/summed_area.hpp"

namespace terrace::wavefront {

template <class... Ps>
struct ProblemList {};

/// Every problem, variants of one name one after another.
using Problems = ProblemList<SmithWatermanAffine, SmithWatermanLinear, SmithWatermanAffineMatrix,
                             SmithWatermanLinearMatrix, NeedlemanWunschAffine, NeedlemanWunschLinear,
                             NeedlemanWunschAffineMatrix, NeedlemanWunschLinearMatrix, EditDistance, Lcs,
                             DtwAbsolute1, DtwAbsolute2, DtwSquared1, DtwSquared2, SummedArea, IntegralHistogram>;

template <class P, class Q>
inline constexpr bool same_problem = false;
template <class P>
inline constexpr bool same_problem<P, P> = true;

/// The number of P in the list, from 0.
template <class P, class... Ps>
constexpr int problem_index(ProblemList<Ps...>) {
  int index = 0;
  (void)((same_problem<P, Ps> ? false : (++index, true)) && ...);
  return index;
}

/// The length of the list.
template <class... Ps>
constexpr int problem_count(ProblemList<Ps...>) {
  return sizeof...(Ps);
}

}  // namespace terrace::wavefront
