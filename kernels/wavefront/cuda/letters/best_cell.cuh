// The best cell of a band, found without looking at columns: lanes follow the largest key of a piece, a number that
// holds a cell and its row. The piece with the cell to report is kept as the candidate, and swept again at the band's
// end, exactly.
#pragma once

#include "kernels/values/word.cuh"
#include "kernels/wavefront/cuda/letters/lane_best.cuh"
#include "kernels/wavefront/cuda/letters/piece_intake.cuh"
#include "kernels/wavefront/pruning.hpp"

namespace terrace::wavefront {

/// Numbers that are larger for larger cells, and of equal ones for that in the higher row of a lane's R.
template <class V, int R>
struct CellKey {
  static constexpr int bits = R == 4 ? 2 : R == 8 ? 3 : 5;
  static_assert(R == 1 << bits);
  /// The largest cell that has one.
  static constexpr i64 most = (i64{1} << (8 * sizeof(V) - 1)) / R - 1;

  __device__ __forceinline__ static V of(V h, int r) { return with_low_bits<bits>(h, R - 1 - r); }
  /// The least key of a lane's cells that go before one of this value in the lane's row r, which may be another's.
  __device__ __forceinline__ static V before(V h, i32 r) {
    if (static_cast<i64>(h) >= most) return of(V(most), 0);
    if (r <= 0) return of(add(h, V(1)), R - 1);
    return of(h, r < R ? r - 1 : R - 1);
  }
};

/// Upper bounds of the cells of a piece: no cell exceeds the piece's initial cells by more than the score of its
/// columns. @tparam Warp a WarpContext
template <class Warp>
class PieceBound {
  using P = typename Warp::P;
  using V = typename Warp::V;

 public:
  /// Before the band's first piece.
  __device__ __forceinline__ void begin(const Warp& warp) {
    const SweepArguments& a = warp.arguments;
    gain_ = piece * P::gain(warp.constants);
    all_have_keys_ = reach(0, P::gain(warp.constants), 0, a.rows, 0, a.columns) <= CellKey<V, Warp::R>::most;
  }

  /// True if every cell of the table is small enough for a key.
  __device__ __forceinline__ bool all_have_keys() const { return all_have_keys_; }
  /// The most by which a cell exceeds the initial cells of its piece.
  __device__ __forceinline__ i64 gain() const { return gain_; }
  /// True if the piece may have a cell as large as `known`. All lanes call it.
  /// @param entering the largest H that enters the lane's part of the piece
  __device__ __forceinline__ bool reaches(V entering, V known) const {
    return __any_sync(~0u, add(entering, V(gain_)) >= known);
  }

 private:
  i64 gain_ = 0;
  bool all_have_keys_ = false;
};

/// The best cell of the pieces swept so far, and the candidate. All members are called by all lanes; `known` is the
/// largest cell of the launch that is known of. @tparam Warp a WarpContext
template <class Warp>
class BestCell {
  using P = typename Warp::P;
  using V = typename Warp::V;
  static constexpr int R = Warp::R;
  using Key = CellKey<V, R>;

 public:
  /// Before the band's first piece.
  __device__ __forceinline__ void begin() { least_key_ = Key::before(V(0), 0); }

  /// After a piece whose cells were followed: it has the cell to report if one of its cells goes before the best so
  /// far; in the same row it does not, being in a later column. @param most the largest key of the lane
  __device__ __forceinline__ void end_piece(const Warp& warp, const PieceIntake<Warp>& intake, i32 p, const V& most,
                                            const V& known) {
    if (!__any_sync(~0u, most >= least_key_)) return;
    const u64 key = static_cast<u64>(static_cast<i64>(most));
    if (note(warp, V(static_cast<i64>(key / R)), warp.lane * R + R - 1 - static_cast<i32>(key % R), known)) {
      candidate_ = p;
      copy_ ^= 1;
      intake.keep_top(warp);
    }
  }
  /// After a piece that was swept exactly. A candidate in the same row stays one, to be compared.
  /// @param exact the best of the lane's cells that were looked at exactly
  __device__ void end_piece(const Warp& warp, const LaneBest<V, R>& exact, const V& known) {
    if (note(warp, exact.score(), warp.lane * R + exact.row(), known)) candidate_ = -1;
  }

  /// Has replay(piece, copy) sweep the candidate again, for the exact cell. Where the launch has a larger cell, this
  /// band's is not wanted.
  template <class Replay>
  __device__ __forceinline__ void replay_candidate(const Warp& warp, const Replay& replay) {
    const bool wanted = static_cast<u64>(static_cast<i64>(reported_)) >= load_relaxed(&warp.arguments.slots->known);
    if (candidate_ < 0 || !__any_sync(~0u, wanted)) return;
    copy_ ^= 1;
    replay(candidate_, copy_);
    copy_ ^= 1;
    candidate_ = -1;
  }

  /// Which of the two copies of the lanes' cells in shared memory is this piece's; the other one is the candidate's.
  __device__ __forceinline__ int copy() const { return copy_; }

 private:
  /// Follows the largest cell of all lanes, and its row. False if it does not go before that known.
  __device__ __forceinline__ bool note(const Warp& warp, V h, i32 row, const V& known) {
    V most;
    int lane;
    largest_of_warp(h, most, lane);
    row = __shfl_sync(~0u, row, lane);
    if (!(most > reported_) && (!(most == reported_) || row >= reported_row_)) return false;
    reported_ = most;
    reported_row_ = row;
    least_key_ = Key::before(most, row - warp.lane * R);
    raise_known(warp, most, known);
    return true;
  }
  /// A cell is as large as `most`.
  __device__ __forceinline__ static void raise_known(const Warp& warp, V most, const V& known) {
    if (warp.lane == 0 && most > known) {
      atomicMax(&warp.arguments.slots->known, static_cast<u64>(static_cast<i64>(most)));
    }
  }
  /// The largest value of all lanes, and the first lane that has it.
  __device__ static void largest_of_warp(V value, V& most, int& lane) {
    most = maximum_of_warp(value);
    lane = __ffs(static_cast<int>(__ballot_sync(~0u, value == most))) - 1;
  }

  V reported_{};  // largest cell of the band so far, and the first row that has one
  i32 reported_row_ = -1;
  V least_key_{};       // of a cell of this lane that goes before it
  i32 candidate_ = -1;  // the piece that may have the cell to report and was not swept exactly
  int copy_ = 0;
};

}  // namespace terrace::wavefront
