// The kernel that walks back through pieces of a table between kept borders: their cells are computed anew, band by
// band on all multiprocessors, and their codes kept, four bits a cell, in device memory; then one warp walks.
// No host library header: also compiled at run time.
//
// A band has 128 rows: lane l of a warp holds four and is one column behind lane l - 1. Bands hand rows on as those
// of sweeps do (tagged.cuh). The codes that a warp makes in a step lie side by side.
//
// One piece alone would keep few multiprocessors busy for the length of its chain of bands and columns. So those
// that the path comes to next if it stays on its diagonal are computed beside it, and the walk goes on through all
// that there are codes of. Each piece has its buffer for codes, which it shares with pieces that are further away;
// codes that are there already, from a walk before, are not computed again.
#pragma once

#include "kernels/values/real.cuh"
#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/cuda/bands/table_piece.cuh"
#include "kernels/wavefront/cuda/letters/profile.cuh"
#include "kernels/wavefront/cuda/trace/borders.cuh"
#include "kernels/wavefront/trace.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

using device::u16;

inline constexpr int trace_lane_rows = 4;  // the codes of a lane's rows in one column fill 16 bits
inline constexpr int trace_band_rows = 32 * trace_lane_rows;
inline constexpr int trace_step_bytes = 32 * static_cast<int>(sizeof(u16));

/// Whose codes are in a buffer: the first `rows` x `columns` cells of the piece that begins at (row, column).
struct TraceCodes {
  i64 row, column, rows, columns;
};

/// What is known of the walk that is under way, in device memory; all zero at the start of a launch.
template <class Task>
struct TraceSlot {
  Task task;
  u32 finished;  // tickets of bands
};

/// What the kernel is given. @tparam Task what borders are kept in
template <class Task>
struct TraceArguments {
  device::Launch launch;  // its slots: 1
  TraceSlot<Task>* slot;
  u64* rows;          // tagged, one a buffer
  TraceCodes* known;  // of each buffer, kept from launch to launch
  u16* codes;         // [buffer][band][step][lane]; a lane's first row in the lowest bits
  i64 row_words;      // of a tagged row
  i64 band_steps;     // steps of a band, at most
  u32 bands;          // of a piece, at most
  u32 buffers;        // of codes of a piece each
  Stored border;
};

/// The part of a piece whose codes are wanted. Empty where there is none.
struct TraceExtent {
  TracePiece piece;
  i32 rows, columns;

  __device__ u32 bands() const { return static_cast<u32>((rows + trace_band_rows - 1) / trace_band_rows); }
};

/// The piece that a path is in, up to where the path is; empty where that is outside the task's box.
template <class Task>
__device__ TraceExtent extent_at(const Task& task, const PathPlace& place) {
  if (place.ended || place.row <= task.row_begin || place.column <= task.column_begin) return {{0, 0}, 0, 0};
  const TracePiece piece = trace_piece(task, place);
  return {piece, static_cast<i32>(place.row - piece.row), static_cast<i32>(place.column - piece.column)};
}

/// The piece that comes `ahead` pieces after that of the task's place, along its diagonal.
template <class Task>
__device__ TraceExtent extent_ahead(const Task& task, u32 ahead) {
  const TraceExtent first = extent_at(task, task.place);
  if (ahead == 0 || first.rows == 0) return first;
  const i64 diagonal = task.place.column - task.place.row;
  TracePiece piece = first.piece;
  for (u32 n = 0; n < ahead; ++n) {
    if (piece.row + diagonal > piece.column) piece.row -= task.cell_rows;
    else piece.column -= task.cell_columns;
  }
  if (piece.row < task.row_begin || piece.column < task.column_begin) return {{0, 0}, 0, 0};
  return {piece, static_cast<i32>(minimum(task.cell_rows, task.row_end - piece.row)),
          static_cast<i32>(minimum(task.cell_columns, task.column_end - piece.column))};
}

/// Where the codes of a piece are: pieces that come one after another on a diagonal are in buffers of their own.
template <class Task>
__device__ u32 buffer_of(const TraceArguments<Task>& a, const Task& task, const TracePiece& piece) {
  const i64 down = (piece.row - task.row_begin) / task.cell_rows;
  const i64 across = (piece.column - task.column_begin) / task.cell_columns;
  return static_cast<u32>((down + across) % a.buffers);
}
template <class Task>
__device__ u16* codes_of(const TraceArguments<Task>& a, u32 buffer, u32 band) {
  return a.codes + (static_cast<i64>(buffer) * a.bands + band) * a.band_steps * 32;
}

/// What a warp keeps in shared memory while it computes a band. Columns are at column % (2 * piece).
template <class V, int planes, bool profiled>
struct TraceBandMemory {
  LaneProfiles<profiled ? trace_lane_rows : 0> profiles;
  V items[2 * piece];
  V top[planes][piece];  // the border above the first lane's columns
};

/// One band of a piece on its way through a warp. All members are called by all lanes.
template <class P, class V, class Task>
class TraceBand {
 public:
  using Constants = typename P::template Constants<V>;
  static constexpr int planes = P::row_planes;
  static constexpr int R = trace_lane_rows;
  using Memory = TraceBandMemory<V, planes, by_matrix<P>>;
  using Tagged = TaggedCell<V, planes>;

  /// @param buffer of the piece's codes
  __device__ TraceBand(const TraceArguments<Task>& arguments, const Constants& k, const Task& task,
                       const TraceExtent& extent, u32 buffer, u32 band, u64 ticket, Memory& memory)
      : a_(arguments),
        k_(k),
        task_(task),
        extent_(extent),
        borders_(arguments.border, k, task, extent.piece),
        memory_(memory),
        lane_(lane_index()),
        width_(extent.columns),
        first_row_(static_cast<i32>(band) * trace_band_rows + lane_ * R),
        band_(band),
        tag_(tag_of(ticket)),
        row_(arguments.rows + buffer * arguments.row_words),
        codes_(codes_of(arguments, buffer, band) + lane_) {}

  /// Computes the band's codes; false when the launch is over before that.
  __device__ bool run() {
    load_rows();
    if constexpr (by_matrix<P>) make_profile<V, R>(items_, memory_.profiles, lane_);
    prefetch(0);
    const i32 pieces = (width_ + 31 + piece - 1) / piece;
    for (i32 p = 0; p < pieces; ++p) {
      if (p * piece < width_ && !take_piece(p)) return false;
      __syncwarp();
      if (p > 0 && (p + 1) * piece <= width_) steps<true>(p);
      else steps<false>(p);
      device::random_delay(a_.launch, tag_ + static_cast<u32>(p));
      __syncwarp();
    }
    return true;
  }

 private:
  static constexpr bool windowed = has_window<P>;

  __device__ i64 table_row(i32 row) const { return extent_.piece.row + row; }
  __device__ i64 table_column(i32 column) const { return extent_.piece.column + column; }
  __device__ bool inside(i64 row, i64 column) const { return in_window(window_of<P, V>(k_), row, column); }

  /// Items, and H and E of the column before the piece. Rows below the piece are computed from nothing.
  __device__ void load_rows() {
    const i64 first = extent_.piece.row - task_.row_begin + first_row_;
    borders_.begin(static_cast<i64>(band_) * trace_band_rows, extent_.rows);
    diagonal_ = first_row_ < extent_.rows ? borders_.left_h(first_row_ - 1) : V(0);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const bool real = first_row_ + r < extent_.rows;
      items_[r] = real ? trace_item<P, V>(task_.rows, first + r) : V(0);
      h_[r] = real ? borders_.left_h(first_row_ + r) : V(0);
      e_[r] = V(0);
      if constexpr (P::column_planes == 2) {
        if (real) e_[r] = borders_.left_e(first_row_ + r);
      }
    }
  }
  /// Asks for the row above and the items of the columns of piece p, a column a lane.
  __device__ void prefetch(i32 p) {
    const i32 column = p * piece + lane_;
    fresh_ = true;
    if (column >= width_) return;
    next_item_ = trace_item<P, V>(task_.columns, extent_.piece.column - task_.column_begin + column);
    if (band_ > 0) fresh_ = load_tagged(column);
    else borders_.above(column, next_top_);
  }
  __device__ bool load_tagged(i32 column) { return Tagged::load(row_, column, tag_ - 1, next_top_); }

  /// Puts piece p where the lanes find it, once the band above has written it.
  __device__ bool take_piece(i32 p) {
    const i32 column = p * piece + lane_;
    while (!__all_sync(~0u, fresh_)) {
      if (!wait_for_piece(p)) return false;
      if (!fresh_) fresh_ = load_tagged(column);
    }
    memory_.items[column % (2 * piece)] = next_item_;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) memory_.top[plane][lane_] = next_top_[plane];
    return true;
  }
  /// Waits until the piece's last column has been written. False when the launch is over.
  __device__ bool wait_for_piece(i32 p) {
    const i32 last = minimum((p + 1) * piece, width_) - 1;
    for (u32 tries = 1;; ++tries) {
      // The row is every band's: its tag says how many bands there are from its writer to the one above this one.
      u32 distance = lane_ == 0 ? tag_ - 1 - Tagged::tag_at(row_, last) : 0;
      distance = __shfl_sync(~0u, distance, 0);
      if (distance == 0) return true;
      distance = minimum(distance, band_);
      if (distance > 1) __nanosleep(minimum(distance * 512, 32768u));
      const bool leave = tries % 32 == 0 && lane_ == 0 && device::aborted(a_.launch);
      if (__any_sync(~0u, leave)) return false;
    }
  }

  /// @tparam inside all of the lanes' columns are the piece's
  template <bool inside>
  __device__ __forceinline__ void steps(i32 p) {
    u16* codes = codes_ + static_cast<i64>(p * piece) * 32;
    u64* row = row_ + static_cast<i64>(p * piece - lane_) * Tagged::words;
#pragma unroll 4
    for (i32 at = 0; at < piece; ++at, codes += 32, row += Tagged::words) {
      if (at + columns_before_end == piece) prefetch(p + 1);
      const i32 column = p * piece + at - lane_;
      V up = shuffle_up(bottom_[0]), f = planes == 2 ? shuffle_up(bottom_[planes - 1]) : V(0);
      if (!inside && (column < 0 || column >= width_)) continue;
      if (lane_ == 0) up = memory_.top[0][at];
      if (planes == 2 && lane_ == 0) f = memory_.top[planes - 1][at];
      *codes = static_cast<u16>(cells(memory_.items[column & (2 * piece - 1)], column, up, f));
      bottom_[0] = up;
      if constexpr (planes == 2) bottom_[planes - 1] = f;
      if (lane_ == 31) Tagged::store(row, 0, tag_, bottom_);
    }
  }

  /// One column of the lane's rows. @return their codes
  __device__ __forceinline__ u32 cells(V item, i32 column, V& up, V& f) {
    V diagonal = diagonal_;
    diagonal_ = up;
    u32 codes = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const V s = score(r, item);
      const Around<V> around{diagonal, up, h_[r], e_[r], f};
      Cell<V> cell = P::template cell<V>(k_, around, s);
      if constexpr (windowed) {
        if (!inside(table_row(first_row_ + r), table_column(column))) cell.h = V(infinity);
      }
      codes |= trace_code<P, V>(k_, around, s, cell) << (4 * r);
      diagonal = h_[r];
      up = h_[r] = cell.h;
      f = cell.f;
      e_[r] = cell.e;
    }
    return codes;
  }
  __device__ __forceinline__ V score(int r, V item) const {
    if constexpr (by_matrix<P>) {
      return add_score(V(0), k_.scale, memory_.profiles.words[static_cast<i64>(item)][r / 4][lane_], r);
    } else {
      return P::template score<V>(k_, items_[r], item);
    }
  }

  /// Columns before a piece's end at which the next one is asked for.
  static constexpr int columns_before_end = 8;

  const TraceArguments<Task>& a_;
  const Constants& k_;
  const Task& task_;
  const TraceExtent extent_;
  TraceBorders<P, V, Task> borders_;
  Memory& memory_;
  const int lane_;
  const i32 width_;
  const i32 first_row_;  // of the lane, counted from the piece's first
  const u32 band_, tag_;
  u64* const row_;    // tagged
  u16* const codes_;  // the lane's of the band's first step
  V items_[R], h_[R], e_[R];
  V diagonal_{};        // H of the last column above the lane's first row
  V bottom_[planes]{};  // H and F below its last row
  V next_top_[planes], next_item_{};
  bool fresh_ = true;
};

/// What the walking warp keeps in shared memory: codes of the last steps of a band, from `first_step` on, and the
/// letters beside them.
struct TraceWalkMemory {
  static constexpr int steps = 192;
  alignas(16) u64 codes[steps * trace_step_bytes / sizeof(u64)];
  device::u8 rows[trace_band_rows];
  device::u8 columns[steps + 32];
  u32 path[most_path_steps / 16];
};

/// Walks through codes. All lanes take part: each looks at the cell that the path comes to if it goes straight on.
template <class P, class Task>
class TraceWalk {
 public:
  __device__ TraceWalk(const TraceArguments<Task>& arguments, const Task& task, TraceWalkMemory& memory)
      : a_(arguments), task_(task), memory_(memory), lane_(lane_index()), place_(task.place) {
    for (u32 at = static_cast<u32>(lane_); at < most_path_steps / 16; at += 32) memory_.path[at] = 0;
  }

  /// Through the piece that the path is in, until it leaves that, ends, or the result is full.
  __device__ void run(const TraceExtent& extent) {
    extent_ = extent;
    codes_ = codes_of(a_, buffer_of(a_, task_, extent.piece), 0);
    row_ = extent.rows;
    column_ = extent.columns;
    gap_ = place_.gap;
    band_ = -1;
    while (row_ > 0 && column_ > 0 && !ended_ && room() > 0) {
      look_at_codes();
      const u32 code = code_at(row_ - 1 - lane_, column_ - 1 - lane_);
      u32 from = code == unknown ? TraceCode::end : code & TraceCode::from;
      if (lane_ == 0) from = from_in_gap(code);
      const u32 paired = __ballot_sync(~0u, code != unknown && from == TraceCode::diagonal);
      const i32 pairs = minimum(leading(paired), room());
      if (pairs > 0) add_pairs(pairs);
      else go_from(__shfl_sync(~0u, from, 0));
    }
    place_ = {extent_.piece.row + row_, extent_.piece.column + column_, gap_, ended_ ? 1 : 0};
  }

  __device__ i32 count() const { return count_; }
  /// Where the path stands.
  __device__ const PathPlace& place() const { return place_; }
  /// Steps that the result has room for.
  __device__ i32 room() const { return static_cast<i32>(most_path_steps) - count_; }

 private:
  static constexpr u32 unknown = 16;

  __device__ static i32 leading(u32 ballot) { return ~ballot == 0 ? 32 : __ffs(static_cast<int>(~ballot)) - 1; }
  /// Makes sure that the code of the cell that the path is in is in shared memory.
  __device__ void look_at_codes() {
    const i32 band = (row_ - 1) / trace_band_rows, step = step_of(row_ - 1, column_ - 1);
    if (band == band_ && step >= first_step_) return;
    __syncwarp();
    band_ = band;
    first_step_ = maximum(0, step + 1 - TraceWalkMemory::steps);
    const u64* from = reinterpret_cast<const u64*>(codes_ + (band * a_.band_steps + first_step_) * 32);
    const i32 words = (step + 1 - first_step_) * trace_step_bytes / static_cast<i32>(sizeof(u64));
#pragma unroll 8
    for (i32 at = 2 * lane_; at < words; at += 64) {
      device::load_past_l1(from + at, memory_.codes[at], memory_.codes[at + 1]);
    }
    if constexpr (P::items == Items::letters) load_letters(step);
    __syncwarp();
  }
  __device__ void load_letters(i32 step) {
    const i64 row = extent_.piece.row - task_.row_begin + band_ * trace_band_rows;
    const i64 column = extent_.piece.column - task_.column_begin;
    for (i32 at = lane_; at < trace_band_rows && band_ * trace_band_rows + at < extent_.rows; at += 32) {
      memory_.rows[at] = device::load_past_l1(static_cast<const device::u8*>(task_.rows) + row + at);
    }
    first_column_ = maximum(0, first_step_ - 31);
    for (i32 at = first_column_ + lane_; at <= step && at < extent_.columns; at += 32) {
      memory_.columns[at - first_column_] =
          device::load_past_l1(static_cast<const device::u8*>(task_.columns) + column + at);
    }
  }

  /// The step of its band in which a cell was computed.
  __device__ static i32 step_of(i32 row, i32 column) { return column + row % trace_band_rows / trace_lane_rows; }
  /// The code of a cell up or left of the path's; `unknown` where that is not at hand.
  __device__ u32 code_at(i32 row, i32 column) const {
    if (row < band_ * trace_band_rows || column < 0) return unknown;
    const i32 step = step_of(row, column);
    if (step < first_step_) return unknown;
    const u16* codes = reinterpret_cast<const u16*>(memory_.codes) + (step - first_step_) * 32;
    return u32{codes[row % trace_band_rows / trace_lane_rows]} >> (4 * (row % trace_lane_rows)) & 15u;
  }
  __device__ u32 from_in_gap(u32 code) const {
    const u32 from = code & TraceCode::from;
    if (gap_ == PathGap::row) return code & TraceCode::opens_down ? from : TraceCode::up;
    if (gap_ == PathGap::column) return code & TraceCode::opens_right ? from : TraceCode::left;
    return from;
  }

  __device__ void add_pairs(i32 pairs) {
    const i32 row = row_ - 1 - lane_, column = column_ - 1 - lane_;
    PathStep step = PathStep::match;
    if constexpr (P::items == Items::letters) {
      const bool equal =
          lane_ < pairs && memory_.rows[row % trace_band_rows] == memory_.columns[column - first_column_];
      step = equal ? PathStep::match : PathStep::mismatch;
    }
    add(step, pairs);
    row_ -= pairs;
    column_ -= pairs;
    gap_ = PathGap::none;
  }

  /// One step up or left, and in an affine gap all that follow until the cell that opened it.
  __device__ void go_from(u32 from) {
    ended_ = from == TraceCode::end;
    if (ended_) return;
    const bool up = from == TraceCode::up;
    i32 more = 0;
    if (up ? P::row_planes == 2 : P::column_planes == 2) {
      const u32 code = up ? code_at(row_ - 2 - lane_, column_ - 1) : code_at(row_ - 1, column_ - 2 - lane_);
      const u32 opened = up ? TraceCode::opens_down : TraceCode::opens_right;
      more = leading(__ballot_sync(~0u, code != unknown && (code & opened) == 0));
      gap_ = up ? PathGap::row : PathGap::column;
    } else {
      gap_ = PathGap::none;
    }
    const i32 steps = minimum(1 + more, room());
    for (i32 done = 0; done < steps; done += 32)
      add(up ? PathStep::row : PathStep::column, minimum(32, steps - done));
    (up ? row_ : column_) -= steps;
  }

  /// Adds a step of each of the first lanes.
  __device__ void add(PathStep step, i32 lanes) {
    const u32 at = static_cast<u32>(count_ + lane_);
    if (lane_ < lanes) atomicOr(&memory_.path[at / 16], static_cast<u32>(step) << (2 * (at % 16)));
    count_ += lanes;
  }

  const TraceArguments<Task>& a_;
  const Task& task_;
  TraceWalkMemory& memory_;
  const int lane_;
  PathPlace place_;           // where the path was before the piece
  TraceExtent extent_{};      // of the piece
  u16* codes_ = nullptr;      // of the piece
  i32 row_ = 0, column_ = 0;  // letters consumed, counted from the piece's first
  PathGap gap_{};
  bool ended_ = false;
  i32 count_ = 0;
  i32 band_ = -1, first_step_ = 0, first_column_ = 0;  // of what is in shared memory
};

/// What a warp keeps in shared memory.
template <class P, class V, class Task>
struct TraceMemory {
  Task task;
  union {
    typename TraceBand<P, V, Task>::Memory band;
    TraceWalkMemory walk;
  };
};

/// Whether the codes of a piece are there.
template <class Task>
__device__ bool is_known(const TraceArguments<Task>& a, const Task& task, const TraceExtent& extent) {
  const i64* known = reinterpret_cast<const i64*>(a.known + buffer_of(a, task, extent.piece));
  return device::load_past_l1(known) == extent.piece.row && device::load_past_l1(known + 1) == extent.piece.column &&
         device::load_past_l1(known + 2) >= extent.rows && device::load_past_l1(known + 3) >= extent.columns;
}

/// Waits until all bands are finished (one thread); false when the launch is over.
template <class Task>
__device__ bool wait_for_bands(const TraceArguments<Task>& a) {
  for (u32 tries = 1; device::load_acquire(&a.slot->finished) != a.buffers * a.bands; ++tries) {
    if (tries % 64 == 0 && device::load_system(a.launch.port.abort) != 0) {
      device::store_release(&a.launch.words->abort.word, u64{1});
    }
    if (device::aborted(a.launch)) return false;
    __nanosleep(200);
  }
  return true;
}

/// Hands the result to the host, then lets the next block begin. All lanes call it.
template <class P, class Task>
__device__ void report_walk(const TraceArguments<Task>& a, u64 block, const TraceWalk<P, Task>& walk,
                            const TraceWalkMemory& memory) {
  const device::Port& port = a.launch.port;
  auto* result = reinterpret_cast<TraceResult*>(static_cast<device::u8*>(port.results) +
                                                (port.first + block) % port.ring * port.result_bytes);
  for (i32 at = lane_index(); at < (walk.count() + 15) / 16; at += 32) result->steps[at] = memory.path[at];
  if (lane_index() == 0) {
    device::note_end(port, port.first + block);
    result->place = walk.place();
    result->count = walk.count();
  }
  __threadfence_system();
  __syncwarp();
  if (lane_index() == 0) {
    device::store_release_system(port.done, port.first + block + 1);
    device::store_release(&a.launch.words->done.word, block + 1);
  }
}

/// Walks once all bands are finished, and reports; false when the launch is over. All lanes call it.
template <class P, class Task>
__device__ bool walk_pieces(const TraceArguments<Task>& a, u64 block, const Task& task, TraceWalkMemory& memory) {
  bool there = true;
  if (lane_index() == 0) there = wait_for_bands(a);
  if (!__shfl_sync(~0u, there, 0)) return false;
  __syncwarp();
  if (lane_index() == 0) {
    for (u32 ahead = 0; ahead < a.buffers; ++ahead) {
      const TraceExtent extent = extent_ahead(task, ahead);
      if (extent.rows == 0 || is_known(a, task, extent)) continue;
      a.known[buffer_of(a, task, extent.piece)] = {extent.piece.row, extent.piece.column, extent.rows,
                                                   extent.columns};
    }
    a.slot->finished = 0;
    __threadfence();
  }
  __syncwarp();
  TraceWalk<P, Task> walk(a, task, memory);
  while (walk.room() > 0) {
    const TraceExtent extent = extent_at(task, walk.place());
    if (extent.rows == 0 || !is_known(a, task, extent)) break;
    walk.run(extent);
  }
  __syncwarp();
  report_walk(a, block, walk, memory);
  return true;
}

/// Computes a band's codes, where the piece has that band and they are not there yet; false when the launch is over.
/// All lanes call it.
template <class P, class V, class Task>
__device__ bool compute_band(const TraceArguments<Task>& a, const typename P::template Constants<V>& k, u64 ticket,
                             u32 ahead, u32 band, TraceMemory<P, V, Task>& memory) {
  const TraceExtent extent = extent_ahead(memory.task, ahead);
  if (band < extent.bands() && !is_known(a, memory.task, extent)) {
    const u32 buffer = buffer_of(a, memory.task, extent.piece);
    // Codes of another piece are about to be written over.
    if (band == 0 && lane_index() == 0) a.known[buffer].rows = 0;
    if (!TraceBand<P, V, Task>(a, k, memory.task, extent, buffer, band, ticket, memory.band).run()) return false;
    __threadfence();
  }
  __syncwarp();
  if (lane_index() == 0) atomicAdd(&a.slot->finished, 1u);
  return true;
}

/// Computes codes and walks. A block of the launch has a ticket for every band of as many pieces as there are
/// buffers, and one for the walk; so whoever waits, waits for a warp that runs, however few are resident. The walk
/// waits for all of them: nobody reads a block's task once its result is reported.
template <class P, class V, class Task>
__global__ void __launch_bounds__(32)
    trace_kernel(const __grid_constant__ TraceArguments<Task> arguments,
                 const __grid_constant__ typename P::template Constants<i64> constants) {
  auto& memory = *reinterpret_cast<TraceMemory<P, V, Task>*>(device::launch_shared_memory());
  const auto k = P::template constants_as<V>(constants);
  const u64 tickets = u64{arguments.buffers} * arguments.bands + 1;
  for (;;) {
    u64 ticket = lane_index() == 0 ? device::take_ticket(arguments.launch) : 0;
    ticket = __shfl_sync(~0u, ticket, 0);
    const u64 block = ticket / tickets, part = ticket % tickets;
    if (block >= arguments.launch.port.count) return;
    bool begun = true;
    if (lane_index() == 0) begun = device::begin_block(arguments.launch, block, part == 0, &arguments.slot->task);
    if (!__shfl_sync(~0u, begun, 0)) return;
    __syncwarp();
    const u64* task = reinterpret_cast<const u64*>(&arguments.slot->task);
    for (u32 at = static_cast<u32>(lane_index()); at < sizeof(Task) / sizeof(u64); at += 32) {
      reinterpret_cast<u64*>(&memory.task)[at] = device::load_past_l1(task + at);
    }
    __syncwarp();
    const u32 ahead = static_cast<u32>(part / arguments.bands), band = static_cast<u32>(part % arguments.bands);
    if (ahead == arguments.buffers ? !walk_pieces<P>(arguments, block, memory.task, memory.walk)
                                   : !compute_band<P, V>(arguments, k, ticket, ahead, band, memory)) {
      return;
    }
    __syncwarp();
  }
}

}  // namespace terrace::wavefront
