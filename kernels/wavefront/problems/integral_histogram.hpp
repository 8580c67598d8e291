// Integral histogram: for each bin the inclusive count of the grid values above and to the left that lie in it.
#pragma once

#include "kernels/wavefront/problems/summed_area.hpp"

namespace terrace::wavefront {

inline constexpr Parameter integral_histogram_parameters[] = {
    {"bins", ParameterKind::integer, "number of bins, all equally wide", nullptr, nullptr, 1, 1 << 20},
    {"range", ParameterKind::numbers,
     "lower end of the first bin and upper end of the last; values outside are not counted; grids of 8 and 16 bits "
     "need none: u8 has [0, 256]",
     ""},
};

/// One summed-area table per bin, a layer, of a grid that is 1 if the value lies in the bin and 0 elsewhere: a
/// block's BlockTask::keys are the values of its bin. Bins are those of numpy.histogram (bins.hpp): half-open, the
/// last closed. (Porikli, "Integral histogram", CVPR 2005.)
struct IntegralHistogram : SummedArea {
  static constexpr const char* name = "integral_histogram";
  static constexpr const char* help = "number of grid values above and to the left, inclusive, in each bin";
  static constexpr bool counts = true;
  static constexpr ParameterList parameters{integral_histogram_parameters, 2};

  /// Counts fit their type: it is chosen from the extents.
  template <class Reader>
  static constexpr Constants<i64> constants(const Reader&) {
    return {1};
  }
};

}  // namespace terrace::wavefront
