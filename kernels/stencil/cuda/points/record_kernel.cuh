// The values of receivers of a pass, from what each part has recorded to the rows of the result.
#pragma once

#include "kernels/stencil/cuda/common/lines.hpp"
#include "kernels/stencil/cuda/common/rows_kernel.cuh"
#include "kernels/stencil/cuda/points/lists.hpp"

namespace terrace::stencil {

template <class T>
struct RecordTask {
  Lines<T> to;
  RowRange times;  // rows of `to`, of a value a receiver
  PointLists<T> points;
};

template <class T>
__global__ void record_kernel(const StencilState* state, const __grid_constant__ RecordTask<T> record) {
  if (state->begun == 0) return;
  const T* traces = static_cast<const T*>(state->task.traces);
  const i64 receivers = record.points.receiver_count;
  for (i64 i = first_of_thread(); i < record.times.count() * receivers; i += threads_of_launch()) {
    const i64 time = i / receivers, receiver = i % receivers;
    const i64 part = record.points.receivers[receiver].first;
    record.to.row(record.times.begin + time, receivers)[receiver] =
        traces[(part * record.times.count() + time) * receivers + receiver];
  }
}

}  // namespace terrace::stencil
