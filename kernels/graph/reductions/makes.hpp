// The kinds of results of reductions.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::graph {

enum class Makes : device::i32 {
  number,    // f64
  counts,    // a list of i64
  positions  // a list of rows and columns, i64
};

}  // namespace terrace::graph
