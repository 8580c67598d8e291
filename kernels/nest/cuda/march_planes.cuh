// The last levels of a group of levels, which go to the next group through a plane in device memory, in the order in
// which lanes make them; a warp has them brought into shared memory some steps ahead. Compiled at run time
// (march_kernel.cuh).
#pragma once

#include "kernels/launch/wait.cuh"
#include "kernels/nest/cuda/march_lane.cuh"

namespace terrace::nest {

template <class N>
class Planes {
  using Shape = MarchShape<N>;
  using Values = typename N::Values;
  static constexpr int rows = Shape::rows, columns = Shape::columns, levels = Shape::levels,
                       layers = Shape::levels_before;

  template <int s>
  using Piece = Pieces<typename N::template Statement<s>::Type, columns>;
  /// Pieces of a step of a lane, of the statements before s.
  template <int s>
  __device__ static constexpr int pieces_before() {
    if constexpr (s > 0) return layers * rows * Piece<s - 1>::count + pieces_before<s - 1>();
    return 0;
  }
  static constexpr int pieces = pieces_before<N::statements>();
  template <int s = 0>
  __device__ static constexpr bool can_copy() {
    if constexpr (s < N::statements) return sizeof(Piece<s>) >= 4 && can_copy<s + 1>();
    return true;
  }

 public:
  /// Steps that are brought ahead.
  static constexpr int ahead = can_copy() ? march_planes_ahead(pieces) : 0;

  /// Bytes of shared memory of a warp.
  static constexpr int room_bytes = ahead > 0 ? (ahead + 1) * pieces* march_lanes * 16 : 0;

  /// @param place of the group in the ring @param room of the warp, in shared memory
  __device__ Planes(const Lane<N>& lane, i64 group, i64 band, i64 place, unsigned char* room)
      : room_(room + lane.number * 16),
        before_(lane.work->progress + (group + lane.work->rings - 1) % lane.work->rings * lane.work->bands + band),
        own_(lane.work->progress + place * lane.work->bands + band),
        counted_(group * lane.work->steps),
        at_((band * lane.work->steps * rows * march_lanes + lane.number) * columns) {}
  Planes() = default;

  /// Begins the first steps of a band. @return false if the launch is over
  template <class Leaves>
  __device__ bool begin(const Lane<N>& lane, int from, const Leaves& leaves) const {
    report(lane, from);
    if (!wait(lane, from + march_report_steps, leaves)) return false;
    for (int step = from; step < from + ahead; ++step) bring(lane, step);
    return true;
  }
  /// Sets the levels before of a step's cells. @return false if the launch is over
  template <class Leaves>
  __device__ __forceinline__ bool take(Values& values, const Lane<N>& lane, int step, const Leaves& leaves) const {
    if (step % march_report_steps == 0) {
      report(lane, step);
      if (!wait(lane, step + march_report_steps, leaves)) return false;
    }
    if constexpr (ahead > 0) {
      bring(lane, step + ahead);
      device::wait_for_copies<ahead>();
    }
    if (lane.is_active(step)) move<true, 0>(values, *lane.work, place(step), stage_of(step));
    return true;
  }
  __device__ __forceinline__ void give(Values& values, const Lane<N>& lane, int step) const {
    if (lane.is_active(step)) move<false, 0>(values, *lane.work, place(step), nullptr);
  }
  /// Tells the next group that all is there.
  __device__ void end(const Lane<N>& lane) const { report(lane, static_cast<int>(lane.work->steps)); }

 private:
  /// Steps are counted over all groups that have had a place in the ring.
  __device__ __forceinline__ void report(const Lane<N>& lane, int step) const {
    __syncwarp();
    if (lane.number == 0) device::store_release(own_, static_cast<u64>(counted_ + lane.work->steps + step));
  }
  /// Waits until the group before has made the levels of the steps before one, and of those that are brought ahead.
  template <class Leaves>
  __device__ __forceinline__ bool wait(const Lane<N>& lane, int step, const Leaves& leaves) const {
    const i64 wanted = counted_ + values::smaller(lane.work->steps, i64{step} + ahead);
    const bool is_there = device::wait_by_warp<device::backoffs::in_place_rows>(
        [&] {
          return __all_sync(all_lanes,
                            lane.number != 0 || device::load_acquire(before_) >= static_cast<u64>(wanted)) != 0;
        },
        leaves);
    // All lanes see what the first one has seen.
    __syncwarp();
    return is_there;
  }

  /// The place of a lane's values of a step in a level of the plane, in values.
  __device__ __forceinline__ i64 place(int step) const {
    return at_ + static_cast<i64>(step) * (rows * march_lanes * columns);
  }
  __device__ __forceinline__ unsigned char* stage_of(int step) const {
    if constexpr (ahead == 0) return nullptr;
    return room_ + step % (ahead + 1) * (pieces * march_lanes * 16);
  }

  __device__ __forceinline__ void bring(const Lane<N>& lane, int step) const {
    if (lane.is_active(step)) bring_pieces<0>(*lane.work, place(step), stage_of(step));
    device::commit_copies();
  }
  template <int s>
  __device__ __forceinline__ static void bring_pieces(const MarchWork& work, i64 at, unsigned char* stage) {
    if constexpr (s < N::statements) {
      using P = Piece<s>;
      for_pieces<s>(work, at, stage, [](int, int, int, P* plane, P* staged) {
        if constexpr (sizeof(P) == 16) device::begin_copy(staged, plane);
        else if constexpr (sizeof(P) == 8)
          device::begin_small_copy(reinterpret_cast<u64*>(staged), reinterpret_cast<const u64*>(plane));
        else device::begin_small_copy(reinterpret_cast<u32*>(staged), reinterpret_cast<const u32*>(plane));
      });
      bring_pieces<s + 1>(work, at, stage);
    }
  }
  /// Loads the levels before, or stores the last ones.
  template <bool loads, int s>
  __device__ __forceinline__ static void move(Values& values, const MarchWork& work, i64 at, unsigned char* stage) {
    if constexpr (s < N::statements) {
      using P = Piece<s>;
      auto* own = N::template Statement<s>::values(values);
      for_pieces<s>(work, at, stage, [&](int layer, int row, int n, P* plane, P* staged) {
        if constexpr (loads) {
          const P piece = ahead > 0 ? *staged : *plane;
#pragma unroll
          for (int k = 0; k < P::size; ++k) own[Shape::index(layer - layers, row, n * P::size + k)] = piece.value[k];
        } else {
          P piece;
#pragma unroll
          for (int k = 0; k < P::size; ++k)
            piece.value[k] = own[Shape::index(levels + layer - layers, row, n * P::size + k)];
          *plane = piece;
        }
      });
      move<loads, s + 1>(values, work, at, stage);
    }
  }
  /// Calls call(layer, row, number, place in the plane, place in shared memory) for the pieces of a statement.
  template <int s, class Call>
  __device__ __forceinline__ static void for_pieces(const MarchWork& work, i64 at, unsigned char* stage,
                                                    const Call& call) {
    using P = Piece<s>;
    auto* plane = reinterpret_cast<P*>(plane_of<N, s>(work)) + at / columns * P::count;
#pragma unroll
    for (int layer = 0; layer < layers; ++layer) {
#pragma unroll
      for (int row = 0; row < rows; ++row) {
#pragma unroll
        for (int n = 0; n < P::count; ++n) {
          // In shared memory pieces of lanes lie side by side, 16 bytes apart.
          unsigned char* staged =
              stage + (pieces_before<s>() + (layer * rows + row) * P::count + n) * 16 * march_lanes;
          call(layer, row, n, plane + layer * (work.plane_values / P::size) + row * march_lanes * P::count + n,
               reinterpret_cast<P*>(staged));
        }
      }
    }
  }
  unsigned char* room_ = nullptr;
  u64 *before_ = nullptr, *own_ = nullptr;  // steps that are done
  i64 counted_ = 0;                         // steps of the groups before
  i64 at_ = 0;                              // of the lane's values of step 0 in a level of the plane
};

}  // namespace terrace::nest
