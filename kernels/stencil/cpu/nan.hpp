// The search for NaN in the rows that come in.
#pragma once

#include "kernels/device/thread_pool.hpp"
#include "kernels/stencil/task.hpp"

namespace terrace::stencil {

/// Finds the first NaN in rows [task.row_begin, task.row_end) of fields, then of arrays, then by row and index, and
/// reports it.
template <class T>
void find_nan(const StencilTask& task, int fields, int arrays, i64 width, device::ThreadPool& pool,
              StencilResult& result);

extern template void find_nan<float>(const StencilTask&, int, int, i64, device::ThreadPool&, StencilResult&);
extern template void find_nan<double>(const StencilTask&, int, int, i64, device::ThreadPool&, StencilResult&);

}  // namespace terrace::stencil
