// Walks between lines that sweeps kept in differences, block by block as a program of blocks would walk.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/wavefront/reference/path.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "tests/differential/wavefront/distances.hpp"
#include "tests/differential/wavefront/feeder.hpp"

namespace terrace::wavefront::test {

/// Places of the lines that the blocks of a table keep, in memory of its user.
class KeptBits {
 public:
  KeptBits(const SweepSpec& spec, int planes)
      : spec_(spec), planes_(planes), grid_{spec.rows, spec.columns, spec.block_rows, spec.block_columns} {}

  /// Words of all rows and of all columns.
  std::size_t row_words() const { return static_cast<std::size_t>(grid_.count() * block_row_words()); }
  std::size_t column_words() const { return static_cast<std::size_t>(grid_.count() * block_column_words()); }
  void place(device::u64* rows, device::u64* columns) {
    rows_ = rows;
    columns_ = columns;
  }

  KeptTask task(const BlockTask& cells, std::uint64_t block) const {
    return {cells, rows_of(block), nullptr, columns_of(block), nullptr, row_plane(), column_plane()};
  }

  /// The block that a path is in.
  std::uint64_t block_of(const PathPlace& place) const {
    return static_cast<std::uint64_t>((place.row - 1) / spec_.block_rows * grid_.across() +
                                      (place.column - 1) / spec_.block_columns);
  }
  /// The walk from there through the block. @param cells the block
  BitTraceTask walk(const BlockTask& cells, const PathPlace& place) const {
    const std::uint64_t block = block_of(place);
    BitTraceTask walk{};
    walk.row_begin = cells.row_begin;
    walk.row_end = cells.row_end;
    walk.column_begin = cells.column_begin;
    walk.column_end = cells.column_end;
    walk.cell_rows = spec_.bit_lines->rows;
    walk.cell_columns = spec_.bit_lines->columns;
    walk.rows = cells.rows;
    walk.columns = cells.columns;
    if (cells.row_begin > 0) walk.above = rows_of(block - static_cast<std::uint64_t>(grid_.across())) + last_row();
    if (cells.column_begin > 0) walk.before = columns_of(block - 1) + last_column();
    walk.row_lines = rows_of(block);
    walk.column_lines = columns_of(block);
    walk.row_plane = row_plane();
    walk.column_plane = column_plane();
    walk.band = spec_.band;
    walk.place = place;
    return walk;
  }

 private:
  std::int64_t row_plane() const { return (spec_.block_columns + word_cells - 1) / word_cells + 1; }
  std::int64_t column_plane() const { return (spec_.block_rows + word_cells - 1) / word_cells + 2; }
  std::int64_t lines_down() const { return spec_.block_rows / spec_.bit_lines->rows; }
  std::int64_t lines_across() const { return spec_.block_columns / spec_.bit_lines->columns; }
  std::int64_t block_row_words() const { return lines_down() * planes_ * row_plane(); }
  std::int64_t block_column_words() const { return lines_across() * planes_ * column_plane(); }
  std::int64_t last_row() const { return (lines_down() - 1) * planes_ * row_plane(); }
  std::int64_t last_column() const { return (lines_across() - 1) * planes_ * column_plane(); }
  device::u64* rows_of(std::uint64_t block) const {
    return rows_ + block * static_cast<std::uint64_t>(block_row_words());
  }
  device::u64* columns_of(std::uint64_t block) const {
    return columns_ + block * static_cast<std::uint64_t>(block_column_words());
  }

  SweepSpec spec_;
  int planes_;
  BlockGrid grid_;
  device::u64 *rows_ = nullptr, *columns_ = nullptr;
};

/// Words with bits that reveal places where nobody writes them.
inline void fill_at_random(std::span<device::u64> words, unsigned seed) {
  std::mt19937_64 random(seed);
  for (device::u64& word : words) word = random();
}

/// Blocks of down x across cells of cell_rows x cell_columns each.
struct BitCut {
  std::int64_t cell_rows, cell_columns, down, across;
};

/// A sweep of the score of P, in i32, that keeps such lines.
template <class P>
SweepSpec bit_spec(const Pair& pair, const BitCut& cut) {
  SweepSpec spec;
  spec.problem = P::name;
  spec.rows = static_cast<std::int64_t>(pair.rows.size());
  spec.columns = static_cast<std::int64_t>(pair.columns.size());
  spec.block_rows = cut.cell_rows * cut.down;
  spec.block_columns = cut.cell_columns * cut.across;
  spec.value = spec.border = ElementType::i32;
  spec.bit_lines = BitLines{cut.cell_rows, cut.cell_columns};
  return spec;
}
inline TraceSpec walk_spec(const SweepSpec& spec) {
  return {spec.problem, spec.settings, spec.value, spec.border, spec.bit_lines->rows, spec.bit_lines->columns};
}

/// The steps of the path from the table's last cell to its first. @param walk(place) the result of a walk from there
template <class Walk>
std::string walk_back(const SweepSpec& spec, Walk&& walk) {
  std::string steps;
  PathPlace place{spec.rows, spec.columns, PathGap::none, 0};
  while (place.row > 0 && place.column > 0) {
    const TraceResult found = walk(place);
    for (i64 i = 0; i < found.count; ++i) steps += "=XID"[static_cast<int>(found.step(i))];
    place = found.place;
  }
  steps += std::string(static_cast<std::size_t>(place.row), 'I');
  steps += std::string(static_cast<std::size_t>(place.column), 'D');
  std::reverse(steps.begin(), steps.end());
  return steps;
}

/// Calls check(spec, expected steps) for the whole table, the narrowest band that holds all best paths, and a wider
/// one.
template <class P, class Check>
void for_each_band(SweepSpec spec, const Pair& pair, unsigned turn, Check&& check) {
  const std::string expected = reference_path<P>(problem_constants<P>(Settings{}), pair.rows, pair.columns).steps;
  const std::int64_t proving = proving_margin(spec.rows, spec.columns, true_distance<P>(pair) + 1);
  for (const std::int64_t margin : {std::int64_t{0}, proving, proving + 1 + turn % 90}) {
    spec.band = margin == 0 ? DiagonalBand{} : band_of_margin(spec.rows, spec.columns, margin);
    INFO(P::name << ", " << pair.what << ", " << spec.rows << " x " << spec.columns << " in blocks of "
                 << spec.block_rows << " x " << spec.block_columns << ", cells of " << spec.bit_lines->rows << " x "
                 << spec.bit_lines->columns << ", margin " << margin << ", turn " << turn);
    check(spec, expected);
  }
}

}  // namespace terrace::wavefront::test
