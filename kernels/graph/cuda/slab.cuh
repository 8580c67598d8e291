// Launches the kernels around the nodes of a slab. Included by the sources that the build makes from cuda/slab.cu.in.
#pragma once

#include <algorithm>

#include "kernels/graph/cuda/launches.hpp"
#include "kernels/graph/cuda/positions_kernel.cuh"
#include "kernels/graph/cuda/reduce_kernel.cuh"
#include "kernels/graph/cuda/slab_kernel.cuh"
#include "kernels/launch/launch_overlapping.cuh"
#include "pipeline/base/element_type.hpp"

namespace terrace::graph {

template <class T>
device::Kernel<device::Port, GraphState*, u64> begin_slab() {
  return device::make_kernel(begin_slab_kernel<T>, "begin_slab_kernel");
}
template <class T>
device::Kernel<Brought<T>, T*, u32> bring_numbers() {
  return device::make_kernel(bring_numbers_kernel<T>, "bring_numbers_kernel");
}
template <class T>
device::Kernel<device::Port, const GraphState*, u64, Reduced> report_slab() {
  return device::make_kernel(report_slab_kernel<T>, "report_slab_kernel");
}

template <class T>
SlabLaunches<T>::SlabLaunches() {
  device::resident_blocks(begin_slab<T>(), 32, 0);
  device::resident_blocks(bring_numbers<T>(), number_threads, 0);
  device::resident_blocks(report_slab<T>(), 1, 0);
  begin = [](const device::Port& port, GraphState* state, u64 block, cudaStream_t stream) {
    device::launch(begin_slab<T>(), {.blocks = 1, .threads = 32, .shared_bytes = 0, .stream = stream}, port, state,
                   block);
  };
  bring = [](const std::vector<T>& numbers, T* to, cudaStream_t stream) {
    for (std::size_t first = 0; first < numbers.size(); first += most_brought) {
      const std::size_t count = std::min<std::size_t>(most_brought, numbers.size() - first);
      Brought<T> part;
      std::copy_n(numbers.data() + first, count, part.values);
      device::launch(bring_numbers<T>(),
                     {.blocks = 1, .threads = number_threads, .shared_bytes = 0, .stream = stream}, part, to + first,
                     static_cast<u32>(count));
    }
  };
  report = [](const device::Port& port, const GraphState* state, u64 block, const Reduced& reduced,
              cudaStream_t stream) {
    device::launch(report_slab<T>(), {.blocks = 1, .threads = 1, .shared_bytes = 0, .stream = stream}, port, state,
                   block, reduced);
  };
}

/// The launch of a kernel over the elements of a work.
template <void (*kernel)(Work)>
Launch copies(const char* name) {
  device::resident_blocks(device::make_kernel(kernel, name), copy_threads, 0);
  return [](const Work& work, cudaStream_t stream) {
    const i64 across = (work.columns + copy_columns - 1) / copy_columns;
    device::launch_overlapping(
        device::make_kernel(kernel, "a kernel that loads or keeps rows"),
        {.blocks = static_cast<unsigned>((work.rows.size() + copy_rows - 1) / copy_rows * across),
         .threads = copy_threads,
         .shared_bytes = 0,
         .stream = stream},
        work);
  };
}

template <class T>
Launch SlabLaunches<T>::load(ElementType stored) {
  if (stored == element_type_of<T>()) return copies<check_kernel<T>>("check_kernel");
  return dispatch(stored, [](auto zero) { return copies<load_kernel<T, decltype(zero)>>("load_kernel"); });
}

template <class T>
Launch SlabLaunches<T>::keep(ElementType stored) {
  if (stored == ElementType::u8) return copies<keep_kernel<T, std::uint8_t>>("keep_kernel");
  if (stored == ElementType::u16) return copies<keep_kernel<T, std::uint16_t>>("keep_kernel");
  if (stored == ElementType::f32) return copies<keep_kernel<T, float>>("keep_kernel");
  return copies<keep_kernel<T, double>>("keep_kernel");
}

/// Thread blocks of a reduction.
struct ReduceShape {
  i64 rows;  // of a thread block
  i64 most;  // thread blocks
  unsigned threads;
};

template <void (*kernel)(Work), ReduceShape (*shape)()>
Launch reduces(const char* name) {
  device::resident_blocks(device::make_kernel(kernel, name), shape().threads, 0);
  return [](const Work& work, cudaStream_t stream) {
    const i64 blocks = std::clamp<i64>((work.rows.size() + shape().rows - 1) / shape().rows, 1, shape().most);
    device::launch(
        device::make_kernel(kernel, "a kernel of a reduction"),
        {.blocks = static_cast<unsigned>(blocks), .threads = shape().threads, .shared_bytes = 0, .stream = stream},
        work);
  };
}

inline ReduceShape a_warp_a_row() { return {reduce_warps, i64{1} << 30, reduce_threads}; }
inline ReduceShape a_warp_for_all() { return {1, 1, Reduce::lanes}; }
/// Thread blocks that share counts: a few for each processor, and few enough rows for counts of 32 bits.
inline ReduceShape some_rows_a_block() { return {1, 2048, reduce_threads}; }

template <class T>
Launch SlabLaunches<T>::reduce(Measure measure) {
  constexpr const char* name = "reduce_rows_kernel";
  if (measure == Measure::sum) return reduces<reduce_rows_kernel<T, Measure::sum>, a_warp_a_row>(name);
  if (measure == Measure::minimum) return reduces<reduce_rows_kernel<T, Measure::minimum>, a_warp_a_row>(name);
  if (measure == Measure::minimum_number)
    return reduces<reduce_rows_kernel<T, Measure::minimum_number>, a_warp_a_row>(name);
  if (measure == Measure::maximum_number)
    return reduces<reduce_rows_kernel<T, Measure::maximum_number>, a_warp_a_row>(name);
  return reduces<reduce_rows_kernel<T, Measure::maximum>, a_warp_a_row>(name);
}

template <class T>
Launch SlabLaunches<T>::fold(Measure measure) {
  constexpr const char* name = "fold_rows_kernel";
  if (measure == Measure::sum) return reduces<fold_rows_kernel<T, Measure::sum>, a_warp_for_all>(name);
  if (measure == Measure::minimum) return reduces<fold_rows_kernel<T, Measure::minimum>, a_warp_for_all>(name);
  if (measure == Measure::minimum_number)
    return reduces<fold_rows_kernel<T, Measure::minimum_number>, a_warp_for_all>(name);
  if (measure == Measure::maximum_number)
    return reduces<fold_rows_kernel<T, Measure::maximum_number>, a_warp_for_all>(name);
  return reduces<fold_rows_kernel<T, Measure::maximum>, a_warp_for_all>(name);
}

template <class T>
Launch SlabLaunches<T>::clear() {
  return reduces<clear_kernel<T>, some_rows_a_block>("clear_kernel");
}

template <class T>
Launch SlabLaunches<T>::count() {
  return reduces<count_kernel<T>, some_rows_a_block>("count_kernel");
}

template <class T>
Launch SlabLaunches<T>::count_listed() {
  return reduces<count_listed_kernel<T>, a_warp_a_row>("count_listed_kernel");
}

template <class T>
Launch SlabLaunches<T>::place_rows() {
  return reduces<place_rows_kernel<T>, a_warp_for_all>("place_rows_kernel");
}

template <class T>
Launch SlabLaunches<T>::list() {
  return reduces<list_kernel<T>, a_warp_a_row>("list_kernel");
}

template <class T>
WrittenLaunch SlabLaunches<T>::written(const void* function, WrittenTile tile) {
  const device::Kernel<WrittenWork> kernel{function, "make_written_kernel"};
  device::resident_blocks(kernel, written_threads, 0);
  return [kernel, tile](const WrittenWork& work, cudaStream_t stream) {
    const i64 width = i64{written_warps} * tile.warp_columns();
    const i64 blocks = (work.rows.size() + tile.rows - 1) / tile.rows * ((work.shape.columns + width - 1) / width);
    device::launch_overlapping(
        kernel,
        {.blocks = static_cast<unsigned>(blocks), .threads = written_threads, .shared_bytes = 0, .stream = stream},
        work);
  };
}

template <class T>
StreamedLaunch SlabLaunches<T>::streamed(const void* function, const std::vector<StreamedLayout>& layouts) {
  const device::Kernel<StreamedWork> kernel{function, "streamed_kernel"};
  const auto threads = [](const StreamedLayout& layout) { return 32 * static_cast<unsigned>(layout.warps); };
  const auto bytes = [](const StreamedLayout& layout) {
    return static_cast<std::size_t>(layout.values()) * sizeof(T);
  };
  StreamedLaunch made;
  for (const StreamedLayout& layout : layouts) {
    made.resident.push_back(device::resident_blocks(kernel, threads(layout), bytes(layout)));
  }
  made.launch = [=](const StreamedWork& work, const StreamedLayout& layout, unsigned blocks, cudaStream_t stream) {
    device::launch(kernel,
                   {.blocks = blocks, .threads = threads(layout), .shared_bytes = bytes(layout), .stream = stream},
                   work);
  };
  return made;
}

}  // namespace terrace::graph
