// Grids of a stencil in memory.
#pragma once

#include <vector>

namespace terrace::stencil {

/// Whole grids, or boxes of them: values of each field, and of each constant array, row-major.
template <class T>
struct Grids {
  std::vector<std::vector<T>> fields, arrays;
};

}  // namespace terrace::stencil
