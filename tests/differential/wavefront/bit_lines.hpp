// Walks between lines that sweeps kept in differences, block by block as a program of blocks would walk.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kernels/wavefront/reference_path.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "tests/differential/wavefront/distances.hpp"
#include "tests/differential/wavefront/feeder.hpp"

namespace terrace::wavefront::test {

/// The lines that the blocks of a table keep. What nobody writes has bits that would show.
class KeptBits {
 public:
  KeptBits(const SweepSpec& spec, int planes, unsigned seed)
      : spec_(spec), planes_(planes), grid_{spec.rows, spec.columns, spec.block_rows, spec.block_columns} {
    std::mt19937_64 random(seed);
    const auto count = static_cast<std::size_t>(grid_.count());
    rows_.resize(count * static_cast<std::size_t>(row_words()));
    columns_.resize(count * static_cast<std::size_t>(column_words()));
    for (auto* words : {&rows_, &columns_}) {
      for (device::u64& word : *words) word = random();
    }
  }

  KeptTask task(TableMemory& memory, std::uint64_t block) {
    KeptTask task{memory.task(block), rows_of(block), nullptr, columns_of(block), nullptr,
                  row_plane(),        column_plane()};
    return task;
  }

  /// The walk that begins at a place, through its block.
  BitTraceTask walk(TableMemory& memory, const PathPlace& place) {
    const std::int64_t i = (place.row - 1) / spec_.block_rows, j = (place.column - 1) / spec_.block_columns;
    const auto block = static_cast<std::uint64_t>(i * grid_.across() + j);
    const BlockTask cells = memory.task(block);
    BitTraceTask walk{};
    walk.row_begin = cells.row_begin;
    walk.row_end = cells.row_end;
    walk.column_begin = cells.column_begin;
    walk.column_end = cells.column_end;
    walk.rows = cells.rows;
    walk.columns = cells.columns;
    if (i > 0) walk.above = rows_of(block - static_cast<std::uint64_t>(grid_.across())) + last_row();
    if (j > 0) walk.before = columns_of(block - 1) + last_column();
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
  std::int64_t row_words() const { return lines_down() * planes_ * row_plane(); }
  std::int64_t column_words() const { return lines_across() * planes_ * column_plane(); }
  std::int64_t last_row() const { return (lines_down() - 1) * planes_ * row_plane(); }
  std::int64_t last_column() const { return (lines_across() - 1) * planes_ * column_plane(); }
  device::u64* rows_of(std::uint64_t block) { return rows_.data() + block * static_cast<std::uint64_t>(row_words()); }
  device::u64* columns_of(std::uint64_t block) {
    return columns_.data() + block * static_cast<std::uint64_t>(column_words());
  }

  SweepSpec spec_;
  int planes_;
  BlockGrid grid_;
  std::vector<device::u64> rows_, columns_;
};

/// Runs one walk. @return what it found
inline TraceResult run_walk(Tracer& tracer, const BitTraceTask& task) {
  device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
  TraceResult result{};
  tracer.run({&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
  if (done != 1) throw ComputeError("the walk did not end");
  return result;
}

/// The steps of the path from the table's last cell to its first, walked block by block.
inline std::string walk_back(Tracer& tracer, KeptBits& kept, TableMemory& memory, const SweepSpec& spec) {
  std::string steps;
  PathPlace place{spec.rows, spec.columns, PathGap::none, 0};
  while (place.row > 0 && place.column > 0) {
    const TraceResult found = run_walk(tracer, kept.walk(memory, place));
    for (i64 i = 0; i < found.count; ++i) steps += "=XID"[static_cast<int>(found.step(i))];
    place = found.place;
  }
  steps += std::string(static_cast<std::size_t>(place.row), 'I');
  steps += std::string(static_cast<std::size_t>(place.column), 'D');
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace terrace::wavefront::test
