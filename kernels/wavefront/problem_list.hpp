// The list of wavefront problems as types.
#pragma once

#include "kernels/values/type_list.hpp"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/problems/dtw.hpp"
#include "kernels/wavefront/problems/edit_distance.hpp"
#include "kernels/wavefront/problems/integral_histogram.hpp"
#include "kernels/wavefront/problems/lcs.hpp"
#include "kernels/wavefront/problems/needleman_wunsch.hpp"
#include "kernels/wavefront/problems/smith_waterman.hpp"
#include "kernels/wavefront/problems/summed_area.hpp"

namespace terrace::wavefront {

/// Every problem, variants of one name one after another.
using Problems =
    TypeList<SmithWatermanAffine, SmithWatermanLinear, SmithWatermanAffineMatrix, SmithWatermanLinearMatrix,
             NeedlemanWunschAffine, NeedlemanWunschLinear, NeedlemanWunschAffineMatrix, NeedlemanWunschLinearMatrix,
             EditDistance, Lcs, DtwAbsolute1, DtwAbsolute2, DtwSquared1, DtwSquared2, SummedArea, IntegralHistogram>;

}  // namespace terrace::wavefront
