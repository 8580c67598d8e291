// Rows of a value on the CPU.
#pragma once

#include "kernels/graph/rows.hpp"

namespace terrace::graph {

/// Rows of a value, one after another in the order of their numbers in `rows`.
template <class T>
struct StoredRows {
  const Rows* rows = nullptr;
  T* data = nullptr;
  i64 columns = 0;

  T* row(i64 at) const { return data + rows->number_of(at) * columns; }
};

}  // namespace terrace::graph
