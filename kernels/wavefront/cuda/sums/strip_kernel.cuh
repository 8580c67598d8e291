// The kernel of integer sums over areas, of a grid's values or of marks.
//
// A thread block walks down a strip of 128 columns, a batch of rows at a time, each warp some of them: it adds up
// along rows (shuffles) and down columns (through shared memory from warp to warp), which gives L, the sums from the
// strip's left edge on, without any other strip. To get H(i, j), one number a row is missing, H(i, first column - 1),
// the sum of the last columns of L of all strips before; they are published with tags (tagged.cuh). To keep chains
// short, strips form groups: a strip adds up the numbers of its own group and one carry from the groups before
// ("decoupled look-back", Merrill and Garland 2016). It does so a batch late, when these have long been written. A
// block begins when those are done whose borders it reads: borders need no tags.
//
// Counts of 32 bits are limited by writes, 4 bytes a cell: every layer reads the grid again, but layers that are
// under way together read it from L2. A batch is a chain of a barrier, a look-back and the sums between them, which
// takes as long for one strip as for as many as are resident: blocks of several layers fill the device where one has
// too few strips, 64 of 8192 columns.
#pragma once

#include "kernels/wavefront/cuda/sums/mark_sums.cuh"
#include "kernels/wavefront/cuda/sums/value_sums.cuh"

namespace terrace::wavefront {

/// The sums of R rows of a batch: of values in W, or of marks.
template <bool packed, class W, int R>
struct BatchOf {
  using Type = ValueSums<W, R>;
};
template <class W, int R>
struct BatchOf<true, W, R> {
  using Type = MarkSums<R>;
};

/// One strip. @tparam V sums; T the table's; `bytes` of a grid's value; whether marks are counted (`counts`)
///
/// While a lane adds up, its columns are 4 * lane, ...; it writes 16 bytes at a time, adjacent to the other
/// lanes': the same columns if T has 32 bits, else 2 * lane and 64 + 2 * lane and the columns after them
/// (column_to_write()).
template <class V, class T, int bytes, bool counts>
class StripSweep {
 public:
  using Shape = StripShape<V, bytes, counts>;
  static constexpr int R = Shape::rows;
  static constexpr int packet = packet_columns<T>;
  using W = typename LocalSum<V, bytes, counts>::Type;
  using Batch = typename BatchOf<Shape::packed, W, R>::Type;
  using Tagged = TaggedCell<V, 1>;
  using Memory = StripMemory<Batch>;
  static constexpr int lanes_a_row = 32 / R;  // that look back together

  __device__ StripSweep(const SweepArguments& arguments, const StripArguments& strips, const Strip& strip,
                        Memory& memory)
      : a_(arguments),
        s_(strips),
        strip_(strip),
        memory_(memory),
        lane_(lane_index()),
        warp_(static_cast<int>(threadIdx.x) / 32),
        first_(strip.index * strip_columns),
        reader_(strip, arguments.grid, first_ + lane_ * 4),
        member_(strip.index % strip_group),
        group_(strip.index / strip_group),
        room_(static_cast<i64>(strip.block % strips.rooms) * strips.room_words),
        tag_(strips.tag + static_cast<u32>(strip.block)) {
    table_ = static_cast<T*>(strip.task.table) + first_;
    table_aligned_ = reinterpret_cast<u64>(table_) % 16 == 0 && strip.task.table_stride * sizeof(T) % 16 == 0;
  }

  /// Sweeps the strip and writes its borders; false when the launch is over before that.
  /// @param score set by the last strip's last thread: H of the block's last cell
  /// @param failed true if a sum of this thread did not fit
  __device__ bool run(V& score, bool& failed) {
    load_top();
    const i32 batches = (strip_.rows + batch_rows(R) - 1) / batch_rows(R);
    V above[4], held_above[4]{};
    typename Batch::Held held(memory_.held[warp_], lane_);
    V last = 0;
    bool goes_on = true;
    if constexpr (Shape::reads_ahead) read_batch(0);
    for (i32 batch = 0; batch < batches; ++batch) {
      if constexpr (!Shape::reads_ahead) read_batch(batch);
      Batch sums(reader_);
      if constexpr (Shape::reads_ahead) read_batch(batch + 1);
      sums.add_up(lane_);
      W bottom[4];
      sums.last_row(bottom);
      store_sums(memory_.bottoms[batch & 1][warp_] + lane_ * 4, bottom);
      if (__syncthreads_or(!goes_on)) return false;
      add_above(batch, above);
      const V before_last = last;
      last = publish(batch, sums, above);
      goes_on = batch == 0 || finish(batch - 1, held, held_above, before_last);
      held.hold(sums);
#pragma unroll
      for (int c = 0; c < 4; ++c) held_above[c] = above[c];
    }
    if (batches > 0) goes_on = goes_on && finish(batches - 1, held, held_above, last);
    if (__syncthreads_or(!goes_on)) return false;
    if (strip_.task.bottom && warp_ == 0) store_bottom();
    if (strip_.index + 1 == strip_.count) end_right();
    score = score_;
    failed = overflow_;
    return true;
  }

 private:
  /// Column c of the columns that the lane writes, in the strip.
  __device__ __forceinline__ int column(int c) const { return column_to_write<T>(lane_, c); }
  __device__ __forceinline__ i32 row_of(i32 batch, int r) const { return batch * batch_rows(R) + warp_ * R + r; }

  /// H above column j of the block less H above the strip's left neighbour; beyond the block as in its last column.
  __device__ void load_top() {
    const BlockTask& task = strip_.task;
    if (!task.top) return;
    V corner = 0;
    if (first_ > 0) corner = load_stored<V>(a_.border, task.top, first_ - 1);
    else if (task.left) corner = load_stored<V>(a_.border, task.left, 0);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const i32 at = first_ + column(c) < strip_.width ? first_ + column(c) : strip_.width - 1;
      if (at >= 0) carry_[c] = add_wrapping(load_stored<V>(a_.border, task.top, at), negative(corner));
    }
  }
  __device__ __forceinline__ static V negative(V a) {
    if constexpr (sizeof(V) == 4) return static_cast<V>(0u - static_cast<u32>(a));
    else return static_cast<V>(u64{0} - static_cast<u64>(a));
  }

  __device__ __forceinline__ void read_batch(i32 batch) {
    if (row_of(batch, 0) - warp_ * R < strip_.rows) reader_.read(row_of(batch, 0));
  }

  /// The sum of the strip's rows above this warp's; carries it on to the next batch.
  __device__ __forceinline__ void add_above(i32 batch, V (&above)[4]) {
#pragma unroll
    for (int c = 0; c < 4; ++c) above[c] = carry_[c];
#pragma unroll
    for (int w = 0; w < strip_warps; ++w) {
      W bottom[4];
      read_sums<T>(memory_.bottoms[batch & 1][w], lane_, bottom);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        carry_[c] = add_wrapping(carry_[c], static_cast<V>(bottom[c]));
        if (w < warp_) above[c] = add_wrapping(above[c], static_cast<V>(bottom[c]));
      }
    }
  }

  /// Hands on L of the strip's last column; lane r returns the L of the warp's row r.
  __device__ __forceinline__ V publish(i32 batch, const Batch& sums, const V (&above)[4]) const {
    const V mine = static_cast<V>(sums.last_column(lane_));
    const V last = add_wrapping(mine, static_cast<V>(__shfl_sync(~0u, above[3], 31)));
    device::random_delay(a_.launch, static_cast<u64>(strip_.index) << 32 | static_cast<u32>(batch));
    const bool wanted = strip_.index + 1 < strip_.count && member_ + 1 < strip_group;
    if (lane_ < R && wanted) hand_on(s_.totals, strip_.index, row_of(batch, lane_), last);
    return last;
  }
  __device__ __forceinline__ u64* place(u64* values, i64 strip, i32 row) const {
    return values + room_ + (strip * s_.rows + row) * Tagged::words;
  }
  __device__ __forceinline__ void hand_on(u64* values, i64 strip, i32 row, V value) const {
    V cell[1] = {value};
    Tagged::store(place(values, strip, row), 0, tag_, cell);
  }

  /// H left of the strip in lane r (and r + R, ...) for the warp's row r, once all are there.
  __device__ __forceinline__ bool look_back(i32 batch, V& edge) const {
    constexpr int most = (strip_group + lanes_a_row - 1) / lanes_a_row;
    const i32 row = row_of(batch, lane_ % R);
    const int part = lane_ / R;
    V found[most];
    u32 waits = 0;
#pragma unroll
    for (int n = 0; n < most; ++n) {
      const int other = part + n * lanes_a_row;
      found[n] = 0;
      // In place of its own last strip's total a group asks for the carry of the group before it.
      if (other + 1 == strip_group ? group_ > 0 : other < member_) waits |= 1u << n;
      const bool from_border = other + 1 == strip_group && group_ == 0 && strip_.task.left && row < strip_.rows;
      if (from_border) found[n] = load_stored<V>(a_.border, strip_.task.left, row + 1);
    }
    const auto all_found = [&] {
#pragma unroll
      for (int n = 0; n < most; ++n) {
        const int other = part + n * lanes_a_row;
        const bool carried = other + 1 == strip_group;
        const u64* from =
            carried ? place(s_.carries, group_ - 1, row) : place(s_.totals, group_ * strip_group + other, row);
        V value[1];
        if ((waits >> n & 1) != 0 && Tagged::load(from, 0, tag_, value)) {
          found[n] = value[0];
          waits &= ~(1u << n);
        }
      }
      return __all_sync(~0u, waits == 0) != 0;
    };
    if (!device::wait_by_warp<device::backoffs::strips_before>(
            all_found, [&] { return device::must_leave(a_.launch, strip_.block); })) {
      return false;
    }
    edge = 0;
#pragma unroll
    for (int n = 0; n < most; ++n) edge = add_wrapping(edge, found[n]);
#pragma unroll
    for (int distance = R; distance < 32; distance *= 2) {
      edge = add_wrapping(edge, static_cast<V>(__shfl_xor_sync(~0u, edge, distance)));
    }
    return true;
  }

  /// Writes the batch that is held: false when the launch is over. @param last as publish() returned it
  __device__ __forceinline__ bool finish(i32 batch, const typename Batch::Held& held, const V (&above)[4], V last) {
    V edge = 0;
    if (!look_back(batch, edge)) return false;
    const V right = add_wrapping(edge, last);
    const bool ends_block = strip_.index + 1 == strip_.count;
    if (lane_ < R && !ends_block && member_ + 1 == strip_group) {
      hand_on(s_.carries, group_, row_of(batch, lane_), right);
    }
    if (lane_ < R && ends_block) put_right(row_of(batch, lane_), right);
    if (lane_ < R && row_of(batch, lane_) + 1 == strip_.rows) memory_.last_left = edge;
    // Read once: shared memory is read again after every store.
    const i32 rows = strip_.task.table ? strip_.rows - row_of(batch, 0) : 0;
    const i64 stride = strip_.task.table_stride;
    const bool whole = table_aligned_ && first_ + column(3) < strip_.width;
    T* to = table_ + row_of(batch, 0) * stride;
#pragma unroll
    for (int r = 0; r < R; ++r, to += stride) {
      const V left = __shfl_sync(~0u, edge, r);
      V sums[4];
      held.template finish<T>(r, left, above, sums);
      // Outside the block, sums repeat the sums of its last row and column.
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if constexpr (sizeof(T) < sizeof(V)) overflow_ = overflow_ || sums[c] != static_cast<T>(sums[c]);
      }
      if (r < rows) store_row(to, whole, sums);
    }
    return true;
  }

  /// @param to the strip's first cell of the row @param whole all columns of the lane are in the table and aligned
  __device__ __forceinline__ void store_row(T* to, bool whole, const V (&sums)[4]) const {
#pragma unroll
    for (int c = 0; c < 4; c += packet) {
      Sums<T, packet> part;
#pragma unroll
      for (int i = 0; i < packet; ++i) part.at[i] = static_cast<T>(sums[c + i]);
      if (whole) {
        store_once(to + column(c), part);
        continue;
      }
#pragma unroll
      for (int i = 0; i < packet; ++i) {
        if (first_ + column(c + i) < strip_.width) to[column(c + i)] = part.at[i];
      }
    }
  }

  /// H of the block's last row: rows below it add nothing.
  __device__ void store_bottom() const {
    const V left = static_cast<V>(memory_.last_left);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const i32 at = first_ + column(c);
      if (at < strip_.width) {
        store_stored(a_.border, strip_.task.bottom, at, add_wrapping(carry_[c], left));
      }
    }
  }

  /// H of the block's last column.
  __device__ __forceinline__ void put_right(i32 row, V h) {
    if (row >= strip_.rows) return;
    if (row + 1 == strip_.rows) score_ = h;
    if (strip_.task.right) store_stored(a_.border, strip_.task.right, row + 1, h);
  }

  /// The rest of the right border, once its H are there: the corner, and the sums of rows, H(i, j) - H(i - 1, j).
  __device__ void end_right() const {
    const BlockTask& task = strip_.task;
    if (!task.right) return;
    V corner = 0;
    if (strip_.width > 0 && task.top) corner = load_stored<V>(a_.border, task.top, strip_.width - 1);
    if (strip_.width == 0 && task.left) corner = load_stored<V>(a_.border, task.left, 0);
    if (threadIdx.x == 0) store_stored(a_.border, task.right, 0, corner);
    for (i32 row = static_cast<i32>(threadIdx.x); row < strip_.rows; row += strip_threads) {
      const V h = load_stored<V>(a_.border, task.right, row + 1);
      const V up = row > 0 ? load_stored<V>(a_.border, task.right, row) : corner;
      store_stored(a_.border, task.right, task.column_border_stride + row + 1, add_wrapping(h, negative(up)));
    }
  }

  const SweepArguments& a_;
  const StripArguments& s_;
  const Strip& strip_;
  Memory& memory_;
  const int lane_, warp_;
  const i32 first_;  // column of the strip in its block
  StripReader<W, bytes, counts, R> reader_;
  const i32 member_, group_;
  const i64 room_;  // words before the block's room
  const u32 tag_;
  T* table_;
  bool table_aligned_;  // 16 bytes move at a time
  V carry_[4] = {};     // L above the batch
  V score_ = 0;
  bool overflow_ = false;
};

template <class V, class T, int bytes, bool counts>
__global__ void __launch_bounds__(strip_threads, measured::CudaStrips::blocks)
    sum_strips_kernel(const __grid_constant__ SweepArguments arguments,
                      const __grid_constant__ StripArguments strips) {
  using Sweep = StripSweep<V, T, bytes, counts>;
  __shared__ Strip strip;
  auto& memory = *reinterpret_cast<typename Sweep::Memory*>(device::launch_shared_memory());
  while (take_strip(arguments, strips, strip)) {
    V score = 0;
    bool failed = false;
    if (!Sweep(arguments, strips, strip, memory).run(score, failed)) return;
    finish_strip(arguments, strip, score, failed);
  }
}

}  // namespace terrace::wavefront
