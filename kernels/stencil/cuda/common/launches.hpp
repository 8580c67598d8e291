// The launches of a slab on CUDA, and where the rows are that it hands on to the next slab.
//
// A launch makes some levels at once, from one memory into another one; all slabs of a pass have launches of the same
// levels. Levels are in turns in the workspace and where the rows of the last one belong: in the fields, if the slab
// is alone in its stream, else in the targets. Then level 0 is in the fields, which are only read.
//
// A launch that makes `count` levels from a level needs the 2 * radius * count last rows of that level of the slab
// above. They have their places in the carry: the launch before writes them there, and the launches of this slab and
// of the next one read them there. So no rows are copied but those of level 0, after the launch that reads them.
//
// The carry is circular. The places of a slab begin `shift` rows before those of the slab above, so that a launch
// writes none that it reads, or that a later launch has to read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/stencil/rules/slabs.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::stencil {

/// The steps of each launch of a pass, in ascending order: as few launches as can be, but an even number of them if
/// no unit has to be divided. All make multiples of `unit` steps but one, which takes twice as long as others. H100,
/// 2026-11-28, star2d of radius 1 in f32, 16384 x 16384: 12 and 16 steps 0.97 and 1.03 ms, 14 steps 2.05 ms.
/// @param most steps of a launch @param unit steps that a kernel makes alike, at most `most`
/// @param last_alone the last step is made by itself
inline std::vector<i64> steps_of_launches(i64 steps, i64 most, i64 unit, bool last_alone) {
  const i64 alone = last_alone && steps > 0 ? 1 : 0, all = steps - alone, units = all / unit;
  i64 rest = all % unit, times = ceiling(all, most / unit * unit);
  std::vector<i64> counts;
  if ((times + alone) % 2 == 1 && all > 1) {
    // One launch more: it makes the rest, if there is one.
    const i64 more = rest > 0 && units == 0 ? rest / 2 : rest;
    if (more > 0) counts.push_back(more);
    else ++times;
    rest -= more;
    if (units > 0) times = std::min(times, units);
  }
  for (i64 left = units; times > 0; --times) {
    counts.push_back(left / times * unit + std::exchange(rest, 0));
    left -= left / times;
  }
  std::ranges::sort(counts);
  if (alone != 0) counts.push_back(1);
  return counts;
}

/// Some levels of a slab that are made at once.
struct SlabLaunch {
  i64 level, count;   // the level that they are made from; levels to make
  bool in_workspace;  // where that level is; false: where the rows of the last level belong, of level 0 in the fields
  i64 carry_at;       // place in the carry of the first row of that level that is handed on; -1: none is

  bool uses_carry() const { return carry_at >= 0; }
  /// True if the rows that are handed on are copied into the carry after the launch.
  bool is_copied() const { return uses_carry() && level == 0; }
  /// True if the launch before writes them there.
  bool is_written() const { return uses_carry() && level > 0; }
};

/// The launches of a slab.
struct SlabLaunches {
  std::vector<SlabLaunch> launches;
  i64 shift = 0;  // of places in the carry, from slab to slab

  /// @param counts of levels of each launch @param radius rows by which a level ends before the level below it
  /// @param uses_carry false: the slab is alone in its stream
  SlabLaunches(const std::vector<i64>& counts, i64 radius, bool uses_carry) {
    i64 level = 0, place = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const bool in_turn = (counts.size() - i) % 2 != 0;  // the last launch leaves its levels where they belong
      const SlabLaunch launch{level, counts[i], in_turn && !(uses_carry && level == 0), uses_carry ? place : -1};
      const i64 rows = 2 * radius * counts[i];
      place += rows;
      if (launch.is_written()) shift = std::max(shift, rows + 2 * radius * counts[i - 1]);
      launches.push_back(launch);
      level += counts[i];
    }
  }

  /// The place in a carry of a row that a slab hands on. @param turn number of the slab in its stream
  /// @param row counted from the first one of those that the slab hands on of the launch's level
  /// @param length rows of the carry (carry_rows())
  i64 place_of(const SlabLaunch& launch, i64 turn, i64 row, i64 length) const {
    return (launch.carry_at + row + turn * (length - shift)) % length;
  }
};

}  // namespace terrace::stencil
