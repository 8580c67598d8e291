// The arguments of cells of a formula that are compiled at run time.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::graph {

/// Cells of a row. Each row that is read, and each of a result, has the address of its cell 0, which need not be
/// there.
template <class T>
struct CellsCall {
  const T* const* rows_read;
  T* const* results;
  device::i64 begin, end;     // cells
  device::i64 row, column;    // indices of the cell 0
  device::i64 rows, columns;  // of the array
};

template <class T>
using MakeCells = void (*)(const CellsCall<T>&);

}  // namespace terrace::graph
