// A block of a nest on CUDA: tiles of a hyperplane a launch, a tile a thread block, the cells of a hyperplane within
// it at a time. Compiled at run time with the struct N of a nest (written/work.hpp).
#pragma once

#include "kernels/nest/cuda/block.cuh"
#include "kernels/nest/written/faces.hpp"

namespace terrace::nest {

/// A tile as the threads of a thread block make it.
template <class N>
class TileMaker {
 public:
  using Values = typename N::Values;

  __device__ TileMaker(NestState* state, const TileWork& work, const Tile& tile, Values& values, u64* least)
      : state_(state), work_(work), tile_(tile), values_(values), least_(least) {}

  /// Cells that have no value get one that stands for it, so that the first of all such cells is found, whatever the
  /// tiles. @param found of this thread
  __device__ void make(Found& found) {
    constexpr int warp = 32;
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const Team team{thread / warp, (threads + warp - 1) / warp, thread % warp, warp};
    const auto sync = [] { __syncthreads(); };
    if (thread == 0) *least_ = ~u64{0};
    __syncthreads();
    move_faces<N, true>(work_, tile_, team, values_, sync);
    make_cells();
    if (__syncthreads_or(cell_ != ~u64{0} ? 1 : 0) != 0 && cell_ == *least_) note_failure(state_, cell_, failure_);
    move_faces<N, false>(work_, tile_, team, values_, sync);
    const bool keeps = state_->task.part_count > 0 || keeps_any<N>();
    if (keeps) {
      for_rows<N>(team, tile_.begin, tile_.end, [&](const i64(&at)[most_coordinates]) {
        keep_row<N>(tile_, state_->task.parts, state_->task.part_count, team, at, values_, found);
      });
    }
  }

 private:
  /// Cells whose coordinates have the same sum do not need one another.
  __device__ void make_cells() {
    constexpr int last = N::rank - 1;
    unsigned lines = 1;
    i64 sums = tile_.end[last] - tile_.begin[last];
    for (int n = 0; n < last; ++n) {
      lines *= static_cast<unsigned>(tile_.end[n] - tile_.begin[n]);
      sums += tile_.end[n] - tile_.begin[n] - 1;
    }
    for (i64 sum = 0; sum < sums; ++sum) {
      for (unsigned line = threadIdx.x; line < lines; line += blockDim.x) {
        i64 at[most_coordinates] = {};
        unsigned rest = line;
        i64 own = 0;
        for (int n = last - 1; n >= 0; --n) {
          const auto extent = static_cast<unsigned>(tile_.end[n] - tile_.begin[n]);
          const i64 step = rest % extent;
          rest /= extent;
          own += step;
          at[n] = tile_.begin[n] + step;
        }
        at[last] = tile_.begin[last] + sum - own;
        if (at[last] < tile_.begin[last] || at[last] >= tile_.end[last]) continue;
        make_cell<0>(at, index_of<N>(tile_, at));
      }
      __syncthreads();
    }
  }

  template <int k>
  __device__ void make_cell(const i64 (&at)[most_coordinates], i64 index) {
    if constexpr (k < N::statements) {
      constexpr int s = N::order(k);
      using S = typename N::template Statement<s>;
      i64 y[most_coordinates] = {};
      S::locate(at, y);
      if (S::is_in(y)) {
        i64 loops[most_coordinates] = {};
        S::spread(y, loops);
        typename S::Made made;
        typename N::Carried before;
        load_carried<N>(values_, index, before);
        const int code = S::is_usual(y) ? S::usual(work_, values_, index, y, loops, made, before)
                                        : S::template any<false>(work_, values_, index, y, loops, made, nullptr);
        if (code != 0) fail<s>(at, index, y, loops);
        S::values(values_)[index] = code != 0 ? S::stand_in : static_cast<typename S::Type>(made);
      }
      make_cell<k + 1>(at, index);
    }
  }

  template <int s>
  __device__ void fail(const i64 (&at)[most_coordinates], i64 index, const i64 (&y)[most_coordinates],
                       const i64 (&loops)[most_coordinates]) {
    if constexpr (N::template Statement<s>::any_fails || N::template Statement<s>::usual_fails) {
      u64 cell = 0;
      for (int n = 0; n < N::rank; ++n)
        cell = cell * static_cast<u64>(work_.end[n] - work_.begin[n]) + static_cast<u64>(at[n] - work_.begin[n]);
      // Of a thread's cells, a later one may come first.
      if (cell_ <= cell) return;
      cell_ = cell;
      typename N::template Statement<s>::Made made;
      N::template Statement<s>::template any<true>(work_, values_, index, y, loops, made, &failure_);
      failure_.statement = s;
      atomicMin(least_, cell_);
    }
  }

  NestState* state_;
  const TileWork& work_;
  const Tile& tile_;
  Values& values_;
  u64* least_;          // of the cells that have no value, shared by the threads
  u64 cell_ = ~u64{0};  // the thread's first
  NestFailure failure_{};
};

/// The tiles whose numbers have one sum. Tile `index` of them has number first + index / (product of the others)
/// along coordinate 0; those that are not there are left out. @param room for the values of a tile of each thread
/// block; null: they are in shared memory, where the best elements are folded, too
/// @param aborts the host's word: not 0: leave
template <class N>
__global__ void make_tiles_kernel(NestState* state, TileWork work, i64 sum, i64 first, i64 count, unsigned char* room,
                                  const u64* aborts) {
  __shared__ u64 least;
  if (state->begun == 0 || state->failed != 0) return;
  using Values = typename N::Values;
  unsigned char* shared = device::launch_shared_memory();
  Values& values = *reinterpret_cast<Values*>(room != nullptr ? room + blockIdx.x * sizeof(Values) : shared);
  Found found{};
  for (i64 index = blockIdx.x; index < count; index += gridDim.x) {
    // No thread is in the tile before any more, either.
    if (__syncthreads_or(threadIdx.x == 0 && is_aborted(state, aborts) ? 1 : 0) != 0) return;
    constexpr int last = N::rank - 1;
    i64 number[most_coordinates] = {}, rest = index, left = sum;
    for (int n = last - 1; n > 0; --n) {
      number[n] = rest % work.tiles[n];
      rest /= work.tiles[n];
      left -= number[n];
    }
    if (last > 0) left -= number[0] = first + rest;
    number[last] = left;
    if (left < 0 || left >= work.tiles[last]) continue;
    const Tile tile = tile_of<N>(work, number);
    if (!is_needed<N>(tile)) continue;
    TileMaker<N>(state, work, tile, values, &least).make(found);
  }
  __syncthreads();
  store_corners<N>(state, found);
  fold_best<N>(state, found, reinterpret_cast<BestElement*>(shared));
}

}  // namespace terrace::nest
