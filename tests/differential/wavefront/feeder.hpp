// Feeds a sweep over a whole table through a port with a small ring, as an executor would, with random delays.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "kernels/launch/port.hpp"
#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "kernels/wavefront/task.hpp"
#include "kernels/wavefront/visit.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::wavefront::test {

/// Bytes of an item of rows and columns: letters, or values of the sweep's type.
inline std::size_t item_bytes(const SweepSpec& spec) {
  return find_problem(spec.problem)->items == Items::values ? size_of(spec.value) : 1;
}

/// Host memory of one table: inputs, every border, the table, the results of all blocks.
class TableMemory {
 public:
  /// `rows` and `columns` are the bytes of the items, `grid` the grid's bytes; those that a problem does not use may
  /// be empty.
  TableMemory(const SweepSpec& spec, std::vector<std::uint8_t> rows, std::vector<std::uint8_t> columns,
              std::vector<std::byte> grid)
      : spec_(spec),
        grid_{spec.rows, spec.columns, spec.block_rows, spec.block_columns, spec.layers},
        rows_(std::move(rows)),
        columns_(std::move(columns)),
        values_(std::move(grid)),
        row_borders_(bytes(2 * spec.layers * grid_.down() * spec.columns, spec.border)),
        column_borders_(bytes(2 * spec.layers * grid_.across() * (spec.rows + grid_.down()), spec.border)),
        kept_(spec.kept ? kept_bytes() : 0, std::byte{0xA5}),
        table_(spec.table ? bytes(spec.layers * spec.rows * spec.columns, *spec.table) : 0, std::byte{0xA5}),
        results_(static_cast<std::size_t>(grid_.count())) {}

  const BlockGrid& grid() const { return grid_; }
  BlockResult& result(std::uint64_t block) { return results_[block]; }
  const std::vector<BlockResult>& results() const { return results_; }
  /// The table's cell in type T.
  template <class T>
  T cell(std::int64_t i, std::int64_t j, std::int64_t layer = 0) const {
    const auto at = static_cast<std::size_t>((layer * spec_.rows + i) * spec_.columns + j);
    T value;
    std::memcpy(&value, table_.data() + at * sizeof(T), sizeof(T));
    return value;
  }

  /// Cells of the kept row and of the kept column of that number, in type T; `plane` 1: the gaps that follow them.
  template <class T>
  T kept_row(std::int64_t n, std::int64_t column, int plane = 0) const {
    return kept_value<T>(kept_row_at(n, column, plane));
  }
  template <class T>
  T kept_column(std::int64_t n, std::int64_t row, int plane = 0) const {
    return kept_value<T>(kept_column_at(n, row, plane));
  }

  /// The block of a sweep that keeps lines.
  KeptTask kept_task(std::uint64_t block) {
    bool row_gaps = false, column_gaps = false;
    visit_problem(spec_.problem, spec_.settings, [&]<class P>(P) {
      row_gaps = P::row_planes > 1;
      column_gaps = P::column_planes > 1;
    });
    const auto place = [&](std::int64_t index) { return at(kept_, index, spec_.kept->type); };
    const BlockTask cells = task(block);
    const std::int64_t row = spec_.kept->count(cells.row_begin, spec_.rows);
    const std::int64_t column = spec_.kept->count(cells.column_begin, spec_.columns);
    KeptTask kept{cells, nullptr, nullptr, nullptr, nullptr, spec_.columns, spec_.rows};
    kept.rows = place(kept_row_at(row, cells.column_begin, 0));
    if (row_gaps) kept.row_gaps = place(kept_row_at(row, cells.column_begin, 1));
    kept.columns = place(kept_column_at(column, cells.row_begin, 0));
    if (column_gaps) kept.column_gaps = place(kept_column_at(column, cells.row_begin, 1));
    return kept;
  }

  BlockTask task(std::uint64_t block) {
    const auto n = static_cast<std::int64_t>(block);
    const std::int64_t across = grid_.across(), i = n / grid_.stride(), j = n % across,
                       layer = n / across % spec_.layers;
    BlockTask task{};
    task.row_begin = i * spec_.block_rows;
    task.row_end = std::min<std::int64_t>(spec_.rows, task.row_begin + spec_.block_rows);
    task.column_begin = j * spec_.block_columns;
    task.column_end = std::min<std::int64_t>(spec_.columns, task.column_begin + spec_.block_columns);
    task.rows = rows_.data() + static_cast<std::size_t>(task.row_begin) * item_bytes(spec_);
    task.columns = columns_.data() + static_cast<std::size_t>(task.column_begin) * item_bytes(spec_);
    task.grid = at(values_, task.row_begin * spec_.columns + task.column_begin, spec_.grid);
    task.grid_stride = spec_.columns;
    task.top = i == 0 ? nullptr : row_border(layer, i - 1, task.column_begin);
    task.bottom = row_border(layer, i, task.column_begin);
    task.left = j == 0 ? nullptr : column_border(layer, j - 1, task.row_begin, i);
    task.right = column_border(layer, j, task.row_begin, i);
    task.row_border_stride = grid_.down() * spec_.columns;
    task.column_border_stride = grid_.across() * (spec_.rows + grid_.down());
    const std::int64_t row = layer * spec_.rows + task.row_begin;
    if (spec_.table) task.table = at(table_, row * spec_.columns + task.column_begin, *spec_.table);
    task.table_stride = spec_.columns;
    if (spec_.settings.has("bins")) {
      task.keys = bin_keys(bin_edges(spec_.settings, spec_.grid), layer, spec_.grid);
    }
    return task;
  }

 private:
  std::int64_t kept_rows() const { return spec_.kept->count(spec_.rows, spec_.rows); }
  std::int64_t kept_columns() const { return spec_.kept->count(spec_.columns, spec_.columns); }
  /// Planes of kept rows, then planes of kept columns.
  std::int64_t kept_row_at(std::int64_t n, std::int64_t column, int plane) const {
    return (plane * kept_rows() + n) * spec_.columns + column;
  }
  std::int64_t kept_column_at(std::int64_t n, std::int64_t row, int plane) const {
    return 2 * kept_rows() * spec_.columns + (plane * kept_columns() + n) * spec_.rows + row;
  }
  std::size_t kept_bytes() const {
    return bytes(2 * (kept_rows() * spec_.columns + kept_columns() * spec_.rows), spec_.kept->type);
  }
  template <class T>
  T kept_value(std::int64_t index) const {
    T value;
    std::memcpy(&value, kept_.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
    return value;
  }
  static std::size_t bytes(std::int64_t count, ElementType type) {
    return static_cast<std::size_t>(count) * size_of(type);
  }
  static void* at(std::vector<std::byte>& memory, std::int64_t element, ElementType type) {
    return memory.data() + bytes(element, type);
  }
  void* row_border(std::int64_t layer, std::int64_t i, std::int64_t column) {
    return at(row_borders_, (2 * layer * grid_.down() + i) * spec_.columns + column, spec_.border);
  }
  /// Blocks of one column of blocks lie one after another, each with its corner.
  void* column_border(std::int64_t layer, std::int64_t j, std::int64_t row, std::int64_t i) {
    return at(column_borders_, (2 * layer * grid_.across() + j) * (spec_.rows + grid_.down()) + row + i,
              spec_.border);
  }

  SweepSpec spec_;
  BlockGrid grid_;
  std::vector<std::uint8_t> rows_, columns_;
  std::vector<std::byte> values_, row_borders_, column_borders_, kept_, table_;
  std::vector<BlockResult> results_;
};

/// The way in which a launch is fed.
struct Feeding {
  std::uint64_t ring = 3;
  int longest_delay = 0;  // microseconds before a descriptor is written, at random
  unsigned seed = 1;
  std::uint64_t stop_after = ~std::uint64_t{0};   // blocks done when `stop` is set
  std::uint64_t abort_after = ~std::uint64_t{0};  // the same for `abort`
};

/// The results of a launch.
struct Fed {
  std::uint64_t done;
  std::uint64_t failed;
  std::uint64_t skipped;
};

/// Runs blocks [first, first + count) of the table; task_of(block) is the descriptor of one.
template <class TaskOf>
Fed feed_tasks(device::BlockKernel& sweep, TableMemory& memory, std::uint64_t first, std::uint64_t count,
               const Feeding& how, TaskOf&& task_of) {
  using Task = decltype(task_of(first));
  device::u64 ready = first, stop = 0, abort = 0, done = first, failed = 0, skipped = 0;
  std::vector<Task> descriptors(how.ring);
  std::vector<BlockResult> results(how.ring);
  const device::Port port{&ready,
                          &stop,
                          &abort,
                          &done,
                          &failed,
                          &skipped,
                          descriptors.data(),
                          results.data(),
                          how.ring,
                          sizeof(Task),
                          sizeof(BlockResult),
                          first,
                          count};
  std::atomic<bool> ended{false};
  std::thread feeder([&] {
    std::mt19937 random(how.seed);
    std::uint64_t given = first, taken = first;
    auto drain = [&] {
      const std::uint64_t complete = std::atomic_ref(done).load(std::memory_order_acquire);
      for (; taken < complete; ++taken) memory.result(taken) = results[taken % how.ring];
      if (taken - first >= how.stop_after) std::atomic_ref(stop).store(1, std::memory_order_release);
      if (taken - first >= how.abort_after) std::atomic_ref(abort).store(1, std::memory_order_release);
    };
    while (!ended.load()) {
      drain();
      if (given < first + count && given < taken + how.ring) {
        if (how.longest_delay > 0) {
          std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<unsigned>(how.longest_delay)));
        }
        descriptors[given % how.ring] = task_of(given);
        std::atomic_ref(ready).store(++given, std::memory_order_release);
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(1));
      }
    }
    drain();
  });
  try {
    sweep.run(port);
  } catch (...) {
    ended = true;
    feeder.join();
    throw;
  }
  ended = true;
  feeder.join();
  return {done, failed, skipped};
}

inline Fed feed(device::BlockKernel& sweep, TableMemory& memory, std::uint64_t first, std::uint64_t count,
                const Feeding& how = {}) {
  return feed_tasks(sweep, memory, first, count, how, [&](std::uint64_t block) { return memory.task(block); });
}

}  // namespace terrace::wavefront::test
