// The CUDA kernel of in-place sweeps. Lanes are sweeps, as on the CPU (cpu_in_place.hpp): what one pass over the
// columns hands to the next is a state of one value a lane and step. A warp makes a band of passes at once, and bands
// hand the state on through device memory as tagged words, so that neighbours are a few steps apart.
//
// Where a pass has few sweeps, a warp is cut into segments of W lanes, each of which makes passes of its own and
// hands the state to the next segment by a shuffle. At iteration t pass u of segment j is at step t - lag * (j * U +
// u), and its lane l, which makes sweep l, lag * l columns before that. No host library header: also compiled at run
// time.
#pragma once

#include "kernels/device/port.cuh"
#include "kernels/wavefront/in_place_problem.hpp"
#include "kernels/wavefront/in_place_task.hpp"
#include "kernels/wavefront/tagged.cuh"

namespace terrace::wavefront {

using device::i32;

/// Warps of a thread block, passes of a segment, iterations from one look at rows to the next.
inline constexpr int in_place_warps = 4;
inline constexpr int segment_passes = 8;
inline constexpr int row_piece = 32;

/// Bands of a group that are taken one after another: then come those of the next group, so that groups go side by
/// side. More than the bands that a band needs of the group before.
inline constexpr u32 group_turn = 8;

/// A slab that is under way; all zero at the start of a launch.
struct alignas(128) InPlaceSlot {
  InPlaceTask task;
  u32 finished;  // tickets
};

/// What the kernel is given. Slabs are counted from the launch's first.
struct InPlaceArguments {
  device::Launch launch;
  InPlaceSlot* slots;  // launch.slots of them; slab n uses slot n % launch.slots
  u64* progress;       // [slot][group][band]: slab + 1 in the high half, steps done in the low one
  u64* states;         // [group][margin + step][lane of W], tagged
  i64 group_words;     // of a group's state
  i64 margin;          // steps before the first that a state has room for
  i64 rows, columns;   // of the grid
  i64 slab_rows;       // of all slabs but the last
  u64 tickets;         // in all
  u32 bands;           // tickets of a slab; those beyond its bands do nothing
  u32 groups;          // of a pass, at most
  u32 group_bands;     // of a group of a slab, at most
};

/// Values that one 16-byte access takes.
template <class T>
inline constexpr int vector_values = 16 / static_cast<int>(sizeof(T));

/// Shared memory of a warp. Rows of a segment lie apart by a whole number of banks and 16 bytes.
template <class T, int W>
struct InPlaceMemory {
  static constexpr int segments = 32 / W, passes = segments * segment_passes;
  static constexpr int segment_stride = segment_passes * row_piece + vector_values<T>;

  __device__ static int at(int pass) {
    return pass / segment_passes * segment_stride + pass % segment_passes * row_piece;
  }

  alignas(
      16) T in[2][segments * segment_stride];    // rows 1, 2, ... of a band: what lane 0 of pass 0, 1, ... shifts in
  alignas(16) T first[2][row_piece];             // row 0
  alignas(16) T out[segments * segment_stride];  // rows that have been through all sweeps of the group
  const T* rows_in[passes + 1];
  T* rows_out[passes];
  InPlaceTask task;
};

/// A band that a warp works on; the same in all lanes.
struct InPlaceBand {
  u64 slab;
  u32 group, index;     // of the group; of the band in its group
  i64 first_row;        // that lane 0 is at in the first pass
  i32 live;             // passes that are made; the others leave the state as it is
  i32 lanes;            // that make sweeps
  u32 tag, tag_before;  // of the state's words, and of those of the band before; 0: there is none
  bool takes_over;      // the state is what the slab above left, in an earlier launch
  bool leaves;          // the state is for the slab below
};

/// Bands, rows and neighbours of a slab.
template <int W>
struct InPlaceGeometry {
  static constexpr int passes = 32 / W * segment_passes;
  const InPlaceArguments& a;
  const InPlaceTask& task;

  __device__ bool is_last() const { return task.row_end == a.rows; }
  __device__ i64 lanes_of(u32 group) const {
    const i64 left = task.sweeps - static_cast<i64>(group) * W;
    return left < W ? left : W;
  }
  /// Rows [begin, end) that lane 0 of a group is at.
  __device__ i64 begin_row(u32 group) const {
    return task.row_begin == 0 ? 0 : task.row_begin - 1 - static_cast<i64>(group) * W;
  }
  __device__ i64 end_row(u32 group) const {
    return is_last() ? a.rows + lanes_of(group) - 1 : task.row_end - 1 - static_cast<i64>(group) * W;
  }
  __device__ u32 bands_of(u32 group) const {
    return static_cast<u32>((end_row(group) - begin_row(group) + passes - 1) / passes);
  }
  template <class T>
  __device__ const T* row_above(i64 row) const {
    return static_cast<const T*>(task.above) + (row - (task.row_begin - 1 - task.sweeps)) * task.carry_stride;
  }
  template <class T>
  __device__ T* row_below(i64 row) const {
    return static_cast<T*>(task.below) + (row - (task.row_end - 1 - task.sweeps)) * task.carry_stride;
  }
  /// Where a group's sweeps leave a row, in place of those of the groups before.
  template <class T>
  __device__ T* row_out(i64 row) const {
    if (row < task.row_begin) {
      return static_cast<T*>(task.before) + (row - (task.row_begin - task.sweeps)) * task.result_stride;
    }
    if (!is_last() && row >= task.row_end - task.sweeps) return row_below<T>(row);
    return static_cast<T*>(task.result) + (row - task.row_begin) * task.result_stride;
  }
  /// A row as the sweeps before the group's left it. Beyond the last row any will do: no cell depends on it.
  template <class T>
  __device__ const T* row_in(u32 group, i64 row) const {
    if (row >= a.rows) row = a.rows - 1;
    if (task.row_begin > 0 && row <= begin_row(group)) return row_above<T>(row);
    if (group > 0) return row_out<T>(row);
    return static_cast<const T*>(task.grid) + (row - task.row_begin) * task.grid_stride;
  }
};

/// A value of the state with its tag, read and written without ordering anything else.
template <class T>
struct StateWord {
  static constexpr int words = static_cast<int>(sizeof(T)) / 4;
  u64 word[words];

  __device__ __forceinline__ void load(const u64* at) {
    if constexpr (words == 1) word[0] = device::load_relaxed(at);
    else device::load_relaxed(at, word[0], word[1]);
  }
  __device__ __forceinline__ bool fresh(u32 tag) const {
    bool is = true;
    for (int w = 0; w < words; ++w) is = is && static_cast<u32>(word[w] >> 32) == tag;
    return is;
  }
  __device__ __forceinline__ T value() const {
    if constexpr (words == 1) return __uint_as_float(static_cast<u32>(word[0]));
    else
      return __hiloint2double(static_cast<int>(static_cast<u32>(word[1])),
                              static_cast<int>(static_cast<u32>(word[0])));
  }
  __device__ __forceinline__ static void store(u64* at, u32 tag, T value) {
    const u64 high = static_cast<u64>(tag) << 32;
    if constexpr (words == 1) {
      device::store_relaxed(at, high | __float_as_uint(value));
    } else {
      device::store_relaxed(at, high | static_cast<u32>(__double2loint(value)),
                            high | static_cast<u32>(__double2hiint(value)));
    }
  }
};

/// One warp sweeping bands.
template <class P, class T, int W>
class InPlaceWarp {
 public:
  using Memory = InPlaceMemory<T, W>;
  using Word = StateWord<T>;
  static constexpr int lag = P::corners ? 2 : 1, passes = Memory::passes, U = segment_passes;
  /// Steps that the last pass of a band is behind the first, and iterations between looks at the state.
  static constexpr int behind = lag * (passes - 1), look = sizeof(T) == 4 ? 8 : 4;
  /// Rows that come in with each look.
  static constexpr int rows_a_look = (passes + row_piece / look) / (row_piece / look);

  __device__ InPlaceWarp(const InPlaceArguments& arguments, const typename P::template Constants<T>& constants,
                         Memory& memory)
      : a(arguments),
        k(constants),
        m(memory),
        lane(static_cast<int>(threadIdx.x % 32)),
        segment(lane / W),
        sweep(lane % W),
        columns(static_cast<i32>(arguments.columns)),
        steps(columns + lag * (W - 1)) {}

  /// Takes bands until there are none.
  __device__ void work() {
    while (take()) {
      if (skipped) {
        finish();
        continue;
      }
      if (!sweep_band()) return;
      finish();
    }
  }

 private:
  __device__ InPlaceGeometry<W> geometry() const { return {a, m.task}; }
  __device__ u64* progress_of(u64 slab, u32 group, u32 index) const {
    return a.progress + ((slab % a.launch.slots) * a.groups + group) * a.group_bands + index;
  }

  /// The warp's next band; false when the launch is over.
  __device__ bool take() {
    u64 ticket = 0;
    if (lane == 0) ticket = device::take_ticket(a.launch);
    ticket = __shfl_sync(~0u, ticket, 0);
    if (ticket >= a.tickets) return false;
    band.slab = ticket / a.bands;
    InPlaceSlot* slot = a.slots + band.slab % a.launch.slots;
    bool begun = true;
    if (lane == 0) begun = device::begin_block(a.launch, band.slab, ticket % a.bands == 0, &slot->task);
    if (!__shfl_sync(~0u, begun, 0)) return false;
    __syncwarp();
    if (lane < static_cast<int>(sizeof(InPlaceTask) / sizeof(u64))) {
      reinterpret_cast<u64*>(&m.task)[lane] = device::load_past_l1(reinterpret_cast<const u64*>(&slot->task) + lane);
    }
    __syncwarp();
    place(static_cast<u32>(ticket % a.bands));
    return true;
  }

  __device__ void place(u32 index) {
    const InPlaceGeometry<W> slab = geometry();
    // Turn c has bands of turn c - g of every group g: what they need of the group before was taken before.
    const u32 turn = index / (a.groups * group_turn), place = index % (a.groups * group_turn);
    band.group = place / group_turn;
    band.index = (turn - band.group) * group_turn + place % group_turn;
    skipped = turn < band.group || static_cast<i64>(band.group) * W >= m.task.sweeps ||
              band.index >= slab.bands_of(band.group);
    if (skipped) return;
    state = a.states + static_cast<i64>(band.group) * a.group_words + a.margin * (W * Word::words);
    band.first_row = slab.begin_row(band.group) + static_cast<i64>(band.index) * passes;
    const i64 left = slab.end_row(band.group) - band.first_row;
    band.live = left < passes ? static_cast<i32>(left) : passes;
    band.lanes = static_cast<i32>(slab.lanes_of(band.group));
    band.tag = static_cast<u32>(band.slab * a.group_bands + band.index + 1);
    band.tag_before = band.tag - 1;
    band.takes_over = band.index == 0 && band.slab == 0 && m.task.row_begin > 0;
    band.leaves = band.index + 1 == slab.bands_of(band.group) && !slab.is_last();
    if (band.index == 0) {
      // The slab above is a full one, and so has the bands that this group begins behind.
      band.tag_before = m.task.row_begin == 0 || band.slab == 0 ? 0 : tag_of_slab_above();
    }
    for (int v = lane; v <= passes; v += 32) {
      m.rows_in[v] = v <= band.live ? slab.template row_in<T>(band.group, band.first_row + v) : nullptr;
    }
    for (int u = lane; u < passes; u += 32) {
      const i64 row = band.first_row + u - (band.lanes - 1);
      m.rows_out[u] = u < band.live && row >= 0 && row < a.rows ? slab.template row_out<T>(row) : nullptr;
    }
    __syncwarp();
  }

  /// Bands of a group in the slab above.
  __device__ u32 bands_above(u32 group) const {
    const i64 end = m.task.row_begin - 1 - static_cast<i64>(group) * W;
    const i64 count = m.task.row_begin == a.slab_rows ? end : a.slab_rows;
    return static_cast<u32>((count + passes - 1) / passes);
  }
  __device__ u32 tag_of_slab_above() const {
    return static_cast<u32>((band.slab - 1) * a.group_bands + bands_above(band.group));
  }

  /// Waits until a band has made so many steps (one lane).
  __device__ bool wait_for_steps(u64 slab, u32 group, u32 index, i64 wanted) const {
    const u64 value = (slab + 1) << 32 | static_cast<u64>(wanted < steps ? wanted : steps);
    const u64* word = progress_of(slab, group, index);
    for (u32 tries = 0; device::load_acquire(word) < value; ++tries) {
      if (tries % 16 == 15 && device::must_leave(a.launch, band.slab)) return false;
      __nanosleep(200);
    }
    return true;
  }

  /// The band of the group before that leaves a row, or the first one where no band of the slab does.
  __device__ u32 maker_of(i64 row) const {
    const i64 made = row + W - 1 - geometry().begin_row(band.group - 1);
    return made < 0 ? 0 : static_cast<u32>(made / passes);
  }

  /// Waits for the rows that iterations up to `end` read (all lanes).
  __device__ bool wait_for_rows(i32 end) const {
    if (band.group == 0 && (band.index > 0 || band.slab == 0)) return true;
    bool there = true;
    if (lane == 0) {
      const i64 columns = end + lag + 1;
      if (band.group > 0) {
        // All bands that make these rows: one may be ahead of the rows that the band before it has yet to write.
        i64 last = band.first_row + band.live;
        if (last > a.rows - 1) last = a.rows - 1;
        const u32 end_maker = maker_of(last) + 1;
        for (u32 maker = maker_of(band.first_row); there && maker < end_maker; ++maker) {
          there = wait_for_steps(band.slab, band.group - 1, maker, columns + lag * (W - 1));
        }
      }
      if (there && band.index == 0 && band.slab > 0) {
        const u32 above = band.group == 0 ? 0 : band.group - 1;
        there = wait_for_steps(band.slab - 1, above, bands_above(above) - 1, columns + lag * (W - 1));
      }
    }
    there = __shfl_sync(~0u, there, 0);
    __syncwarp();
    return there;
  }

  /// A value of row v of the band for iteration begin + lane, where there is one: past L1, which may hold what the
  /// row was before.
  __device__ __forceinline__ T load_row(int v, i32 begin) const {
    const i32 column = begin + lane + (v == 0 ? 1 : lag * (2 - v));
    if (v > band.live || column < 0 || column >= columns) return T(0);
    return device::load_past_l1(m.rows_in[v] + column);
  }
  __device__ __forceinline__ void put_row(int v, int buffer, T value) {
    T* to = v == 0 ? m.first[buffer] : m.in[buffer] + Memory::at(v - 1);
    if (v <= passes) to[lane] = value;
  }

  /// Leaves the slab's last row, which no sweep of the slab makes, as it came.
  __device__ void leave_last_row(i32 begin, int buffer) {
    const i32 column = begin + lane + lag * (2 - band.live);
    if (column < 0 || column >= columns) return;
    geometry().template row_below<T>(m.task.row_end - 1)[column] = m.in[buffer][Memory::at(band.live - 1) + lane];
  }

  __device__ void store_rows(i32 begin) {
    for (int u = 0; u < band.live; ++u) {
      T* row = m.rows_out[u];
      const i32 column = begin + lane - lag * (u + band.lanes - 1);
      if (row != nullptr && column >= 0 && column < columns) row[column] = m.out[Memory::at(u) + lane];
    }
  }

  /// The state that the slab above left, at a step.
  __device__ T state_above(i32 step) const {
    const i32 column = step - lag * sweep;
    if (lane >= band.lanes || column < 0 || column >= columns) return T(0);
    return device::load_past_l1(geometry().template row_above<T>(band.first_row - 1 - lane) + column);
  }
  /// Leaves the state that the last segment made at a step for the slab below.
  __device__ void leave_state(i32 step, T value) {
    const i32 column = step - lag * sweep;
    if (segment + 1 < Memory::segments || sweep >= band.lanes || column < 0 || column >= columns) return;
    geometry().template row_below<T>(m.task.row_end - 2 - static_cast<i64>(band.group) * W - sweep)[column] = value;
  }

  __device__ __forceinline__ u64* state_at(i32 step, int of) const {
    return state + (static_cast<i64>(step) * W + of) * Word::words;
  }

  __device__ __forceinline__ void request_state(i32 first, Word (&word)[look]) const {
    if (lane >= W || band.tag_before == 0) return;
    const u64* at = state_at(first, lane);
#pragma unroll
    for (int i = 0; i < look; ++i) word[i].load(at + i * W * Word::words);
  }

  /// Whether the band before has written the words; steps that no cell depends on are not waited for.
  __device__ __forceinline__ bool state_is_fresh(i32 first, const Word (&word)[look]) const {
    bool fresh = true;
#pragma unroll
    for (int i = 0; i < look; ++i) fresh = fresh && word[i].fresh(band.tag_before);
    if (fresh || lane >= W) return true;
    fresh = true;
    for (int i = 0; i < look; ++i) {
      fresh = fresh && (word[i].fresh(band.tag_before) || first + i >= steps || first + i < 0);
    }
    return fresh;
  }

  /// The values of `look` steps from `first` on, once the band before has written them.
  __device__ __forceinline__ bool receive_state(i32 first, Word (&word)[look], T (&value)[look]) const {
    if (band.tag_before != 0) {
      for (u32 tries = 0; !__all_sync(~0u, state_is_fresh(first, word)); ++tries) {
        if (tries % 64 == 63) {
          bool leave = false;
          if (lane == 0) leave = device::must_leave(a.launch, band.slab);
          if (__shfl_sync(~0u, leave, 0)) return false;
        }
        if (tries > 8) __nanosleep(tries < 40 ? 20 : 100);
        request_state(first, word);
      }
#pragma unroll
      for (int i = 0; i < look; ++i) value[i] = word[i].value();
    } else {
#pragma unroll
      for (int i = 0; i < look; ++i) value[i] = band.takes_over && lane < W ? state_above(first + i) : T(0);
    }
    return true;
  }

  /// What the passes of a lane keep from iteration to iteration. Without corners below[0] is what is below.
  struct Passes {
    T self[U], made[U], up_left[U], up[U], below[3][U];
  };

  /// How far a piece needs care: `none` where every cell lies inside the rim, `rim` where some may not, `all` where
  /// passes of the band are not made, or the state is left for the next slab.
  enum class Care { none, rim, all };

  /// A bit for every pass in which the lane's row lies inside the rim.
  __device__ u32 inner_rows() const {
    u32 inner = 0;
    for (int u = 0; u < U; ++u) {
      const i64 row = band.first_row + segment * U + u - sweep;
      if (row >= 1 && row < a.rows - 1) inner |= 1u << u;
    }
    return inner;
  }

  /// @param shifted_in what lane 0 of the segment's sweeps takes in from the row below the cell
  template <Care care>
  __device__ __forceinline__ void make_cell(Passes& p, int u, i32 t, T above, T beside, T shifted_in,
                                            u32 inner) const {
    Neighbourhood<T> n;
    if constexpr (P::corners) {
      n = {p.up_left[u], p.up[u], above, p.made[u], p.self[u], beside, p.below[2][u], p.below[1][u], p.below[0][u]};
    } else {
      n = {above, above, above, p.made[u], p.self[u], beside, above, p.below[0][u], above};
    }
    T made = P::template cell<T>(k, n);
    if constexpr (care != Care::none) {
      const i32 column = t - lag * (segment * U + sweep) - lag * u;
      const bool inside = column >= 1 && column < columns - 1 && (inner >> u & 1) != 0;
      if (!inside) made = n.self;
    }
    if constexpr (care == Care::all) {
      if (segment * U + u >= band.live) made = n.up;
    }
    if constexpr (P::corners) {
      p.up_left[u] = n.up;
      p.up[u] = above;
      p.below[2][u] = n.down;
      p.below[1][u] = n.down_right;
    }
    p.self[u] = beside;
    p.made[u] = made;
    const T shifted = __shfl_up_sync(~0u, made, 1);
    p.below[0][u] = sweep == 0 ? shifted_in : shifted;
  }

  template <Care care>
  __device__ __forceinline__ void iterate(Passes& p, i32 t, T above, T first_in, const T (&in)[U], u32 inner) const {
    T own = P::corners ? p.up_left[0] : above;
    T beside = __shfl_up_sync(~0u, own, 1);
    if (sweep == 0) beside = first_in;
    if constexpr (W < 32) {
      const T above_segment = __shfl_up_sync(~0u, p.made[U - 1], W);
      const T beside_segment = __shfl_up_sync(~0u, p.below[P::corners ? 2 : 0][U - 1], W);
      if (segment > 0) above = above_segment, beside = beside_segment;
    }
    // Each pass takes what the one before left an iteration ago, so the last goes first.
#pragma unroll
    for (int u = U - 1; u > 0; --u) {
      make_cell<care>(p, u, t, p.made[u - 1], p.below[P::corners ? 2 : 0][u - 1], in[u], inner);
    }
    make_cell<care>(p, 0, t, above, beside, in[0], inner);
  }

  /// Iterations [begin, begin + row_piece); the rows for those after them come in meanwhile.
  template <Care care>
  __device__ __forceinline__ bool sweep_piece(Passes& p, i32 begin, int buffer, Word (&word)[look], u32 inner) {
    constexpr int V = vector_values<T>;
    const T* in = m.in[buffer] + segment * Memory::segment_stride;
    T* out = m.out + segment * Memory::segment_stride;
    const bool stores_out = sweep == band.lanes - 1;
    for (int i = 0; i < row_piece; i += look) {
      T above[look], incoming[rows_a_look];
      if (!receive_state(begin + i + lag - 1, word, above)) return false;
      request_state(begin + i + look + lag - 1, word);
      const int row = i / look * rows_a_look;
#pragma unroll
      for (int r = 0; r < rows_a_look; ++r) incoming[r] = load_row(row + r, begin + row_piece);
#pragma unroll
      for (int j = 0; j < look; j += V) {
        struct alignas(16) Values {
          T value[V];
        };
        const Values first = *reinterpret_cast<const Values*>(m.first[buffer] + i + j);
        Values taken[U], given[U];
#pragma unroll
        for (int u = 0; u < U; ++u) taken[u] = *reinterpret_cast<const Values*>(in + u * row_piece + i + j);
#pragma unroll
        for (int n = 0; n < V; ++n) {
          const i32 t = begin + i + j + n;
          T shifted_in[U];
#pragma unroll
          for (int u = 0; u < U; ++u) shifted_in[u] = taken[u].value[n];
          iterate<care>(p, t, above[j + n], first.value[n], shifted_in, inner);
#pragma unroll
          for (int u = 0; u < U; ++u) given[u].value[n] = p.made[u];
          if (lane >= 32 - W) Word::store(state_at(t - behind, lane - (32 - W)), band.tag, p.made[U - 1]);
          if constexpr (care == Care::all) {
            if (band.leaves) leave_state(t - behind, p.made[U - 1]);
          }
        }
        if (stores_out) {
#pragma unroll
          for (int u = 0; u < U; ++u) *reinterpret_cast<Values*>(out + u * row_piece + i + j) = given[u];
        }
      }
#pragma unroll
      for (int r = 0; r < rows_a_look; ++r) put_row(row + r, buffer ^ 1, incoming[r]);
    }
    return true;
  }

  __device__ Care care_of(i32 begin) const {
    if (band.live < passes || band.leaves) return Care::all;
    const bool inside = begin > lag * (passes + W) && begin + row_piece < columns - 1 && band.first_row >= W &&
                        band.first_row + passes < a.rows - 1;
    return inside ? Care::none : Care::rim;
  }

  __device__ void publish(i32 done) const {
    __syncwarp();
    if (lane == 0) {
      __threadfence();
      const i32 least = done < 0 ? 0 : done < steps ? done : steps;
      device::store_release(progress_of(band.slab, band.group, band.index),
                            (band.slab + 1) << 32 | static_cast<u64>(least));
    }
  }

  __device__ bool sweep_band() {
    Passes p{};
    Word word[look];
    const u32 inner = inner_rows();
    const i32 end = steps + behind;
    const bool leaves_row = band.leaves && band.group == 0;
    i32 begin = -lag;
    if (!wait_for_rows(begin + row_piece)) return false;
    request_state(begin + lag - 1, word);
    for (int v = 0; v <= band.live; ++v) put_row(v, 0, load_row(v, begin));
    __syncwarp();
    for (int piece = 0; begin < end; ++piece, begin += row_piece) {
      const int buffer = piece & 1;
      if (!wait_for_rows(begin + 2 * row_piece)) return false;
      const Care care = care_of(begin);
      const bool going_on = care == Care::none  ? sweep_piece<Care::none>(p, begin, buffer, word, inner)
                            : care == Care::rim ? sweep_piece<Care::rim>(p, begin, buffer, word, inner)
                                                : sweep_piece<Care::all>(p, begin, buffer, word, inner);
      if (!going_on) return false;
      __syncwarp();
      store_rows(begin);
      if (leaves_row) leave_last_row(begin, buffer);
      if (piece % 2 == 1 || begin + row_piece >= end) {
        device::random_delay(a.launch, band.tag + static_cast<u64>(piece));
        publish(begin + row_piece - behind);
      }
      __syncwarp();
    }
    return true;
  }

  /// Counts the ticket; the slab's last one reports it.
  __device__ void finish() {
    __syncwarp();
    if (lane == 0) {
      __threadfence();
      const u32 before = atomicAdd(&a.slots[band.slab % a.launch.slots].finished, 1u);
      if (before + 1 == a.bands) {
        a.slots[band.slab % a.launch.slots].finished = 0;
        __threadfence();
        device::report_block(a.launch, band.slab, InPlaceResult{1}, false);
      }
    }
    __syncwarp();
  }

  const InPlaceArguments& a;
  const typename P::template Constants<T>& k;
  Memory& m;
  const int lane, segment, sweep;
  const i32 columns, steps;  // of a pass over the columns
  u64* state = nullptr;      // of the band's group, at step 0
  InPlaceBand band;
  bool skipped = false;
};

/// @tparam W sweeps of a group
template <class P, class T, int W>
__global__ void __launch_bounds__(32 * in_place_warps, sizeof(T) == 4 && W == 32 ? 3 : 2)
    sweep_in_place_kernel(const __grid_constant__ InPlaceArguments arguments,
                          const __grid_constant__ typename P::template Constants<T> constants) {
  auto* memory = reinterpret_cast<InPlaceMemory<T, W>*>(device::launch_shared_memory()) + threadIdx.x / 32;
  InPlaceWarp<P, T, W>(arguments, constants, *memory).work();
}

}  // namespace terrace::wavefront
