// Nests run as they are written: programs loop by loop, equations element by element as they are needed. Knows
// nothing of distances, skews and blocks; everything else is compared with it.
#pragma once

#include <vector>

#include "kernels/nest/elements.hpp"

namespace terrace::nest {

/// The results of a nest.
struct Made {
  std::vector<std::vector<Word>> arrays;  // the elements of each array's box, row-major
  NestFailure failure{};                  // of the first cell that has no value
};

/// Row-major views of whole inputs.
std::vector<InputView> whole_views(const Nest& nest, const std::vector<const void*>& inputs);

/// @param inputs the elements of each, row-major @throws Error if equations need one another
Made run_as_written(const Nest& nest, const std::vector<const void*>& inputs);

}  // namespace terrace::nest
