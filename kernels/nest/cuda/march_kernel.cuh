// A block of a nest on CUDA by warps that march: a warp owns a band of rows, and its lanes make chunks of columns,
// each lane one chunk behind the lane before. Values stay in registers; the last rows of a lane go to the next one by
// shuffles, those of a band to the next one through tagged words (march_border.cuh), the last levels of a group of
// levels to the next group through a plane (march_planes.cuh). Bands are taken by tickets in order, so that none
// waits for one that nobody has. Compiled at run time with the struct N of a nest (written/work.hpp), whose `Values`
// are the window of a lane: its cells of a step, and those before that they read.
//
// In a nest with ghosts, cells outside a statement's box have the first value of the element that they would write
// (march_rim.cuh); so all reads of a cell are alike. A lane that has not begun, or has ended, makes cells that
// nothing reads.
#pragma once

#include "kernels/launch/pieces.cuh"
#include "kernels/nest/cuda/block.cuh"
#include "kernels/nest/cuda/march_border.cuh"
#include "kernels/nest/cuda/march_faces.cuh"
#include "kernels/nest/cuda/march_planes.cuh"
#include "kernels/nest/cuda/march_rim.cuh"

namespace terrace::nest {

/// The first failure of a lane's cells.
struct LaneFailure {
  u64 cell;
  NestFailure failure;
};

/// The shared memory of a warp.
struct WarpRooms {
  unsigned char* planes;
  u64* ghosts;
};

template <class N>
class BandMarch {
  using Shape = MarchShape<N>;
  using Values = typename N::Values;
  static constexpr int last = Shape::last, line = Shape::line, rows = Shape::rows, columns = Shape::columns,
                       levels = Shape::levels, levels_before = Shape::levels_before, rows_before = Shape::rows_before,
                       columns_before = Shape::columns_before;
  static constexpr bool has_border = Shape::chunk_words > 0, has_planes = levels_before > 0;

 public:
  __device__ BandMarch(NestState* state, const MarchWork& work, const u64* aborts, WarpRooms rooms, Found& found)
      : state_(state), aborts_(aborts), rooms_(rooms), found_(found), lane_{&work, device::lane_index(), {}} {}

  /// Makes the band of a ticket; the first of a group writes the rows before the block instead.
  /// @return false if the launch is over
  __device__ bool run(u64 ticket) {
    const MarchWork& work = *lane_.work;
    find_band(static_cast<i64>(ticket));
    place_ = group_ % work.rings;
    border_ = {work.border + place_ * (work.border_words / work.rings),
               static_cast<u32>(group_ * (work.bands + 1) + band_ + 1) + 1, lane_.number};
    ticket_ = static_cast<unsigned>(ticket);
    if (!wait_for_place()) return false;
    if (band_ < 0) return fill_border();
    failure_.cell = ~u64{0};
    find_rows();
    Values left, values;
    load_left<0>(left);
    if constexpr (has_planes) {
      planes_ = {lane_, group_, band_, place_, rooms_.planes};
      if (!planes_.begin(lane_, steps_.from, leave(0))) return false;
    }
    Steps stored{steps_.from, steps_.from};
    for (int step = steps_.from; step < steps_.to;) {
      if (step >= stored.to) stored = find_stored(step);
      keeping_ = step < stored.from ? Keeping::cells : keeps_ ? Keeping::rows : Keeping::nothing;
      int to = step < stored.from ? stored.from : stored.to;
      const bool is_usual = step >= usual_.from && step < usual_.to;
      if (is_usual) to = values::smaller(to, usual_.to);
      else if (step < usual_.from) to = values::smaller(to, usual_.from);
      if (!(is_usual ? march_steps<false>(values, left, {step, to}) : march_others(values, left, {step, to})))
        return false;
      step = to;
    }
    note_failures();
    if constexpr (has_planes) planes_.end(lane_);
    finish_band();
    return true;
  }

 private:
  /// The way in which a step is kept: nothing, whole rows of one part, or cells one by one.
  enum class Keeping { nothing, rows, cells };

  __device__ i64 begin(int n) const { return lane_.begin(n); }
  __device__ i64 end(int n) const { return lane_.end(n); }

  /// Sets group and band of a ticket: in the order of band + march_group_lag * group, so that a group is begun while
  /// those before it are under way.
  __device__ void find_band(i64 ticket) {
    const i64 all = lane_.work->bands + 1;
    i64 low = 0, high = all + march_group_lag * (lane_.work->groups - 1);
    while (high - low > 1) {
      const i64 middle = (low + high) / 2;
      if (tickets_before(middle) <= ticket) low = middle;
      else high = middle;
    }
    group_ = first_group(low) + ticket - tickets_before(low);
    band_ = low - march_group_lag * group_ - 1;
  }
  /// The first group that has not drawn all tickets before those of an order.
  __device__ i64 first_group(i64 order) const {
    const i64 past = order - (lane_.work->bands + 1);
    return past < 0 ? 0 : values::smaller(lane_.work->groups, past / march_group_lag + 1);
  }
  __device__ i64 tickets_before(i64 order) const {
    const i64 whole = first_group(order),
              begun = values::smaller(lane_.work->groups, (order + march_group_lag - 1) / march_group_lag);
    return whole * (lane_.work->bands + 1) + (begun - whole) * order -
           march_group_lag * (begun * (begun - 1) - whole * (whole - 1)) / 2;
  }

  /// True if the host wants no result any more: lane 0 is asked. The first thread block alone asks the host, whose
  /// word is read over the bus, 1.0 us each time, one after another for the whole device.
  /// @param turn of those in which bands ask; in one of 16, each in another one, a band asks the host
  __device__ bool leaves(int turn) const {
    const bool asks_host = blockIdx.x == 0 && (ticket_ + static_cast<unsigned>(turn)) % 16 == 0;
    if (asks_host && device::load_system(aborts_) != 0) device::store_relaxed(&state_->aborted, u64{1});
    return device::load_relaxed(&state_->aborted) != 0;
  }
  __device__ auto leave(int turn) const {
    return [this, turn] { return leaves(turn); };
  }
  __device__ bool leaves_by_warp(int turn) const {
    return __any_sync(all_lanes, lane_.number == 0 && leaves(turn)) != 0;
  }

  /// Waits until all bands of the group that had the place in the ring before are finished. Each band of a group
  /// waits: those that read nothing of the band above would write over rows that are still read.
  /// @return false if the launch is over
  __device__ bool wait_for_place() const {
    const MarchWork& work = *lane_.work;
    const u64 before = static_cast<u64>(group_ / work.rings) * static_cast<u64>(work.bands);
    if (before == 0) return true;
    const bool is_free = device::wait_by_warp<device::backoffs::in_place_rows>(
        [&] {
          return __all_sync(all_lanes, lane_.number != 0 || device::load_acquire(&work.finished[place_]) >= before) !=
                 0;
        },
        leave(0));
    // All lanes see what the first one has seen.
    __syncwarp();
    return is_free;
  }
  /// Writes the rows before the block as a band would.
  __device__ bool fill_border() {
    const MarchWork& work = *lane_.work;
    const i64 all = work.chunks * columns, first_level = begin(0) + (Shape::has_levels ? group_ * levels : 0);
    for (i64 column = 0; column < all; column += march_lanes) {
      if (column % 2048 == 0 && leaves_by_warp(static_cast<int>(column / 2048))) return false;
      if (column + lane_.number < all) border_.fill(work, first_level, column + lane_.number);
    }
    return true;
  }

  /// Looks at the rows of the band's lanes, and those of the band above.
  __device__ __noinline__ void find_rows() {
    const MarchWork& work = *lane_.work;
    lane_.c[0] = begin(0) + (Shape::has_levels ? group_ * levels : 0);
    lane_.c[line] = begin(line) + ((band_ - 1) * march_lanes + lane_.number) * rows;
    Steps above{0, static_cast<int>(work.steps)};
    bool is_whole = true;
    for (int n = 0; n < N::rank; ++n) is_whole &= work.block.after[n] == nullptr;
    if (is_whole && band_ > 0) {
      rim_.find(lane_);
      above = rim_.steps(lane_);
    }
    chunks_above_ = {values::larger(0, above.from - (march_lanes - 1)), above.to - (march_lanes - 1)};
    lane_.c[line] += march_lanes * rows;
    rim_.find(lane_);
    // The faces after a block have all of its cells.
    steps_ = is_whole ? rim_.steps(lane_) : Steps{0, static_cast<int>(work.steps)};
    keeps_ = __any_sync(all_lanes, keeps_rows<0>()) != 0;
    find_usual();
  }
  /// Finds the steps in which all lanes that have begun and have not ended make whole chunks of usual cells.
  __device__ void find_usual() {
    i64 low = begin(last), high = end(last);
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) clip_usual<0>(level, row, low, high);
    }
    const i64 first = (low - begin(last) + columns - 1) / columns, past = (high - begin(last)) / columns,
              steps = lane_.work->steps;
    i64 from = first == 0 ? 0 : first + lane_.number,
        to = past * columns == end(last) - begin(last) ? steps : past + lane_.number;
    if (first >= past) from = steps;
    intersect(from, to);
    usual_ = {static_cast<int>(from), static_cast<int>(values::larger(from, to))};
    usual_first_ = static_cast<int>(first);
    usual_last_ = static_cast<int>(past - 1);
  }
  template <int s>
  __device__ void clip_usual(int level, int row, i64& low, i64& high) const {
    if constexpr (s < N::statements) {
      i64 c[most_coordinates] = {};
      lane_.set_row(level, row, c);
      if (lane_.is_row(c)) N::template Statement<s>::usual_row(c, low, high);
      else high = low;
      clip_usual<s + 1>(level, row, low, high);
    }
  }
  /// Finds the next steps from `step` on in which no lane keeps anything but whole rows of one part, if the band
  /// keeps any.
  __device__ Steps find_stored(int step) {
    const bool has_after = lane_.work->block.after[last] != nullptr;
    Steps stored{step, steps_.to};
    if (!keeps_ && !has_after) return stored;
    i64 low = begin(last) + values::larger(i64{0}, static_cast<i64>(step - march_lanes + 1) * columns),
        high = has_after ? end(last) - columns_before : end(last);
    if (low >= high || (keeps_ && !stores_.find(state_->task, lane_, low, high))) return {steps_.to, steps_.to};
    const i64 first = (low - begin(last) + columns - 1) / columns;
    if (first > 0) stored.from = static_cast<int>(values::larger(i64{step}, first + march_lanes - 1));
    if (high < end(last))
      stored.to = static_cast<int>(values::smaller(i64{stored.to}, (high - begin(last)) / columns));
    if (stored.from < stored.to) return stored;
    // Too few for all lanes: the steps to the last column of the range are like others.
    stored.from = stored.to = values::smaller(steps_.to, values::larger(step, stored.to + march_lanes) + 1);
    return stored;
  }

  /// True if some of a lane's cells are kept.
  template <int s>
  __device__ bool keeps_rows() const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      for (int level = 0; level < levels; ++level) {
        for (int row = 0; row < rows; ++row) {
          i64 c[most_coordinates] = {};
          lane_.set_row(level, row, c);
          if (!lane_.is_row(c)) continue;
          for (int n = 0; n < last; ++n) {
            if (lane_.work->block.after[n] != nullptr && c[n] >= end(n) - N::halo(n)) return true;
          }
          i64 low = begin(last), high = end(last), base[most_coordinates] = {};
          S::kept_row(c, low, high);
          if (low >= high) continue;
          if (S::best != 0 || S::has_corner) return true;
          S::set_base(c, base);
          for (int n = 0; n < state_->task.part_count; ++n) {
            const Part& part = state_->task.parts[n];
            i64 first = low, past = high;
            for (int axis = 0; axis < S::axes; ++axis)
              clip(part.begin[axis], part.end[axis], base[axis], S::slope(axis), first, past);
            if (part.statement == s && first < past) return true;
          }
        }
      }
      return keeps_rows<s + 1>();
    }
    return false;
  }

  __device__ bool march_others(Values& values, const Values& left, Steps steps) {
    if constexpr (N::has_ghosts) return march_steps<true>(values, left, steps);
    else return march_any(values, left, steps);
  }

  /// Steps in which cells may be of any kind, the window in memory.
  __device__ __noinline__ bool march_any(Values& values, const Values& left, Steps steps) {
    typename Border<N>::Asked asked{};
    for (int step = steps.from; step < steps.to; ++step) {
      if (!begin_step(values, step, asked)) return false;
      if (step == lane_.number) set_left<0>(values, left);
      if (lane_.is_active(step)) {
        make_any(values, step);
        if (keeping_ == Keeping::rows) store_rows(values, step);
      }
      end_step(values, step);
    }
    return true;
  }

  /// Steps of which all cells are usual ones; or of a nest with ghosts any steps, of which some are on the rim.
  template <bool rim>
  __device__ __forceinline__ bool march_steps(Values& memory, const Values& left, Steps steps) {
    Values values = memory;
    typename Border<N>::Asked asked{};
    // Copies, which stay in registers: calls may change what lies in memory.
    const MarchWork work = *lane_.work;
    BandMarch own = *this;
    own.lane_.work = &work;
    i64 at[most_coordinates] = {};
    at[0] = lane_.c[0];
    at[line] = lane_.c[line];
    for (int step = steps.from; step < steps.to; ++step) {
      if (!own.begin_step(values, step, asked)) return false;
      if (step == own.lane_.number) set_left<0>(values, left);
      const bool is_active = own.lane_.is_active(step);
      bool fails = false;
      Outside<N> outside{};
      int chunk = step - own.lane_.number;
      if constexpr (rim) own.rim_.look(own.lane_, step, own.rooms_.ghosts, memory, outside);
      else chunk = values::smaller(values::larger(chunk, own.usual_first_), own.usual_last_);
      at[last] = own.begin(last) + i64{chunk} * columns;
#pragma unroll
      for (int level = 0; level < levels; ++level) {
#pragma unroll
        for (int row = 0; row < rows; ++row) {
#pragma unroll
          for (int column = 0; column < columns; ++column)
            own.template make_usual<rim, 0>(values, memory, outside, at, level, row, column, fails);
        }
      }
      fails = usual_fails<0>() && __any_sync(all_lanes, fails && is_active) != 0;
      if (own.keeping_ == Keeping::cells || fails) {
        Values copy = values;
        if (is_active) take_step(copy, step, fails);
        if (usual_fails<0>()) values = copy;
      }
      if (own.keeping_ == Keeping::rows && is_active) own.store_rows(values, step);
      own.end_step(values, step);
    }
    memory = values;
    return true;
  }
  __device__ __forceinline__ void store_rows(const Values& values, int step) const {
    const i64 column = lane_.column_of(step);
    stores_.store(values, column - begin(last), static_cast<int>(values::smaller(i64{columns}, end(last) - column)));
  }
  template <int s>
  __device__ static constexpr bool usual_fails() {
    if constexpr (s < N::statements) return N::template Statement<s>::usual_fails || usual_fails<s + 1>();
    return false;
  }

  /// Makes the cells of a step again if some have no value; keeps what is kept.
  __device__ __noinline__ void take_step(Values& values, int step, bool fails) {
    if (fails) make_any(values, step);
    else keep_chunk(values, step);
  }

  template <bool rim, int number>
  __device__ __forceinline__ void make_usual(Values& values, const Values& ghosts, const Outside<N>& outside,
                                             const i64 (&first)[most_coordinates], int level, int row, int column,
                                             bool& fails) const {
    if constexpr (number < N::statements) {
      constexpr int s = N::order(number);
      using S = typename N::template Statement<s>;
      const int index = Shape::index(level, row, column);
      i64 c[most_coordinates] = {}, y[most_coordinates] = {}, loops[most_coordinates] = {};
      c[0] = first[0] + (Shape::has_levels ? level : 0);
      c[line] = first[line] + row;
      c[last] = first[last] + column;
      S::locate(c, y);
      S::spread(y, loops);
      typename S::Made made;
      typename N::Carried before;
      load_carried<N>(values, index, before);
      int code = 0;
      if constexpr (rim) code = S::usual_anywhere(lane_.work->block, values, index, y, loops, made, before);
      else code = S::usual(lane_.work->block, values, index, y, loops, made, before);
      if constexpr (S::usual_fails)
        fails |= code != 0 && !(rim && (outside.absent[s] & Rim<N>::bit_of(level, row, column)));
      auto value = static_cast<typename S::Type>(made);
      if constexpr (rim) {
        if (outside.ghosts[s] & Rim<N>::bit_of(level, row, column)) value = S::values(ghosts)[index];
      }
      S::values(values)[index] = value;
      make_usual<rim, number + 1>(values, ghosts, outside, first, level, row, column, fails);
    }
  }

  /// The cells of a lane's chunk, as each is, and what is kept of them.
  __device__ void make_any(Values& values, int step) {
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          i64 c[most_coordinates] = {};
          lane_.set_row(level, row, c);
          c[last] = begin(last) + static_cast<i64>(step - lane_.number) * columns + column;
          if (lane_.is_row(c) && c[last] < end(last)) make_cell<0>(values, c, Shape::index(level, row, column));
        }
      }
    }
    if (keeping_ == Keeping::cells) keep_chunk(values, step);
  }
  template <int number>
  __device__ void make_cell(Values& values, const i64 (&c)[most_coordinates], int index) {
    if constexpr (number < N::statements) {
      constexpr int s = N::order(number);
      using S = typename N::template Statement<s>;
      i64 y[most_coordinates] = {}, loops[most_coordinates] = {};
      S::locate(c, y);
      S::spread(y, loops);
      if (S::is_in(y)) {
        typename S::Made made;
        typename N::Carried before;
        load_carried<N>(values, index, before);
        const int code = S::is_usual(y)
                             ? S::usual(lane_.work->block, values, index, y, loops, made, before)
                             : S::template any<false>(lane_.work->block, values, index, y, loops, made, nullptr);
        if (code != 0) fail<s>(values, c, index, y, loops);
        S::values(values)[index] = code != 0 ? S::stand_in : static_cast<typename S::Type>(made);
      } else if constexpr (N::has_ghosts) {
        S::values(values)[index] = S::first_value(lane_.work->block, loops);
      }
      make_cell<number + 1>(values, c, index);
    }
  }
  template <int s>
  __device__ void fail(const Values& values, const i64 (&c)[most_coordinates], int index,
                       const i64 (&y)[most_coordinates], const i64 (&loops)[most_coordinates]) {
    using S = typename N::template Statement<s>;
    if constexpr (S::any_fails || S::usual_fails) {
      u64 cell = 0;
      for (int n = 0; n < N::rank; ++n)
        cell = cell * static_cast<u64>(end(n) - begin(n)) + static_cast<u64>(c[n] - begin(n));
      // A lane may meet a later cell first.
      if (failure_.cell <= cell) return;
      failure_.cell = cell;
      typename S::Made made;
      S::template any<true>(lane_.work->block, values, index, y, loops, made, &failure_.failure);
      failure_.failure.statement = s;
    }
  }
  __device__ void note_failures() {
    if constexpr (can_fail<0>()) {
      // One lane at a time takes the lock.
      for (int lane = 0; lane < march_lanes; ++lane) {
        if (lane == lane_.number && failure_.cell != ~u64{0}) note_failure(state_, failure_.cell, failure_.failure);
        __syncwarp();
      }
    }
  }
  template <int s>
  __device__ static constexpr bool can_fail() {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      return S::usual_fails || S::any_fails || can_fail<s + 1>();
    }
    return false;
  }

  __device__ void keep_chunk(const Values& values, int step) {
    if (!keeps_ && lane_.work->block.after[last] == nullptr) return;
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        i64 c[most_coordinates] = {};
        lane_.set_row(level, row, c);
        if (lane_.is_row(c))
          keep_cells<0>(values, c, begin(last) + static_cast<i64>(step - lane_.number) * columns,
                        Shape::index(level, row, 0));
      }
    }
  }
  /// Keeps the cells of a row of a chunk. @param first its first column, whose values have an index
  template <int s>
  __device__ void keep_cells(const Values& values, i64 (&c)[most_coordinates], i64 first, int index) {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      constexpr Team alone{0, 1, 0, 1};
      const i64 past = values::smaller(end(last), first + columns);
      KeptRow<S> kept{first, past, {}, nullptr};
      S::kept_row(c, kept.begin, kept.end);
      if (kept.begin < kept.end) {
        S::set_base(c, kept.base);
        kept.values = S::values(values) + index - first;
        for (int n = 0; n < state_->task.part_count; ++n) {
          if (state_->task.parts[n].statement == s) keep_part<S>(kept, state_->task.parts[n], alone);
        }
        if constexpr (S::best != 0) keep_best<S>(kept, alone, found_);
        if constexpr (S::has_corner) keep_corner<S>(kept, alone, found_);
      }
      for (int n = 0; n < N::rank; ++n) {
        if (lane_.work->block.after[n] == nullptr) continue;
        for (i64 column = first; column < past; ++column) {
          c[last] = column;
          const i64 layer = c[n] - (end(n) - N::halo(n));
          if (layer >= 0)
            lane_.work->block.after[n][index_in_face<N>(*lane_.work, n, s, layer, c)] =
                as_word(S::values(values)[index + (column - first)]);
        }
      }
      keep_cells<s + 1>(values, c, first, index);
    }
  }

  /// The values before the first columns of a lane.
  template <int s>
  __device__ __noinline__ void load_left(Values& left) const {
    if constexpr (s < N::statements) {
      for (int level = -levels_before; level < levels; ++level) {
        for (int row = -rows_before; row < rows; ++row) {
          for (int column = -columns_before; column < 0; ++column) {
            i64 c[most_coordinates] = {};
            lane_.set_row(level, row, c);
            c[last] = begin(last) + column;
            if (lane_.is_row(c))
              N::template Statement<s>::values(left)[Shape::index(level, row, column)] =
                  value_around<N, s>(*lane_.work, c);
          }
        }
      }
      load_left<s + 1>(left);
    }
  }
  /// Sets them, before a lane's first chunk.
  template <int s>
  __device__ __forceinline__ static void set_left(Values& values, const Values& left) {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
#pragma unroll
      for (int level = -levels_before; level < levels; ++level) {
#pragma unroll
        for (int row = -rows_before; row < rows; ++row) {
#pragma unroll
          for (int column = -columns_before; column < 0; ++column)
            S::values(values)[Shape::index(level, row, column)] = S::values(left)[Shape::index(level, row, column)];
        }
      }
      set_left<s + 1>(values, left);
    }
  }

  /// Brings what the cells of a step read of other bands and groups. @return false if the launch is over
  __device__ __forceinline__ bool begin_step(Values& values, int step, typename Border<N>::Asked& asked) const {
    if (step % 64 == 0 && leaves_by_warp(step / 64)) return false;
    if constexpr (has_border) {
      if (step >= chunks_above_.from && step < chunks_above_.to &&
          !border_.take(values, step, step + 1 < chunks_above_.to, asked, leave(step / 64)))
        return false;
    }
    if constexpr (has_planes) {
      if (!planes_.take(values, lane_, step, leave(step / 64))) return false;
    }
    return true;
  }
  /// Hands on what the cells of a step are read for, and moves the window.
  __device__ __forceinline__ void end_step(Values& values, int step) const {
    if constexpr (has_planes) planes_.give(values, lane_, step);
    if constexpr (has_border) {
      if (step >= march_lanes - 1 && lane_.number == march_lanes - 1) border_.give(values, step - (march_lanes - 1));
    }
    move_window<0>(values);
  }
  template <int s>
  __device__ __forceinline__ void move_window(Values& values) const {
    if constexpr (s < N::statements) {
      auto* own = N::template Statement<s>::values(values);
      using T = typename N::template Statement<s>::Type;
#pragma unroll
      for (int level = -levels_before; level < levels; ++level) {
        T above[(rows_before > 0 ? rows_before : 1) * columns];
#pragma unroll
        for (int row = 0; row < rows_before; ++row) {
#pragma unroll
          for (int column = 0; column < columns; ++column)
            above[row * columns + column] = shuffled_up(own[Shape::index(level, rows + row - rows_before, column)]);
        }
#pragma unroll
        for (int row = -rows_before; row < rows; ++row) {
#pragma unroll
          for (int column = 0; column < columns_before; ++column) {
            own[Shape::index(level, row, column - columns_before)] =
                own[Shape::index(level, row, columns + column - columns_before)];
          }
        }
#pragma unroll
        for (int row = 0; row < rows_before; ++row) {
#pragma unroll
          for (int column = 0; column < columns; ++column)
            own[Shape::index(level, row - rows_before, column)] = above[row * columns + column];
        }
      }
      move_window<s + 1>(values);
    }
  }
  template <class T>
  __device__ __forceinline__ static T shuffled_up(T value) {
    if constexpr (sizeof(T) < 4) return static_cast<T>(__shfl_up_sync(all_lanes, static_cast<int>(value), 1));
    else return __shfl_up_sync(all_lanes, value, 1);
  }

  __device__ void finish_band() {
    __syncwarp();
    if (lane_.number != 0) return;
    __threadfence();
    atomicAdd(&lane_.work->finished[place_], u64{1});
  }

  NestState* state_;
  const u64* aborts_;
  WarpRooms rooms_;
  Found& found_;
  Lane<N> lane_;
  i64 group_ = 0, band_ = 0, place_ = 0;
  Border<N> border_;
  Planes<N> planes_;
  unsigned ticket_ = 0;
  bool keeps_ = false;
  Keeping keeping_ = Keeping::nothing;
  Steps steps_{}, usual_{};               // of the band; of usual cells
  Steps chunks_above_{};                  // that the band above writes
  int usual_first_ = 0, usual_last_ = 0;  // chunks of the lane of which all cells are usual
  Rim<N> rim_;
  RowStores<N> stores_;
  LaneFailure failure_{};
};

/// Makes the cells of a block. @param aborts the host's word: not 0: leave
template <class N>
__global__ void __launch_bounds__(march_threads, MarchShape<N>::blocks)
    march_kernel(NestState* state, const __grid_constant__ MarchWork work, const u64* aborts) {
  constexpr int warps = march_threads / march_lanes;
  __shared__ u64 ghosts[warps][Rim<N>::most_cells];
  if (state->begun == 0 || state->failed != 0) return;
  unsigned char* shared = device::launch_shared_memory();
  const int warp = static_cast<int>(threadIdx.x) / march_lanes;
  Found found{};
  const u64 tickets = static_cast<u64>(work.groups * (work.bands + 1));
  BandMarch<N> march(state, work, aborts, {shared + warp * Planes<N>::room_bytes, ghosts[warp]}, found);
  for (bool goes_on = true; goes_on;) {
    u64 ticket = 0;
    if (device::lane_index() == 0) ticket = atomicAdd(work.ticket, u64{1});
    ticket = __shfl_sync(all_lanes, ticket, 0);
    goes_on = ticket < tickets && march.run(ticket);
  }
  __syncthreads();
  store_corners<N>(state, found);
  fold_best<N>(state, found, reinterpret_cast<BestElement*>(shared));
}

}  // namespace terrace::nest
