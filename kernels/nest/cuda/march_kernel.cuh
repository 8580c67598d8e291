// A block of a nest on CUDA by warps that march: a warp owns a band of rows, and its lanes make chunks of columns,
// each lane one chunk behind the lane before. Values stay in registers; the last rows of a lane go to the next one by
// shuffles, those of a band to the next one through tagged words in device memory, the last levels of a group of
// levels to the next group through a plane of values in the order in which lanes make them. Bands are taken by
// tickets in order, so that none waits for one that nobody has. Compiled at run time with the struct N of a nest
// (written/work.hpp), whose `Values` are the window of a lane: its cells of a step, and those before that they read.
//
// In a nest with ghosts, cells outside a statement's box have the first value of the element that they would write;
// so all reads of a cell are alike.
#pragma once

#include "kernels/launch/pieces.cuh"
#include "kernels/nest/cuda/block.cuh"
#include "kernels/nest/cuda/march_faces.cuh"

namespace terrace::nest {

/// The first failure of a lane's cells.
struct LaneFailure {
  u64 cell;
  NestFailure failure;
};

template <class N>
class BandMarch {
  using Shape = MarchShape<N>;
  using Values = typename N::Values;
  static constexpr int last = Shape::last, line = Shape::line, rows = Shape::rows, columns = Shape::columns,
                       levels = Shape::levels, levels_before = Shape::levels_before, rows_before = Shape::rows_before,
                       columns_before = Shape::columns_before;
  static constexpr int chunk_words = Shape::chunk_words, pair = chunk_words % 2 == 0 ? 2 : 1;
  static constexpr unsigned all_lanes = ~0u;

  /// The words of the border that a lane has asked for.
  struct Asked {
    static constexpr bool is_shared = chunk_words > 8;
    static constexpr int units = (chunk_words + pair - 1) / pair;
    static constexpr int count = is_shared         ? (units + march_lanes - 1) / march_lanes * pair
                                 : chunk_words > 0 ? chunk_words
                                                   : 1;
    u64 word[count];
  };

 public:
  __device__ BandMarch(NestState* state, const MarchWork& work, const u64* aborts, Found& found)
      : state_(state), work_(&work), aborts_(aborts), found_(found), lane_(device::lane_index()) {}

  /// Makes the band of a ticket; the first of a group writes the rows before the block instead.
  /// @return false if the launch is over
  __device__ bool run(u64 ticket) {
    find_band(static_cast<i64>(ticket));
    place_ = group_ % work_->rings;
    tag_ = static_cast<u32>(group_ * (work_->bands + 1) + band_ + 1) + 1;
    asks_host_ = ticket % 64 == 0;
    border_ = work_->border + place_ * (work_->border_words / work_->rings);
    c_[0] = work_->block.begin[0] + (Shape::has_levels ? group_ * levels : 0);
    if (band_ < 0) return fill_border();
    c_[line] = work_->block.begin[line] + band_ * Shape::band_rows + lane_ * rows;
    failure_.cell = ~u64{0};
    keeps_ = __any_sync(all_lanes, keeps_rows<0>()) != 0;
    i64 low = begin(last), high = end(last);
    find_usual(low, high);
    Values values;
    load_left<0>(values);
    for (i64 step = 0; step < work_->steps;) {
      i64 from = 0, to = 0;
      find_steps(step, low, high, from, to);
      bool goes_on = true;
      if (step < from) {
        if constexpr (N::has_ghosts) goes_on = march_usual<true>(values, step, from);
        else goes_on = march(values, step, from);
      }
      if (!goes_on || (from < to && !march_usual<false>(values, from, to))) return false;
      step = to;
    }
    note_failures();
    finish_band();
    return true;
  }

 private:
  __device__ i64 begin(int n) const { return work_->block.begin[n]; }
  __device__ i64 end(int n) const { return work_->block.end[n]; }

  /// Sets group and band of a ticket: in the order of band + march_group_lag * group, so that a group is begun while
  /// those before it are under way.
  __device__ void find_band(i64 ticket) {
    const i64 all = work_->bands + 1;
    i64 low = 0, high = all + march_group_lag * (work_->groups - 1);
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
    const i64 past = order - (work_->bands + 1);
    return past < 0 ? 0 : values::smaller(work_->groups, past / march_group_lag + 1);
  }
  __device__ i64 tickets_before(i64 order) const {
    const i64 whole = first_group(order),
              begun = values::smaller(work_->groups, (order + march_group_lag - 1) / march_group_lag);
    return whole * (work_->bands + 1) + (begun - whole) * order -
           march_group_lag * (begun * (begun - 1) - whole * (whole - 1)) / 2;
  }

  /// True if the host wants no result any more: lane 0 is asked.
  __device__ bool leaves() const {
    if (asks_host_ && device::load_system(aborts_) != 0) device::store_relaxed(&state_->aborted, u64{1});
    return device::load_relaxed(&state_->aborted) != 0;
  }
  __device__ bool leaves_by_warp() const { return __any_sync(all_lanes, lane_ == 0 && leaves()) != 0; }

  /// Writes the rows before the block as a band would.
  __device__ bool fill_border() {
    const u64 before = static_cast<u64>(group_ / work_->rings) * static_cast<u64>(work_->bands);
    const bool is_free = device::wait_by_warp<device::backoffs::in_place_rows>(
        [&] {
          return __all_sync(all_lanes, lane_ != 0 || device::load_acquire(&work_->finished[place_]) >= before) != 0;
        },
        [&] { return leaves(); });
    if (!is_free) return false;
    const i64 all = work_->chunks * columns;
    for (i64 column = 0; column < all; column += march_lanes) {
      if (column % 2048 == 0 && leaves_by_warp()) return false;
      if (column + lane_ < all) fill_words<0>(column + lane_);
    }
    return true;
  }
  template <int s>
  __device__ void fill_words(i64 column) {
    if constexpr (s < N::statements) {
      using T = typename N::template Statement<s>::Type;
      u64* words = border_ + column * Shape::template words<0>() + Shape::template first_word<s>();
      for (int level = -levels_before; level < levels; ++level) {
        for (int row = -rows_before; row < 0; ++row) {
          i64 c[most_coordinates] = {};
          c[0] = c_[0] + level;
          c[line] = begin(line) + row;
          c[last] = begin(last) + column;
          Halves<T> value{};
          if (c[0] < end(0) && c[last] < end(last)) value.value = value_around<N, s>(*work_, c);
          for (int h = 0; h < Halves<T>::count; ++h)
            device::store_relaxed(words++, static_cast<u64>(tag_) << 32 | value.half[h]);
        }
      }
      fill_words<s + 1>(column);
    }
  }

  /// The columns at which all cells of the band are usual ones of the block, and do not go to the block after.
  __device__ __noinline__ void find_usual(i64& low, i64& high) const {
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) clip_usual<0>(level, row, low, high);
    }
    intersect(low, high);
    if (work_->block.after[last] != nullptr) high = values::smaller(high, end(last) - columns_before);
  }
  /// The next steps from `step` on in which all lanes make columns of [low, high), and keep none of them or whole
  /// rows of one part. Such steps end at `to`.
  __device__ void find_steps(i64 step, i64 low, i64 high, i64& from, i64& to) {
    from = to = work_->steps;
    low = values::larger(low, begin(last) + (step - march_lanes + 1) * columns);
    if (low >= high) return;
    i64 first = low, past = high;
    stores_.is_on = keeps_ && find_stores(first, past);
    if (stores_.is_on) low = first, high = past;
    from = values::larger(step, (low - begin(last) + columns - 1) / columns + march_lanes - 1);
    to = (high - begin(last)) / columns;
    // Too few for all lanes: the steps to the last column of the range are like others.
    if (from >= to) from = to = values::smaller(work_->steps, values::larger(step, to + march_lanes) + 1);
  }
  /// Intersects the ranges of all lanes.
  __device__ static void intersect(i64& low, i64& high) {
    for (int distance = 1; distance < march_lanes; distance *= 2) {
      low = values::larger(low, __shfl_xor_sync(all_lanes, low, distance));
      high = values::smaller(high, __shfl_xor_sync(all_lanes, high, distance));
    }
  }

  /// The rows of a lane of which all columns of a range are kept, and where: level and row are numbers of bits.
  struct Stores {
    bool is_on;
    bool is_whole;  // pieces lie at multiples of their size
    u64 rows[N::statements];
    unsigned char* data[N::statements];  // of the first level and row, the block's first column
    i64 level_bytes[N::statements], row_bytes[N::statements], column_bytes[N::statements];
  };
  /// Finds them, and clips the range to the next columns at which all rows are kept in one part, or not at all.
  /// @return false if that is not all that is kept
  __device__ __noinline__ bool find_stores(i64& low, i64& high) {
    bool is_all = true;
    for (int n = 0; n < last; ++n) {
      if (work_->block.after[n] != nullptr && c_[n] + (n == line ? rows : levels) > end(n) - N::halo(n))
        is_all = false;
    }
    stores_.is_whole = true;
    set_stores<0>(low, high, is_all);
    intersect(low, high);
    stores_.is_whole = __all_sync(all_lanes, stores_.is_whole) != 0;
    return __all_sync(all_lanes, is_all) != 0;
  }
  /// The rows of a lane of which a part keeps columns from one on, and the columns that it keeps of all of these.
  struct PartRows {
    u64 rows;
    i64 least, low, high;  // the first column of any row
  };
  template <int s>
  __device__ void set_stores(i64& low, i64& high, bool& is_all) {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      if (S::best != 0) is_all = false;
      const i64 from = low;
      PartRows chosen{};
      for (int n = 0; n < state_->task.part_count; ++n) {
        const Part& part = state_->task.parts[n];
        if (part.statement != s) continue;
        const PartRows kept = rows_of<s>(part, from);
        if (kept.rows == 0 || (chosen.rows != 0 && chosen.high <= kept.least)) continue;
        if (chosen.rows != 0 && kept.high > chosen.least) is_all = false;
        chosen = kept;
        set_place<s>(part);
      }
      stores_.rows[s] = chosen.rows;
      if (chosen.rows != 0) {
        low = values::larger(low, chosen.low);
        high = values::smaller(high, chosen.high);
      }
      if constexpr (S::has_corner) leave_corner<s>(from, high);
      set_stores<s + 1>(low, high, is_all);
    }
  }
  /// The columns of a row that are kept and whose elements lie in [begin_of(axis), end_of(axis)) along all axes; none
  /// of a row outside the block.
  template <int s, class Begin, class End>
  __device__ void columns_in(int level, int row, const Begin& begin_of, const End& end_of, i64& first,
                             i64& past) const {
    using S = typename N::template Statement<s>;
    i64 c[most_coordinates] = {}, base[most_coordinates] = {};
    set_row(level, row, c);
    if (!is_row(c)) return;
    first = begin(last);
    past = end(last);
    S::kept_row(c, first, past);
    S::set_base(c, base);
    for (int axis = 0; axis < S::axes; ++axis)
      clip(begin_of(axis), end_of(axis), base[axis], S::slope(axis), first, past);
  }
  /// @param from the first column that counts
  template <int s>
  __device__ PartRows rows_of(const Part& part, i64 from) const {
    PartRows kept{0, end(last), begin(last), end(last)};
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        i64 first = 0, past = 0;
        columns_in<s>(
            level, row, [&](int axis) { return part.begin[axis]; }, [&](int axis) { return part.end[axis]; }, first,
            past);
        if (first >= past || past <= from) continue;
        kept.rows |= u64{1} << (level * rows + row);
        kept.least = values::smaller(kept.least, first);
        kept.low = values::larger(kept.low, first);
        kept.high = values::smaller(kept.high, past);
      }
    }
    return kept;
  }
  template <int s>
  __device__ i64 index_in_part(const Part& part, int level, int row) const {
    using S = typename N::template Statement<s>;
    i64 c[most_coordinates] = {}, base[most_coordinates] = {}, index = 0;
    set_row(level, row, c);
    S::set_base(c, base);
    for (int axis = 0; axis < S::axes; ++axis)
      index += (base[axis] + S::slope(axis) * begin(last) - part.begin[axis]) * part.stride[axis];
    return index;
  }
  template <int s>
  __device__ void set_place(const Part& part) {
    using S = typename N::template Statement<s>;
    constexpr i64 size = sizeof(typename S::Type), piece = sizeof(Pieces<typename S::Type, columns>);
    const i64 index = index_in_part<s>(part, 0, 0);
    i64 step = 0;
    for (int axis = 0; axis < S::axes; ++axis) step += S::slope(axis) * part.stride[axis];
    stores_.data[s] = static_cast<unsigned char*>(part.data) + index * size;
    stores_.level_bytes[s] = (index_in_part<s>(part, 1, 0) - index) * size;
    stores_.row_bytes[s] = (index_in_part<s>(part, 0, 1) - index) * size;
    stores_.column_bytes[s] = step * size;
    stores_.is_whole &= step == 1 && reinterpret_cast<u64>(stores_.data[s]) % piece == 0 &&
                        (!Shape::has_levels || stores_.level_bytes[s] % piece == 0) &&
                        (rows == 1 || stores_.row_bytes[s] % piece == 0);
  }
  /// Ends the range before a corner that lies at a column from one on.
  template <int s>
  __device__ void leave_corner(i64 from, i64& high) const {
    using S = typename N::template Statement<s>;
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        i64 first = 0, past = 0;
        columns_in<s>(
            level, row, [](int axis) { return S::last(axis); }, [](int axis) { return S::last(axis) + 1; }, first,
            past);
        if (first < past && first >= from) high = values::smaller(high, first);
      }
    }
  }
  template <int s>
  __device__ __forceinline__ static void store_rows(const Values& values, const Stores& stores, i64 column) {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      using T = typename S::Type;
      using Piece = Pieces<T, columns>;
      const T* own = S::values(values);
#pragma unroll
      for (int level = 0; level < levels; ++level) {
#pragma unroll
        for (int row = 0; row < rows; ++row) {
          if ((stores.rows[s] >> (level * rows + row) & 1) == 0) continue;
          unsigned char* data = stores.data[s] + level * stores.level_bytes[s] + row * stores.row_bytes[s] +
                                column * stores.column_bytes[s];
#pragma unroll
          for (int n = 0; n < Piece::count; ++n) {
            if (stores.is_whole) {
              Piece piece;
#pragma unroll
              for (int k = 0; k < Piece::size; ++k)
                piece.value[k] = own[Shape::index(level, row, n * Piece::size + k)];
              reinterpret_cast<Piece*>(data)[n] = piece;
            } else {
#pragma unroll
              for (int k = 0; k < Piece::size; ++k)
                *reinterpret_cast<T*>(data + (n * Piece::size + k) * stores.column_bytes[s]) =
                    own[Shape::index(level, row, n * Piece::size + k)];
            }
          }
        }
      }
      store_rows<s + 1>(values, stores, column);
    }
  }

  template <int s>
  __device__ void clip_usual(int level, int row, i64& low, i64& high) const {
    if constexpr (s < N::statements) {
      i64 c[most_coordinates] = {};
      set_row(level, row, c);
      if (is_row(c)) N::template Statement<s>::usual_row(c, low, high);
      else high = low;
      clip_usual<s + 1>(level, row, low, high);
    }
  }
  __device__ void set_row(int level, int row, i64 (&c)[most_coordinates]) const {
    c[0] = c_[0] + (Shape::has_levels ? level : 0);
    c[line] = c_[line] + row;
  }
  __device__ bool is_row(const i64 (&c)[most_coordinates]) const { return c[0] < end(0) && c[line] < end(line); }

  /// True if some of a lane's cells are kept.
  template <int s>
  __device__ bool keeps_rows() const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      for (int level = 0; level < levels; ++level) {
        for (int row = 0; row < rows; ++row) {
          i64 c[most_coordinates] = {};
          set_row(level, row, c);
          if (!is_row(c)) continue;
          for (int n = 0; n < last; ++n) {
            if (work_->block.after[n] != nullptr && c[n] >= end(n) - N::halo(n)) return true;
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

  /// Steps in which cells may be of any kind, the window in memory.
  __device__ __noinline__ bool march(Values& values, i64 from, i64 to) {
    Asked asked{};
    for (i64 step = from; step < to; ++step) {
      if (!begin_step(values, step, asked)) return false;
      if (is_active(step)) make_any(values, step);
      end_step<false>(values, step);
    }
    return true;
  }

  /// Steps in which all cells are usual ones; on the rim, or beyond it, of a nest that has ghosts.
  template <bool rim>
  __device__ __forceinline__ bool march_usual(Values& memory, i64 from, i64 to) {
    Values values = memory;
    Asked asked{};
    // Copies, which stay in registers: calls may change what lies in memory.
    const MarchWork work = *work_;
    BandMarch own = *this;
    own.work_ = &work;
    const bool stores_rows = !rim && own.stores_.is_on,
               keeps = !stores_rows && (keeps_ || (rim && work.block.after[last] != nullptr));
    i64 at[most_coordinates] = {};
    at[0] = c_[0];
    at[line] = c_[line];
    at[last] = begin(last) + (from - lane_) * columns;
    Inside inside{};
    if constexpr (rim) find_inside<0>(inside);
    for (i64 step = from; step < to; ++step, at[last] += columns) {
      if (!own.begin_step(values, step, asked)) return false;
      bool fails = false;
      Outside outside{};
      if constexpr (rim) look_outside<0>(inside, memory, at[last], outside);
#pragma unroll
      for (int level = 0; level < levels; ++level) {
#pragma unroll
        for (int row = 0; row < rows; ++row) {
#pragma unroll
          for (int column = 0; column < columns; ++column)
            own.template make_usual<rim, 0>(values, memory, outside, at, level, row, column, fails);
        }
      }
      fails = usual_fails<rim, 0>() && __any_sync(all_lanes, fails) != 0;
      if (keeps || fails) {
        Values copy = values;
        if (!rim || own.is_active(step)) take_step(copy, step, fails);
        if (usual_fails<rim, 0>()) values = copy;
      }
      if constexpr (!rim) {
        if (stores_rows) store_rows<0>(values, own.stores_, at[last] - own.begin(last));
      }
      own.template end_step<!rim>(values, step);
    }
    memory = values;
    return true;
  }
  __device__ bool is_active(i64 step) const { return step >= lane_ && step - lane_ < work_->chunks; }
  template <bool rim, int s>
  __device__ static constexpr bool usual_fails() {
    if constexpr (s < N::statements) return N::template Statement<s>::usual_fails || usual_fails<rim, s + 1>();
    return false;
  }

  /// The cells of a chunk that are not in the block, and ghosts, a bit each, a statement each.
  struct Outside {
    u64 absent[N::statements], ghosts[N::statements];
  };
  static_assert(levels * rows * columns <= 64);
  __device__ static constexpr u64 bit_of(int level, int row, int column) {
    return u64{1} << ((level * rows + row) * columns + column);
  }
  /// The rows of a lane that are in a statement's box and the block, and those of ghosts that cells may read, a bit
  /// each, at all columns of a range.
  struct Inside {
    i64 low[N::statements], high[N::statements];
    u64 absent[N::statements], ghosts[N::statements];
  };
  template <int s>
  __device__ __noinline__ void find_inside(Inside& inside) const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      i64 low = begin(last), high = end(last);
      inside.absent[s] = inside.ghosts[s] = 0;
      for (int level = 0; level < levels; ++level) {
        for (int row = 0; row < rows; ++row) {
          i64 c[most_coordinates] = {}, first = begin(last), past = end(last);
          set_row(level, row, c);
          if (is_row(c)) S::row(c, first, past);
          if (!is_row(c) || first >= past) {
            for (int column = 0; column < columns; ++column) inside.absent[s] |= bit_of(level, row, column);
            if (!is_row(c)) continue;
            first = begin(last), past = end(last);
            S::ghost_row(c, first, past);
            if (first >= past) continue;
            inside.ghosts[s] |= bit_of(level, row, 0);
          }
          low = values::larger(low, first);
          high = values::smaller(high, past);
        }
      }
      inside.low[s] = low;
      inside.high[s] = high;
      find_inside<s + 1>(inside);
    }
  }
  /// Finds the cells outside of a chunk, and makes ghosts. @param first column
  template <int s>
  __device__ __forceinline__ void look_outside(const Inside& inside, Values& ghosts, i64 first,
                                               Outside& outside) const {
    if constexpr (s < N::statements) {
      outside.absent[s] = outside.ghosts[s] = 0;
      if (first >= end(last) || first + columns <= begin(last)) {
        outside.absent[s] = ~u64{0};
      } else if (first < inside.low[s] || first + columns > inside.high[s]) {
        find_outside<s>(ghosts, first, outside.absent[s], outside.ghosts[s]);
      } else {
        outside.absent[s] = inside.absent[s];
        if (inside.ghosts[s] != 0) outside.ghosts[s] = make_ghosts<s>(ghosts, first, inside.ghosts[s]);
      }
      look_outside<s + 1>(inside, ghosts, first, outside);
    }
  }
  /// Makes the ghosts of whole rows. @return their bits
  template <int s>
  __device__ __noinline__ u64 make_ghosts(Values& ghosts, i64 first, u64 ghost_rows) const {
    using S = typename N::template Statement<s>;
    u64 made = 0;
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        if ((ghost_rows & bit_of(level, row, 0)) == 0) continue;
        typename S::Type all[columns];
#pragma unroll
        for (int column = 0; column < columns; ++column) all[column] = ghost<s>(level, row, first + column);
#pragma unroll
        for (int column = 0; column < columns; ++column) {
          S::values(ghosts)[Shape::index(level, row, column)] = all[column];
          made |= bit_of(level, row, column);
        }
      }
    }
    return made;
  }
  template <int s>
  __device__ __forceinline__ auto ghost(int level, int row, i64 column) const {
    using S = typename N::template Statement<s>;
    i64 c[most_coordinates] = {}, y[most_coordinates] = {}, loops[most_coordinates] = {};
    set_row(level, row, c);
    c[last] = column;
    S::locate(c, y);
    S::spread(y, loops);
    return S::first_value(work_->block, loops);
  }
  /// Finds the cells outside of a chunk one by one.
  template <int s>
  __device__ __noinline__ void find_outside(Values& ghosts, i64 first, u64& absent, u64& made) const {
    using S = typename N::template Statement<s>;
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        i64 c[most_coordinates] = {};
        set_row(level, row, c);
        const i64 low = values::larger(first, begin(last));
        const i64 high = is_row(c) ? values::smaller(first + columns, end(last)) : low;
        i64 in_low = low, in_high = high, ghost_low = low, ghost_high = high;
        S::row(c, in_low, in_high);
        S::ghost_row(c, ghost_low, ghost_high);
        for (int column = 0; column < columns; ++column) {
          const i64 at = first + column;
          if (at >= in_low && at < in_high) continue;
          absent |= bit_of(level, row, column);
          if (at < ghost_low || at >= ghost_high) continue;
          made |= bit_of(level, row, column);
          S::values(ghosts)[Shape::index(level, row, column)] = ghost<s>(level, row, at);
        }
      }
    }
  }

  /// Makes the cells of a step again if some have no value; keeps what is kept.
  __device__ __noinline__ void take_step(Values& values, i64 step, bool fails) {
    if (fails) make_any(values, step);
    else keep_chunk(values, step);
  }

  template <bool rim, int number>
  __device__ __forceinline__ void make_usual(Values& values, const Values& ghosts, const Outside& outside,
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
      if constexpr (rim) code = S::usual_anywhere(work_->block, values, index, y, loops, made, before);
      else code = S::usual(work_->block, values, index, y, loops, made, before);
      if constexpr (S::usual_fails) fails |= code != 0 && !(rim && (outside.absent[s] & bit_of(level, row, column)));
      auto value = static_cast<typename S::Type>(made);
      if constexpr (rim) {
        if (outside.ghosts[s] & bit_of(level, row, column)) value = S::values(ghosts)[index];
      }
      S::values(values)[index] = value;
      make_usual<rim, number + 1>(values, ghosts, outside, first, level, row, column, fails);
    }
  }

  /// The cells of a lane's chunk, as each is, and what is kept of them.
  __device__ void make_any(Values& values, i64 step) {
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          i64 c[most_coordinates] = {};
          set_row(level, row, c);
          c[last] = begin(last) + (step - lane_) * columns + column;
          if (is_row(c) && c[last] < end(last)) make_cell<0>(values, c, Shape::index(level, row, column));
        }
      }
    }
    keep_chunk(values, step);
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
                             ? S::usual(work_->block, values, index, y, loops, made, before)
                             : S::template any<false>(work_->block, values, index, y, loops, made, nullptr);
        if (code != 0) fail<s>(values, c, index, y, loops);
        S::values(values)[index] = code != 0 ? S::stand_in : static_cast<typename S::Type>(made);
      } else if constexpr (N::has_ghosts) {
        S::values(values)[index] = S::first_value(work_->block, loops);
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
      S::template any<true>(work_->block, values, index, y, loops, made, &failure_.failure);
      failure_.failure.statement = s;
    }
  }
  __device__ void note_failures() {
    if constexpr (can_fail<0>()) {
      // One lane at a time takes the lock.
      for (int lane = 0; lane < march_lanes; ++lane) {
        if (lane == lane_ && failure_.cell != ~u64{0}) note_failure(state_, failure_.cell, failure_.failure);
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

  __device__ void keep_chunk(const Values& values, i64 step) {
    if (!keeps_ && work_->block.after[last] == nullptr) return;
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        i64 c[most_coordinates] = {};
        set_row(level, row, c);
        if (is_row(c)) keep_cells<0>(values, c, begin(last) + (step - lane_) * columns, Shape::index(level, row, 0));
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
        if (work_->block.after[n] == nullptr) continue;
        for (i64 column = first; column < past; ++column) {
          c[last] = column;
          const i64 layer = c[n] - (end(n) - N::halo(n));
          if (layer >= 0)
            work_->block.after[n][index_in_face<N>(*work_, n, s, layer, c)] =
                as_word(S::values(values)[index + (column - first)]);
        }
      }
      keep_cells<s + 1>(values, c, first, index);
    }
  }

  /// The values before the first columns of a lane.
  template <int s>
  __device__ __noinline__ void load_left(Values& values) const {
    if constexpr (s < N::statements) {
      for (int level = -levels_before; level < levels; ++level) {
        for (int row = -rows_before; row < rows; ++row) {
          for (int column = -columns_before; column < 0; ++column) {
            i64 c[most_coordinates] = {};
            set_row(level, row, c);
            c[last] = begin(last) + column;
            if (is_row(c))
              N::template Statement<s>::values(values)[Shape::index(level, row, column)] =
                  value_around<N, s>(*work_, c);
          }
        }
      }
      load_left<s + 1>(values);
    }
  }

  /// Brings what the cells of a step read of other bands and groups. @return false if the launch is over
  __device__ __forceinline__ bool begin_step(Values& values, i64 step, Asked& asked) const {
    if (step % 64 == 0 && leaves_by_warp()) return false;
    if constexpr (chunk_words > 0) {
      if (step < work_->chunks && !take_border(values, step, asked)) return false;
    }
    if constexpr (levels_before > 0) {
      if (step % march_report_steps == 0 && !wait_for_group(step)) return false;
      if (is_active(step)) move_plane<true, 0>(values, step);
    }
    return true;
  }
  /// Sets the rows above of lane 0 in a step, and asks for those of the next one.
  __device__ __forceinline__ bool take_border(Values& values, i64 step, Asked& asked) const {
    const auto is_there = [&] { return __all_sync(all_lanes, is_written(asked)) != 0; };
    const auto ask_again = [&] {
      ask(step, asked);
      return is_there();
    };
    if (!is_there() && !device::wait_by_warp<device::backoffs::in_place_above>(ask_again, [&] { return leaves(); }))
      return false;
    set_above<0>(values, asked);
    if (step + 1 < work_->chunks) ask(step + 1, asked);
    return true;
  }
  /// Loads the words of a step: all by lane 0, or if they are many some by each lane.
  __device__ __forceinline__ void ask(i64 step, Asked& asked) const {
    const u64* from = border_ + step * chunk_words;
    if constexpr (Asked::is_shared) {
#pragma unroll
      for (int n = 0; n < Asked::count; n += pair) {
        const int word = n * march_lanes + lane_ * pair;
        if (word < chunk_words) load_pair(from + word, asked.word + n);
      }
    } else if (lane_ == 0) {
#pragma unroll
      for (int n = 0; n < chunk_words; n += pair) load_pair(from + n, asked.word + n);
    }
  }
  __device__ __forceinline__ static void load_pair(const u64* from, u64* to) {
    if constexpr (pair == 2) device::load_relaxed(from, to[0], to[1]);
    else to[0] = device::load_relaxed(from);
  }
  /// True if the band above has written the words that a lane has asked for.
  __device__ __forceinline__ bool is_written(const Asked& asked) const {
    bool written = true;
#pragma unroll
    for (int n = 0; n < Asked::count; ++n) {
      const bool has = Asked::is_shared ? (n / pair * march_lanes + lane_) * pair < chunk_words : lane_ == 0;
      written &= !has || static_cast<u32>(asked.word[n] >> 32) == tag_ - 1;
    }
    return written;
  }
  /// Word n of a step; in lane 0. All lanes call it.
  __device__ __forceinline__ static u32 word_of(const Asked& asked, int n) {
    if constexpr (!Asked::is_shared) return static_cast<u32>(asked.word[n]);
    const int unit = n / pair;
    return __shfl_sync(all_lanes, static_cast<u32>(asked.word[unit / march_lanes * pair + n % pair]),
                       unit % march_lanes);
  }
  template <int s>
  __device__ __forceinline__ void set_above(Values& values, const Asked& asked) const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      using Value = Halves<typename S::Type>;
#pragma unroll
      for (int column = 0; column < columns; ++column) {
#pragma unroll
        for (int n = 0; n < (levels + levels_before) * rows_before; ++n) {
          Value value;
#pragma unroll
          for (int h = 0; h < Value::count; ++h)
            value.half[h] = word_of(
                asked, column * Shape::template words<0>() + Shape::template first_word<s>() + n * Value::count + h);
          if (lane_ == 0)
            S::values(values)[Shape::index(n / rows_before - levels_before, n % rows_before - rows_before, column)] =
                value.value;
        }
      }
      set_above<s + 1>(values, asked);
    }
  }
  /// Words of the last rows of a lane.
  template <int s>
  __device__ __forceinline__ void set_words(const Values& values,
                                            u64 (&words)[chunk_words > 0 ? chunk_words : 1]) const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      using Value = Halves<typename S::Type>;
#pragma unroll
      for (int column = 0; column < columns; ++column) {
#pragma unroll
        for (int n = 0; n < (levels + levels_before) * rows_before; ++n) {
          Value value{};
          value.value = S::values(
              values)[Shape::index(n / rows_before - levels_before, rows + n % rows_before - rows_before, column)];
#pragma unroll
          for (int h = 0; h < Value::count; ++h)
            words[column * Shape::template words<0>() + Shape::template first_word<s>() + n * Value::count + h] =
                static_cast<u64>(tag_) << 32 | value.half[h];
        }
      }
      set_words<s + 1>(values, words);
    }
  }

  /// Waits until the group before has made the levels that the next steps read.
  __device__ __forceinline__ bool wait_for_group(i64 step) const {
    const i64 wanted = group_ * work_->steps + values::smaller(work_->steps, step + march_report_steps);
    const u64* word = work_->progress + (group_ + work_->rings - 1) % work_->rings * work_->bands + band_;
    const bool is_there = device::wait_by_warp<device::backoffs::in_place_rows>(
        [&] {
          return __all_sync(all_lanes, lane_ != 0 || device::load_acquire(word) >= static_cast<u64>(wanted)) != 0;
        },
        [&] { return leaves(); });
    // All lanes see what the first one has seen.
    __syncwarp();
    return is_there;
  }
  /// Loads the levels before, or stores the last ones.
  template <bool loads, int s>
  __device__ __forceinline__ void move_plane(Values& values, i64 step) const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      using Piece = Pieces<typename S::Type, columns>;
      auto* plane = reinterpret_cast<Piece*>(plane_of<N, s>(*work_)) +
                    ((band_ * work_->steps + step) * rows * march_lanes + lane_) * Piece::count;
      auto* own = S::values(values);
#pragma unroll
      for (int layer = 0; layer < levels_before; ++layer) {
#pragma unroll
        for (int row = 0; row < rows; ++row) {
#pragma unroll
          for (int n = 0; n < Piece::count; ++n) {
            Piece* at = plane + layer * (work_->plane_values / Piece::size) + row * march_lanes * Piece::count + n;
            if constexpr (loads) {
              const Piece piece = *at;
#pragma unroll
              for (int k = 0; k < Piece::size; ++k)
                own[Shape::index(layer - levels_before, row, n * Piece::size + k)] = piece.value[k];
            } else {
              Piece piece;
#pragma unroll
              for (int k = 0; k < Piece::size; ++k)
                piece.value[k] = own[Shape::index(levels + layer - levels_before, row, n * Piece::size + k)];
              *at = piece;
            }
          }
        }
      }
      move_plane<loads, s + 1>(values, step);
    }
  }

  /// Hands on what the cells of a step are read for, and moves the window.
  template <bool all_move>
  __device__ __forceinline__ void end_step(Values& values, i64 step) const {
    if constexpr (levels_before > 0) {
      if (is_active(step)) move_plane<false, 0>(values, step);
      if ((step + 1) % march_report_steps == 0 || step + 1 == work_->steps) {
        __syncwarp();
        if (lane_ == 0) {
          __threadfence();
          device::store_release(work_->progress + place_ * work_->bands + band_,
                                static_cast<u64>((group_ + 1) * work_->steps + step + 1));
        }
      }
    }
    if constexpr (chunk_words > 0) {
      const i64 chunk = step - (march_lanes - 1);
      if (chunk >= 0 && lane_ == march_lanes - 1) {
        u64 words[chunk_words];
        set_words<0>(values, words);
        u64* to = border_ + chunk * chunk_words;
        if constexpr (chunk_words % 2 == 0) {
#pragma unroll
          for (int n = 0; n < chunk_words; n += 2) device::store_relaxed(to + n, words[n], words[n + 1]);
        } else {
#pragma unroll
          for (int n = 0; n < chunk_words; ++n) device::store_relaxed(to + n, words[n]);
        }
      }
    }
    // Lanes that have not begun keep the columns before their first ones.
    move_window<0>(values, all_move || step >= lane_);
  }
  template <int s>
  __device__ __forceinline__ void move_window(Values& values, bool moves) const {
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
            if (moves)
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
      move_window<s + 1>(values, moves);
    }
  }
  template <class T>
  __device__ __forceinline__ static T shuffled_up(T value) {
    if constexpr (sizeof(T) < 4) return static_cast<T>(__shfl_up_sync(all_lanes, static_cast<int>(value), 1));
    else return __shfl_up_sync(all_lanes, value, 1);
  }

  __device__ void finish_band() {
    __syncwarp();
    if (lane_ != 0) return;
    __threadfence();
    atomicAdd(&work_->finished[place_], u64{1});
  }

  NestState* state_;
  const MarchWork* work_;
  const u64* aborts_;
  Found& found_;
  int lane_;
  i64 group_ = 0, band_ = 0, place_ = 0;
  u32 tag_ = 0;
  bool asks_host_ = false, keeps_ = false;
  Stores stores_{};
  u64* border_ = nullptr;
  i64 c_[most_coordinates] = {};  // the lane's first level and row
  LaneFailure failure_{};
};

/// Makes the cells of a block. @param aborts the host's word: not 0: leave
template <class N>
__global__ void __launch_bounds__(march_threads, MarchShape<N>::blocks)
    march_kernel(NestState* state, const __grid_constant__ MarchWork work, const u64* aborts) {
  if (state->begun == 0 || state->failed != 0) return;
  Found found{};
  const u64 tickets = static_cast<u64>(work.groups * (work.bands + 1));
  BandMarch<N> march(state, work, aborts, found);
  for (bool goes_on = true; goes_on;) {
    u64 ticket = 0;
    if (device::lane_index() == 0) ticket = atomicAdd(work.ticket, u64{1});
    ticket = __shfl_sync(~0u, ticket, 0);
    goes_on = ticket < tickets && march.run(ticket);
  }
  __syncthreads();
  store_corners<N>(state, found);
  fold_best<N>(state, found, reinterpret_cast<BestElement*>(device::launch_shared_memory()));
}

}  // namespace terrace::nest
