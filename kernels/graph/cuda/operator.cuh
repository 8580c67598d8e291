// Launches the kernels of an operator. Included by the sources that the build makes from cuda/operator.cu.in.
#pragma once

#include "kernels/graph/cuda/cells_kernel.cuh"
#include "kernels/graph/cuda/launches.hpp"
#include "kernels/graph/cuda/row_sums_kernel.cuh"
#include "kernels/graph/operator_list.hpp"
#include "kernels/launch/launch_overlapping.cuh"

namespace terrace::graph {

/// Thread blocks of so many rows and columns that cover rows of a work.
inline unsigned blocks_over(i64 rows, i64 columns, i64 block_rows, i64 block_columns) {
  return static_cast<unsigned>((rows + block_rows - 1) / block_rows *
                               ((columns + block_columns - 1) / block_columns));
}

template <class Op, class T, class V = Variant<>>
Launch cells() {
  device::resident_blocks(device::make_kernel(make_cells_kernel<Op, T, V>, "make_cells_kernel"), cell_threads, 0);
  return [](const Work& work, cudaStream_t stream) {
    constexpr CellTile tile = cell_tile<Op>;
    const i64 first = tile.adjacent ? work.rows.begin / 2 * 2 : work.rows.begin;
    device::launch_overlapping(
        device::make_kernel(make_cells_kernel<Op, T, V>, "make_cells_kernel"),
        {.blocks = blocks_over(work.rows.end - first, work.columns, tile.block_rows(), tile.block_columns()),
         .threads = cell_threads,
         .shared_bytes = 0,
         .stream = stream},
        work);
  };
}

template <class Op, class T>
Launch row_sums() {
  device::resident_blocks(device::make_kernel(sum_rows_kernel<Op, T>, "sum_rows_kernel"), sum_threads, 0);
  return [](const Work& work, cudaStream_t stream) {
    device::launch_overlapping(device::make_kernel(sum_rows_kernel<Op, T>, "sum_rows_kernel"),
                               {.blocks = blocks_over(work.rows.size(), work.columns, sum_rows, sum_columns),
                                .threads = sum_threads,
                                .shared_bytes = 0,
                                .stream = stream},
                               work);
  };
}

/// The radius of a square neighbourhood; 0 of another one.
inline int square_radius(const NodeSettings& settings) {
  return settings.row_radius == settings.column_radius ? settings.row_radius : 0;
}

template <class T, class Op>
Launch launch_of(Op, const NodeSettings&) {
  return cells<Op, T>();
}
template <class T>
Launch launch_of(Sobel, const NodeSettings& settings) {
  return settings.axis == 0 ? cells<Sobel, T, Variant<1, 0>>() : cells<Sobel, T, Variant<1, 1>>();
}
template <class T>
Launch launch_of(BoxSum, const NodeSettings& settings) {
  const int radius = square_radius(settings);
  if (radius == 1) return cells<BoxSum, T, Variant<1>>();
  return radius == 2 ? cells<BoxSum, T, Variant<2>>() : row_sums<BoxSum, T>();
}
template <class T>
Launch launch_of(Stencil, const NodeSettings& settings) {
  const int radius = square_radius(settings);
  if (settings.is_separable) {
    if (radius == 1) return cells<Stencil, T, Variant<1, -1, 1>>();
    return radius == 2 ? cells<Stencil, T, Variant<2, -1, 1>>() : row_sums<Stencil, T>();
  }
  if (radius == 1) return cells<Stencil, T, Variant<1, -1, 0>>();
  return radius == 2 ? cells<Stencil, T, Variant<2, -1, 0>>() : cells<Stencil, T, Variant<-1, -1, 0>>();
}

template <class Op, class T>
Launch launch_of_operator(const NodeSettings& settings) {
  return launch_of<T>(Op{}, settings);
}

}  // namespace terrace::graph
