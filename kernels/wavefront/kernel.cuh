// The kernel that sweeps wavefront problems on letters and values: bands of rows, hyperplane kernel tiles in
// registers. No host library header: also compiled at run time.
//
// A warp walks over a band of 32 x R rows from left to right. Lane l holds R rows in registers and is one column
// behind lane l - 1, from which it takes H and F by shuffle: a warp is on 32 anti-diagonal steps at a time. The last
// lane hands its lowest row to the band below through a tagged row (tagged.cuh), cell by cell; the first lane takes
// what the band above has written in pieces of 32 columns, asked for a few steps ahead.
#pragma once

#include "kernels/wavefront/band_window.cuh"
#include "kernels/wavefront/bands.cuh"
#include "kernels/wavefront/lane_best.cuh"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/profile.cuh"
#include "kernels/wavefront/table_piece.cuh"

namespace terrace::wavefront {

/// Steps before a piece's end at which the next one is asked for.
inline constexpr int steps_ahead = 4;

/// What a warp keeps in shared memory. Columns are at column % 64: this piece's and the one's before.
template <class V, int planes, int R, bool keep_table, bool profiled>
struct WarpMemory {
  KernelBand band;
  V top[planes][piece];         // the border above the first lane's columns of this piece
  V items[2 * piece];           // of columns
  V bottom[planes][2 * piece];  // below the block, where its border is wanted
  LaneProfiles<profiled ? R : 0> profiles;
  alignas(16) V cells[keep_table ? 32 * R : 1][2 * piece];  // [row of the band]
};

/// One band on its way through a warp. All members are called by all lanes.
template <class P, class V, int R, bool keep_table>
class LetterSweep {
 public:
  using Constants = typename P::template Constants<V>;
  static constexpr int planes = P::row_planes;
  static constexpr int band_rows = 32 * R;
  static constexpr bool reads_ahead = R < 16;
  using Memory = WarpMemory<V, planes, R, keep_table, by_matrix<P>>;
  using Tagged = TaggedCell<V, planes>;

  __device__ LetterSweep(const SweepArguments& arguments, const Constants& constants, Memory& memory)
      : a_(arguments),
        k_(constants),
        band_(memory.band),
        memory_(memory),
        lane_(lane_index()),
        width_(memory.band.width) {}

  /// Sweeps the band and writes its borders; false when the launch is over before that.
  __device__ bool run(Candidate& found) {
    load_rows();
    load_left();
    if constexpr (by_matrix<P>) make_profile<V, R>(letters_, memory_.profiles, lane_);
    if constexpr (can_code) {
      if (code_rows()) return sweep<true>(found);
    }
    return sweep<false>(found);
  }

 private:
  /// Whether the score of four letters can be added by a dot product of bytes, on a pipe that the rest leaves free:
  /// the row has match - mismatch in the byte of its letter, the column 1, and mismatch is added to the diagonal.
  static constexpr bool can_code = requires {
    requires P::score_joins_diagonal;
    requires sizeof(V) == sizeof(Word);
  };

  static constexpr bool windowed = has_window<P>;

  template <bool coded>
  __device__ bool sweep(Candidate& found) {
    const i32 pieces = (width_ + piece - 1) / piece + 1;  // the last lane ends 31 columns later than the first
    row_ = border_row(a_, band_.block) + static_cast<i64>(band_.start) * Tagged::words;
    tag_ = tag_of(band_.ticket);
    hands_on_ = lane_ == 31 && (!band_.last || a_.across == 1);
    looks_along_ = may_end_along_row();
    hands_out_ = lane_ == 31 && band_.last && (band_.task.bottom != nullptr || looks_along_);
    prefetch(0);
    for (i32 p = 0; p < pieces; ++p) {
      if (p * piece < width_ && !take_piece<coded>(p)) return false;
      __syncwarp();
      const bool inside =
          p > 0 && (p + 1) * piece <= width_ && band_.rows == band_rows && (!windowed || lies_in_window(p));
      if (inside) steps<false, coded>(p);
      else steps<true, coded>(p);
      device::random_delay(a_.launch, band_.ticket + static_cast<u32>(p));
      __syncwarp();
      if (p > 0) give_piece(p - 1);
    }
    store_right();
    found = report();
    return true;
  }

  /// Row minus column, in the table, of the band's row 0 and its column 0.
  __device__ i64 diagonal_of_band() const { return band_.task.row_begin + band_.first_row - band_.task.column_begin; }
  /// Whether all cells of the steps of piece p do; the last lane is 31 columns behind.
  __device__ bool lies_in_window(i32 p) const {
    const i64 window = window_of<P, V>(k_), first = diagonal_of_band() - p * piece;
    return first - (piece - 1) >= -window && first + band_rows - 1 + (piece - 1) <= window;
  }
  /// Columns above which the row border lies in the window, at most the band's.
  __device__ i32 columns_under_window() const {
    const i64 columns = diagonal_of_band() + window_of<P, V>(k_);
    return static_cast<i32>(maximum(i64(0), minimum(columns, static_cast<i64>(width_))));
  }
  /// Rows [begin, end) of the lane whose cells in a column lie in the window.
  struct RowRange {
    i32 begin, end;
  };
  __device__ RowRange rows_in_window(i32 column) const {
    const i64 window = window_of<P, V>(k_), first = diagonal_of_band() + lane_ * R - column;
    return {static_cast<i32>(maximum(i64(0), minimum(-window - first, i64(R)))),
            static_cast<i32>(maximum(i64(0), minimum(window - first + 1, i64(R))))};
  }

  /// Turns the letters of the rows into bytes for dot products; false, and they stay, where one is not below 4.
  __device__ bool code_rows() {
    const i64 gain = static_cast<i64>(k_.match) - static_cast<i64>(k_.mismatch);
    bool fits = gain >= -128 && gain <= 127;
#pragma unroll
    for (int r = 0; r < R; ++r) fits = fits && static_cast<i64>(letters_[r]) < 4;
    if (!__all_sync(~0u, fits)) return false;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      letters_[r] = V(static_cast<i64>(static_cast<u32>(gain & 255) << (8 * static_cast<i64>(letters_[r]))));
    }
    return true;
  }
  __device__ static V code_column(V letter) {
    const i64 code = static_cast<i64>(letter);
    return V(code < 4 ? i64{1} << (8 * code) : i64{0});
  }

  __device__ static V item_at(const void* items, i64 index) {
    if constexpr (P::items == Items::letters) {
      return V(static_cast<i64>(device::load_past_l1(static_cast<const device::u8*>(items) + index)));
    } else {
      return device::load_past_l1(static_cast<const V*>(items) + index);
    }
  }

  __device__ void load_rows() {
    const i32 first = lane_ * R;
    rows_here_ = band_.rows - first < 0 ? 0 : band_.rows - first > R ? R : band_.rows - first;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      letters_[r] = r < rows_here_ ? item_at(band_.task.rows, band_.first_row + first + r) : V(0);
    }
  }

  /// H and E of the column before the block, and H before the row above this lane's first.
  __device__ void load_left() {
    const BlockTask& task = band_.task;
    const i64 first = band_.first_row + lane_ * R;
    diagonal_ = rows_here_ > 0 ? left_h(first - 1) : V(0);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      h_[r] = r < rows_here_ ? left_h(first + r) : V(0);
      if constexpr (P::column_planes == 2) {
        if (r >= rows_here_) e_[r] = V(0);
        else if (task.left) e_[r] = load_stored<V>(a_.border, task.left, task.column_border_stride + first + r + 1);
        else e_[r] = P::template left<V>(k_, task.row_begin + first + r).gap;
      } else {
        e_[r] = V(0);
      }
    }
  }
  __device__ V left_h(i64 row) const {
    if constexpr (windowed) {
      const BlockTask& task = band_.task;
      if (task.left && !in_window(window_of<P, V>(k_), task.row_begin + row, task.column_begin - 1))
        return V(infinity);
    }
    if (band_.task.left) return load_stored<V>(a_.border, band_.task.left, row + 1);
    if constexpr (has_corner<P, V>) {
      if (band_.task.row_begin + row < 0 && width_ > 0) {
        return P::corner(k_, item_at(band_.task.rows, 0), item_at(band_.task.columns, 0));
      }
    }
    return P::template left<V>(k_, band_.task.row_begin + row).h;
  }

  /// Asks for the top border and the items of the columns of piece p, a column a lane.
  __device__ void prefetch(i32 p) {
    const i32 column = p * piece + lane_;
    fresh_ = true;
    if (column >= width_) return;
    next_item_ = item_at(band_.task.columns, column);
    if constexpr (windowed) {
      next_top_[0] = V(infinity);
      if (column >= columns_under_window()) return;
    }
    if (top_is_tagged(a_, band_)) fresh_ = load_tagged(column);
    else load_top(column);
  }
  __device__ bool load_tagged(i32 column) { return Tagged::load(row_, column, tag_ - 1, next_top_); }
  __device__ void load_top(i32 column) {
    const BlockTask& task = band_.task;
    const Border<V> border = P::template top<V>(k_, task.column_begin + column);
    next_top_[0] = task.top ? load_stored<V>(a_.border, task.top, column) : border.h;
    if constexpr (planes == 2) {
      next_top_[1] = task.top ? load_stored<V>(a_.border, task.top, task.row_border_stride + column) : border.gap;
    }
  }

  /// Puts piece p where the lanes find it, once the band above has written it.
  template <bool coded>
  __device__ bool take_piece(i32 p) {
    const i32 column = p * piece + lane_;
    while (!__all_sync(~0u, fresh_)) {
      if (!wait_for_piece(p)) return false;
      if (!fresh_) fresh_ = load_tagged(column);
    }
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) memory_.top[plane][lane_] = next_top_[plane];
    if constexpr (coded) next_item_ = code_column(next_item_);
    memory_.items[column % (2 * piece)] = next_item_;
    return true;
  }

  /// Waits until the last column of the piece has been written: one lane asks, lest all warps that wait fill the
  /// cache's bandwidth. False when the launch is over.
  __device__ bool wait_for_piece(i32 p) {
    const i32 most = windowed ? columns_under_window() : width_;
    const i32 end = (p + 1) * piece < most ? (p + 1) * piece : most;
    bool waits = (end - 1) % piece == lane_ && !fresh_;
    for (u32 tries = 1; __any_sync(~0u, waits); ++tries) {
      if (waits && load_tagged(end - 1)) waits = false, fresh_ = true;
      if (tries % 32 != 0) continue;
      const bool leave = lane_ == 0 && device::must_leave(a_.launch, band_.block);
      if (__any_sync(~0u, leave)) return false;
      __nanosleep(32);
    }
    return true;
  }

  /// Writes what is complete of piece p: the border below the block, the table.
  __device__ void give_piece(i32 p) {
    if constexpr (keep_table) store_table_piece<V, R>(a_, band_, memory_.cells, p, lane_);
    const i32 column = p * piece + lane_;
    if (!band_.last || column >= width_) return;
    if constexpr (P::report == Report::ends) {
      if (looks_along_) end_.look(memory_.bottom[0][column % (2 * piece)], band_.rows - 1, column);
    }
    if (!band_.task.bottom) return;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      store_stored(a_.border, band_.task.bottom, plane * band_.task.row_border_stride + column,
                   memory_.bottom[plane][column % (2 * piece)]);
    }
  }

  /// The 32 steps in which the first lane goes over piece p. `guarded`: some lane is outside the block in some of
  /// them, or the band has fewer rows than lanes hold.
  template <bool guarded, bool coded>
  __device__ void steps(i32 p) {
    next_ = memory_.items[(p * piece - lane_) & (2 * piece - 1)];
    if constexpr (reads_ahead) load_top_of_step(0);
#pragma unroll 1
    for (int first = 0; first < piece; first += steps_ahead) {
      if (first + steps_ahead == piece) prefetch(p + 1);
#pragma unroll
      for (int i = 0; i < steps_ahead; ++i) step<guarded, coded>(p * piece + first + i, first + i);
    }
  }

  template <bool guarded, bool coded>
  __device__ __forceinline__ void step(i32 at, int i) {
    const i32 column = at - lane_;
    const V item = next_;
    next_ = memory_.items[(column + 1) & (2 * piece - 1)];
    // Where registers allow, the first lane's values were read a step before: a load does not wait for the shuffle.
    if constexpr (!reads_ahead) load_top_of_step(i);
    V up = shuffle_up(bottom_);
    V f = planes == 2 ? shuffle_up(bottom_f_) : V(0);
    if (lane_ == 0) up = top_h_;
    if (planes == 2 && lane_ == 0) f = top_f_;
    if constexpr (reads_ahead) load_top_of_step((i + 1) % piece);
    if (!guarded || static_cast<u32>(column) < static_cast<u32>(width_)) {
      RowRange inside{0, R};
      if constexpr (guarded && windowed) inside = rows_in_window(column);
      cells<guarded, coded>(item, up, f, inside);
      if constexpr (P::report == Report::best) best_.template look<guarded>(h_, rows_here_, column);
      hand_on(column);
      if constexpr (keep_table) {
#pragma unroll
        for (int r = 0; r < R; ++r) memory_.cells[lane_ * R + r][column & (2 * piece - 1)] = h_[r];
      }
    }
  }

  __device__ __forceinline__ void load_top_of_step(int i) {
    top_h_ = memory_.top[0][i];
    if constexpr (planes == 2) top_f_ = memory_.top[planes - 1][i];
  }

  /// The last lane hands its lowest row down.
  __device__ __forceinline__ void hand_on(i32 column) {
    V values[planes];
    values[0] = bottom_;
    if constexpr (planes == 2) values[planes - 1] = bottom_f_;
    if (hands_on_) Tagged::store(row_, column, tag_, values);
    if (!hands_out_) return;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) memory_.bottom[plane][column & (2 * piece - 1)] = values[plane];
  }

  /// One column of the lane's rows. Rows below the band's last hand on what is above them.
  template <bool guarded, bool coded>
  __device__ __forceinline__ void cells(V item, V up, V f, RowRange inside) {
    V diagonal = diagonal_;
    diagonal_ = up;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      Cell<V> cell;
      if constexpr (coded) {
        const V with_score =
            word(__dp4a(letters_[r].value, item.value, add_aside(diagonal.value, k_.mismatch.value)));
        cell = P::template cell<V>(k_, Around<V>{with_score, up, h_[r], e_[r], f}, V(0));
      } else if constexpr (by_matrix<P>) {
        const u32 scores = memory_.profiles.words[static_cast<i64>(item)][r / 4][lane_];
        const V with_score = add_score(diagonal, k_.scale, scores, r);
        cell = P::template cell<V>(k_, Around<V>{with_score, up, h_[r], e_[r], f}, V(0));
      } else {
        V score = P::template score<V>(k_, letters_[r], item);
        if constexpr (guarded && windowed) {
          if (r < inside.begin || r >= inside.end) score = V(infinity);
        }
        cell = P::template cell<V>(k_, Around<V>{diagonal, up, h_[r], e_[r], f}, score);
      }
      diagonal = h_[r];
      const bool real = !guarded || r < rows_here_;
      up = h_[r] = real ? cell.h : up;
      f = real ? cell.f : f;
      e_[r] = cell.e;
    }
    bottom_ = up;
    bottom_f_ = f;
  }

  /// The last column, and before it the corner, which the block's first band knows.
  __device__ void store_right() const {
    const BlockTask& task = band_.task;
    if (!task.right) return;
    const i64 first = band_.first_row + lane_ * R;
    if (band_.index == 0 && lane_ == 0) store_stored(a_.border, task.right, 0, diagonal_);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows_here_) break;
      store_stored(a_.border, task.right, first + r + 1, h_[r]);
      if constexpr (P::column_planes == 2) {
        store_stored(a_.border, task.right, task.column_border_stride + first + r + 1, e_[r]);
      }
    }
  }

  /// Whether an alignment may end anywhere in the band's lowest row.
  __device__ bool may_end_along_row() const {
    if constexpr (P::report != Report::ends) return false;
    else return P::ends(k_).last_row && band_.last && band_.rows > 0 && band_.task.row_end == a_.rows;
  }

  __device__ Candidate report() {
    if constexpr (P::report == Report::best) return best_.of_warp(band_.first_row, lane_);
    else if constexpr (P::report == Report::last) return last_cell();
    else return end_cell();
  }

  /// The best cell where an alignment may end: of the lowest row it is known, now the last column comes.
  __device__ Candidate end_cell() {
    const bool all = P::ends(k_).last_column;
    const i64 last = a_.rows - 1 - band_.task.row_begin - band_.first_row;  // row of the band
    if (band_.task.column_end == a_.columns && width_ > 0) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const i32 row = lane_ * R + r;
        if (r < rows_here_ && (all || row == last)) end_.look(h_[r], row, width_ - 1);
      }
    }
    return end_.of_warp(band_.first_row);
  }

  /// Rows below the band's last hand it on: the last lane holds it. Without columns it is the border's.
  __device__ Candidate last_cell() const {
    i64 score = __shfl_sync(~0u, reported(h_[R - 1]), 31);
    if (width_ == 0) score = reported(left_h(band_.first_row + band_.rows - 1));
    return {score, band_.first_row + band_.rows - 1, band_.start + width_ - 1, band_.last};
  }

  const SweepArguments& a_;
  const Constants& k_;
  const KernelBand& band_;
  Memory& memory_;
  const int lane_;
  const i32 width_;                   // columns of the block
  i32 rows_here_ = 0;                 // rows of the band that this lane holds
  V letters_[R], h_[R], e_[R];        // items of its rows; H of the last column, E of the next
  V diagonal_{};                      // H of the last column above its first row
  V bottom_{}, bottom_f_{};           // H and F below its last row
  V next_{};                          // item of the next column
  V top_h_{}, top_f_{};               // H and F above the first lane's next column
  V next_top_[planes], next_item_{};  // the piece that was asked for, a column a lane
  bool fresh_ = true;
  u64* row_ = nullptr;                         // the tagged row, read above the band and written below it
  u32 tag_ = 0;                                // the band's own
  bool hands_on_ = false, hands_out_ = false;  // this lane writes the row for the band below; below the block
  bool looks_along_ = false;                   // an alignment may end anywhere in the band's lowest row
  LaneBest<V, R> best_;
  LaneEnd<V> end_;
};

/// Threads of a thread block: one warp, so that bands in a row go to multiprocessors in turn and all of them fill
/// alike.
inline constexpr int sweep_threads = 32;

/// Sweeps bands until there are none left. @param constants the problem's, in i64
template <class P, class V, int R, bool keep_table>
__global__ void __launch_bounds__(sweep_threads, 16)
    sweep_bands_kernel(const __grid_constant__ SweepArguments arguments,
                       const __grid_constant__ typename P::template Constants<i64> constants) {
  using Sweep = LetterSweep<P, V, R, keep_table>;
  auto& memory = reinterpret_cast<typename Sweep::Memory*>(device::launch_shared_memory())[threadIdx.x / 32];
  const auto k = P::template constants_as<V>(constants);
  while (take_band(arguments, memory.band)) {
    Candidate found{0, 0, 0, false};
    bool any = true;
    if constexpr (has_window<P>) any = cut_to_window<V>(arguments, memory.band, window_of<P, V>(k));
    if (any && !Sweep(arguments, k, memory).run(found)) return;
    finish_band(arguments, memory.band, found, false);
  }
}

}  // namespace terrace::wavefront
