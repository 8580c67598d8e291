// Tables computed tile by tile through launches on any device, and compared with their definition.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/reference/reference.hpp"
#include "kernels/dp_table/visit.hpp"
#include "tests/differential/dp_table/samples.hpp"

namespace terrace::dp_table::testing {

/// Runs one launch over blocks, each of which may depend on earlier blocks.
inline std::vector<TableResult> run_blocks(device::Context& context, device::BlockKernel& kernel,
                                           const std::vector<TableTask>& tasks) {
  struct Words {
    device::u64 ready, stop, abort, done, failed, skipped;
  };
  const auto in_host_memory = [&](std::size_t bytes) { return device::Memory(context, bytes, device::In::host); };
  const device::Memory words = in_host_memory(sizeof(Words)),
                       descriptors = in_host_memory(tasks.size() * sizeof(TableTask)),
                       found = in_host_memory(tasks.size() * sizeof(TableResult));
  auto* at = words.as<Words>();
  *at = {tasks.size(), 0, 0, 0, 0, 0};
  std::copy(tasks.begin(), tasks.end(), descriptors.as<TableTask>());
  kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, descriptors.as<void>(),
              found.as<void>(), tasks.size(), sizeof(TableTask), sizeof(TableResult), 0, tasks.size()});
  context.record(device::Queue::compute)->wait();
  REQUIRE(at->done == tasks.size());
  return {found.as<TableResult>(), found.as<TableResult>() + at->done};
}

/// A table of values of type T. A tile is a run of its cells in row-major order, and so is what a tile reads.
template <class T>
class TiledTable {
 public:
  TiledTable(device::Context& context, const Table& table, bool with_choice)
      : table_(table),
        tiles_(table),
        sources_(sources_of(table)),
        count_(static_cast<std::size_t>(*cells_of(table.extents))),
        cells_(context, count_ * sizeof(T), device::In::host),
        choice_(context, count_ * sizeof(i32), device::In::host),
        with_choice_(with_choice) {
    // Cells that no kernel writes must not look right.
    std::memset(cells_.template as<void>(), 0x5A, count_ * sizeof(T));
    std::memset(choice_.template as<void>(), 0x5A, count_ * sizeof(i32));
  }

  TableTask task(std::int64_t tile, std::int64_t walk_from = -1) const {
    const Box box = tiles_.box(tile);
    TableTask task = task_of_tile(box);
    task.choice = with_choice_ ? choice_.template as<i32>() + at(box.begin) : nullptr;
    for (std::size_t source = 0; source < sources_.size(); ++source) {
      const Box read = tiles_.read(tile, sources_[source], source == 0);
      if (volume(read.shape()) == 0) continue;
      task.before[source] =
          data() + at(read.begin) + (task.first_row - read.begin[table_.cut.whole]) * tiles_.row_cells();
      if (source > 0) task.source[source] = task.before[source];
    }
    task.walk_from = walk_from;
    return task;
  }
  /// The block of a tile of a table of Order::unordered. @param pass a step, or no_step
  TableTask pass_task(std::int64_t tile, i64 pass) const {
    const Box box = tiles_.box(tile);
    TableTask task = task_of_tile(box);
    task.walk_from = -1;
    task.pass = pass;
    if (pass < 0) return task;
    const Box read = tiles_.read(tile, table_.steps.step(pass));
    if (volume(read.shape()) == 0) return task;
    task.before[0] = data() + at(read.begin) + (task.first_row - read.begin[table_.cut.whole]) * tiles_.row_cells();
    task.source[0] = task.before[0];
    return task;
  }
  /// The blocks of all tiles, in an order in which they may run.
  std::vector<TableTask> tasks() const {
    std::vector<TableTask> tasks;
    const bool by_steps = table_.order == Order::unordered;
    const auto add_tiles = [&](i64 pass) {
      for (std::int64_t tile = 0; tile < tiles_.count(); ++tile) {
        tasks.push_back(by_steps ? pass_task(tile, pass) : task(tile));
      }
    };
    add_tiles(no_step);
    for (i64 step = 0; by_steps && step < table_.steps.count(); ++step) {
      if (fits_table(table_.extents, table_.steps.step(step))) add_tiles(step);
    }
    return tasks;
  }

  T* data() const { return cells_.template as<T>(); }
  const i32* choice() const { return choice_.template as<i32>(); }
  std::size_t count() const { return count_; }
  const Tiles& tiles() const { return tiles_; }
  std::int64_t at(const Extents& index) const {
    const Extents strides = row_major_strides(table_.extents);
    std::int64_t at = 0;
    for (int d = 0; d < index.rank(); ++d) at += index[d] * strides[d];
    return at;
  }

 private:
  TableTask task_of_tile(const Box& box) const {
    TableTask task{};
    for (int d = 0; d < table_.cut.whole; ++d) task.prefix[d] = box.begin[d];
    task.first_row = box.begin[table_.cut.whole];
    task.rows = box.end[table_.cut.whole] - task.first_row;
    task.cells = data() + at(box.begin);
    task.pass = all_steps;
    return task;
  }

  const Table& table_;
  Tiles tiles_;
  std::vector<SourceRange> sources_;
  std::size_t count_;
  device::Memory cells_, choice_;
  bool with_choice_;
};

using MakeKernel = std::function<std::unique_ptr<TableKernel>(const Table&)>;

/// Goes back from the last cell by walking blocks. @return numbers of steps; nullopt if the cell is not reached
template <class T>
std::optional<std::vector<i32>> walk_back(device::Context& context, TableKernel& kernel, const Table& table,
                                          const TiledTable<T>& cells) {
  std::vector<i32> steps;
  Extents cell = table.extents;
  for (int d = 0; d < cell.rank(); ++d) --cell[d];
  while (true) {
    const std::int64_t tile = cells.tiles().tile_of(cell);
    const std::int64_t from = cells.at(cell) - cells.at(cells.tiles().box(tile).begin);
    const TableResult result = run_blocks(context, kernel, {cells.task(tile, from)})[0];
    for (i64 number = 0; number < result.walked; ++number) {
      steps.push_back(result.step[number]);
      for (int d = 0; d < cell.rank(); ++d) cell[d] -= table.steps.step(steps.back())[d];
    }
    if (result.state == walk_ends) return steps;
    if (result.state == walk_unreachable) return std::nullopt;
    REQUIRE(result.walked > 0);
  }
}

/// Compares the best cell of each tile with its cells.
template <class Rule>
void check_best(const TiledTable<typename Rule::Value>& cells, const std::vector<TableResult>& results) {
  for (std::size_t tile = 0; tile < results.size(); ++tile) {
    if constexpr (!Rule::finds_largest) {
      CHECK(results[tile].best_cell == -1);
    } else {
      const Box box = cells.tiles().box(static_cast<std::int64_t>(tile));
      const auto* begin = cells.data() + cells.at(box.begin);
      const auto* largest = std::max_element(begin, begin + volume(box.shape()));
      CHECK(results[tile].best_cell == largest - begin);
      if constexpr (std::is_floating_point_v<typename Rule::Value>) CHECK(results[tile].best_real == *largest);
      else CHECK(results[tile].best == *largest);
    }
  }
}

/// Computes the table and compares every cell, every choice, the last value and the way back with the definition.
inline void compare(device::Context& context, const Table& table, bool with_choice, const MakeKernel& make) {
  INFO(text_of(table));
  const bool visited = visit_rule(table.combine, table.type, [&](auto rule) {
    using Rule = decltype(rule);
    using T = typename Rule::Value;
    ReferenceTable<Rule> reference(table);
    const auto kernel = make(table);
    kernel->set_tables({table});
    TiledTable<T> cells(context, table, with_choice);
    const std::vector<TableTask> tasks = cells.tasks();
    const std::vector<TableResult> results = run_blocks(context, *kernel, tasks);

    i64 first_overflow = -1, different = 0;
    std::vector<i64> index(static_cast<std::size_t>(table.extents.rank()), 0);
    for (std::size_t cell = 0; cell < cells.count(); ++cell) {
      auto rest = static_cast<i64>(cell);
      for (std::size_t d = index.size(); d-- > 0; rest /= table.extents[static_cast<int>(d)]) {
        index[d] = rest % table.extents[static_cast<int>(d)];
      }
      const auto& expected = reference.at(index);
      if (expected.overflows) {
        if (first_overflow < 0) first_overflow = static_cast<i64>(cell);
        continue;
      }
      different += std::memcmp(&expected.value, cells.data() + cell, sizeof(T)) != 0;
      if (with_choice) different += expected.choice != cells.choice()[cell];
    }
    CHECK(different == 0);
    i64 found = -1;
    for (std::size_t tile = 0; tile < results.size() && found < 0; ++tile) {
      if (results[tile].overflow < 0) continue;
      const auto in_pass = static_cast<std::int64_t>(tile) % cells.tiles().count();
      found = cells.at(cells.tiles().box(in_pass).begin) + results[tile].overflow;
    }
    CHECK(found == first_overflow);
    if (first_overflow >= 0) return;
    check_best<Rule>(cells, results);

    for (std::size_t d = 0; d < index.size(); ++d) index[d] = table.extents[static_cast<int>(d)] - 1;
    const auto corner = reference.at(index);
    if constexpr (std::is_floating_point_v<T>) CHECK(results.back().last_real == static_cast<double>(corner.value));
    else CHECK(results.back().last == static_cast<i64>(corner.value));
    if constexpr (requires { Rule::better(T{}, T{}); }) {
      if (table.cap != 0) return;
      const auto steps = walk_back(context, *kernel, table, cells);
      const bool at_zero = std::all_of(index.begin(), index.end(), [](i64 i) { return i == 0; });
      CHECK(steps.has_value() == (at_zero || corner.choice >= 0));
      if (!steps) return;
      bool same = true;
      for (const i32 number : *steps) {
        same = same && number == reference.at(index).choice;
        for (std::size_t d = 0; d < index.size(); ++d) index[d] -= table.steps.step(number)[d];
      }
      CHECK(same);
    }
  });
  CHECK(visited);
}

/// Steps of 1 that are given again and again: the cells of a step are binomial coefficients.
inline void check_unordered_overflow(device::Context& context, const MakeKernel& make) {
  Table table;
  table.combine = Combine::count;
  table.type = ElementType::i64;
  table.order = Order::unordered;
  table.extents = {1001};
  table.steps = {1, std::vector<std::int64_t>(9, 1), std::vector<std::int64_t>(9, 1), std::vector<double>(9, 1)};
  for (const std::int64_t rows : {1001, 300, 7}) {
    table.cut.rows = rows;
    const auto kernel = make(table);
    kernel->set_tables({table});
    const TiledTable<i64> cells(context, table, false);
    const std::vector<TableResult> results = run_blocks(context, *kernel, cells.tasks());
    const auto failed =
        std::find_if(results.begin(), results.end(), [](const TableResult& result) { return result.overflow >= 0; });
    REQUIRE(failed != results.end());
    // After k steps cell n has C(n + k - 1, k - 1): with 9 steps 880 is the first one above 2^63, with 8 there is
    // none.
    const std::int64_t block = failed - results.begin(), tiles = cells.tiles().count();
    CHECK(block / tiles == 9);
    CHECK(block % tiles * rows + failed->overflow == 880);
  }
}

}  // namespace terrace::dp_table::testing
