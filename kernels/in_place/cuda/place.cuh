// The bands of a slab of an in-place sweep on CUDA: their places, the rows that they read and write, and the bands
// that they wait for.
//
// Row i after sweep s of a pass (from 1 on) is in line i + s, so that a cell depends only on cells of its own line
// and of the line before. A band is 128 lines, a group S consecutive sweeps; both are counted from 0 in each slab.
// A slab has the lines with the numbers of its rows; the last slab also those beyond, for later sweeps. Band b of
// group g takes its rows from band b of group g - 1, which has the same lines, and the line above them from band
// b - 1 of its own group.
#pragma once

#include "kernels/in_place/shape.hpp"
#include "kernels/in_place/task.hpp"
#include "kernels/launch/pieces.cuh"

namespace terrace::in_place {

using device::i32;
using device::i64;
using device::u32;
using device::u64;

/// The state of a slab in flight; all zero at the start of a launch.
struct alignas(128) InPlaceSlot {
  InPlaceTask task;
  u32 finished;  // tickets
};

/// The kernel's arguments. Slabs are counted from the launch's first.
struct InPlaceArguments {
  device::Launch launch;
  InPlaceSlot* slots;  // launch.slots of them; slab n uses slot n % launch.slots
  u64* progress;       // [slot][group][band]: slab + 1 in the high half, steps done in the low one
  u64* states;         // [group][step from a piece before the first one on][entry], tagged
  i64 group_words;     // of a group's states
  void* unused_row;    // for values that nobody reads
  i64 rows, columns;   // of the grid
  i64 slab_rows;       // of all slabs but the last
  i64 pass_sweeps;     // of all passes but the last
  u64 tickets;         // in all
  u32 slab_tickets;    // of a slab; tickets without a band do nothing
  u32 groups;          // of a pass, at most
  u32 group_bands;     // of a group of a slab, at most
  u32 processors;      // of the device
};

/// A band that a warp works on, in shared memory.
struct InPlaceBand {
  u64 slab;
  u32 group, index;  // numbers of the group, and of the band in its group
  i64 first_line;
  i32 live;             // lines that the slab has; the others pass on the line above
  i32 sweeps;           // of the group that are made; results of the others are ignored
  u32 tag, tag_before;  // of the band's words in the states, and of the band before; 0: no band before
  bool takes_over;      // an earlier launch left the line above, in the slab above
  bool reads_above;     // as takes_over, by another launch that is under way: the line is read piece by piece
  bool leaves;          // the last band of a part leaves its own last line in the slab's last rows
  i32 rims;             // rows of the rim that the band makes
  i64 rim_row;          // one of them
  bool simple;          // every sweep is made, and every line is live or ignored
  bool follows;         // a band of the group before makes the rows
  bool is_followed;     // a band of the next group takes them
};

/// Bands and rows of a slab. @tparam S sweeps of a group
template <int S>
struct InPlaceLines {
  static constexpr int lines = InPlaceShape::rows;
  const InPlaceArguments& a;
  const InPlaceTask& task;

  __device__ bool is_last() const { return task.row_end == a.rows; }
  /// True if another launch may continue where this slab ends.
  __device__ bool ends_part() const { return task.row_end == task.part_end && !is_last(); }
  /// True if this slab continues where the one before it in the launch ends.
  __device__ bool continues() const { return task.begin_before + a.slab_rows == task.row_begin; }
  __device__ i64 sweeps_of(u32 group) const {
    const i64 left = task.sweeps - static_cast<i64>(group) * S;
    return left < S ? left : S;
  }
  __device__ i64 end_line(u32 group) const {
    return is_last() ? a.rows + static_cast<i64>(group) * S + sweeps_of(group) : task.row_end;
  }
  /// Bands [first_band, end_band) of a group have rows.
  __device__ u32 first_band(u32 group) const { return task.row_begin > 0 ? 0 : group * S / lines; }
  __device__ u32 end_band(u32 group) const {
    return static_cast<u32>((end_line(group) - task.row_begin + lines - 1) / lines);
  }
  /// The last band of a group in the slab before: a full slab, or the last slab of a pass of all sweeps.
  __device__ u32 last_band_before(u32 group) const {
    const i64 begin = task.begin_before, done = static_cast<i64>(group) * S;
    if (begin + a.slab_rows < a.rows) return static_cast<u32>((a.slab_rows + lines - 1) / lines) - 1;
    const i64 sweeps = a.pass_sweeps - done < S ? a.pass_sweeps - done : S;
    return static_cast<u32>((a.rows + done + sweeps - begin + lines - 1) / lines) - 1;
  }

  /// A row of this slab or of the slab above.
  template <class T>
  __device__ T* row(i64 row) const {
    if (row < task.row_begin) return static_cast<T*>(task.above) + (row - task.above_begin) * task.stride;
    return static_cast<T*>(task.rows) + (row - task.row_begin) * task.stride;
  }
  /// The row into which a group stores a line, over the results of the groups before. A line without a row of the
  /// grid gets unused_row.
  template <class T>
  __device__ T* row_out(u32 group, i64 line) const {
    const i64 row = line - static_cast<i64>(group) * S - sweeps_of(group);
    if (row < 0 || row >= a.rows || line >= end_line(group)) return static_cast<T*>(a.unused_row);
    return this->row<T>(row);
  }
  /// The row from which a group reads a line; likewise.
  template <class T>
  __device__ const T* row_in(u32 group, i64 line) const {
    if (group > 0) return row_out<T>(group - 1, line);
    if (line >= task.row_end) return static_cast<const T*>(a.unused_row);
    return row<T>(line);
  }

  /// Sets `band` to the band of a ticket of the slab; without live lines if there is none. All that a band waits for
  /// has earlier tickets.
  __device__ void place(u64 slab, u32 ticket, InPlaceBand& band) const {
    const u32 turn = ticket / a.groups;
    band.slab = slab;
    band.group = ticket % a.groups;
    band.index = turn - band.group;
    band.live = 0;
    if (turn < band.group || static_cast<i64>(band.group) * S >= task.sweeps || band.index < first_band(band.group) ||
        band.index >= end_band(band.group)) {
      return;
    }
    const i64 end = end_line(band.group), done = static_cast<i64>(band.group) * S;
    band.first_line = task.row_begin + static_cast<i64>(band.index) * lines;
    band.live = end - band.first_line < lines ? static_cast<i32>(end - band.first_line) : lines;
    band.sweeps = static_cast<i32>(sweeps_of(band.group));
    band.takes_over = band.index == 0 && slab == 0 && task.row_begin > 0;
    band.reads_above = band.index == 0 && slab > 0 && task.row_begin > 0 && !continues();
    band.leaves = ends_part() && band.index + 1 == end_band(band.group);
    // Cells of the group lie in rows [first, last].
    const i64 first = band.first_line - done - S, last = band.first_line + lines - 2 - done;
    band.rims = (first <= 0 ? 1 : 0) + (last >= a.rows - 1 ? 1 : 0);
    band.rim_row = first <= 0 ? 0 : a.rows - 1;
    band.simple = band.sweeps == S && (band.live == lines || is_last());
    band.follows = band.group > 0 && band.index < end_band(band.group - 1);
    band.is_followed = static_cast<i64>(band.group + 1) * S < task.sweeps;
    band.tag = tag_of(slab, band.index);
    band.tag_before = band.tag - 1;
    // The first band of a pass, or of a part, needs nothing of the band before it in the launch, but must not
    // overtake it: both use the same states.
    if (band.index == first_band(band.group)) {
      const u32 none = band.takes_over ? ~0u : 0;
      band.tag_before = slab == 0 ? none : tag_of(slab - 1, last_band_before(band.group));
    }
  }
  /// The tag of a band's words; never 0.
  __device__ u32 tag_of(u64 slab, u32 index) const { return static_cast<u32>(slab * a.group_bands + index + 1); }
};

}  // namespace terrace::in_place
