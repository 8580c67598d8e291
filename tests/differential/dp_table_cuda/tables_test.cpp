// Tables with many dimensions on CUDA against their definition.
#include <catch2/catch.hpp>

#include "pipeline/base/error.hpp"
#include "tests/differential/dp_table/tiled_table.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::dp_table::testing {
namespace {

/// A kernel with its workspace.
class OwningKernel final : public TableKernel {
 public:
  OwningKernel(device::Context& context, const Table& table)
      : workspace_(context, tables_cuda_bytes({table})),
        kernel_(make_tables_cuda(table, context, workspace_.as<void>(), workspace_.bytes())) {}
  void set_tables(const std::vector<Table>& tables) override { kernel_->set_tables(tables); }
  void run(const device::Port& port) override { kernel_->run(port); }

 private:
  device::Memory workspace_;
  std::unique_ptr<TableKernel> kernel_;
};

void compare_on(device::Context& context, const Table& table, bool with_choice) {
  compare(context, table, with_choice,
          [&](const Table& made) { return std::make_unique<OwningKernel>(context, made); });
}

TEST_CASE("on CUDA tables of 1 to 9 dimensions are as they are defined, in tiles and under every schedule") {
  const auto context = test::cuda_context();
  if (!context) return;
  Samples samples(2);
  const int count = test::few_cases(*context) ? 2 : 8;
  const i64 cells = test::few_cases(*context) ? 400 : 3000;
  for (const auto& [combine, type] : kinds()) {
    for (int dimensions = 1; dimensions <= 9; ++dimensions) {
      for (int sample = 0; sample < count; ++sample) {
        Table table = samples.table(combine, type, dimensions, cells);
        if (samples.draw(0, 2) > 0) samples.cut(table);
        table.schedule = samples.draw(0, 3) == 0 ? Schedule::partitioned : Schedule::automatic;
        table.partition_dimensions = static_cast<int>(samples.draw(1, 9));
        INFO("partitioned: " << (table.schedule == Schedule::partitioned));
        compare_on(*context, table, combine != Combine::count && samples.draw(0, 1) == 0);
      }
    }
  }
}

/// Looks at the order that is chosen for a table. @return the table in it
Table in_fast_order(const Table& table) {
  const std::vector<int> order = fast_cuda_order(table);
  std::vector<int> all = order;
  std::sort(all.begin(), all.end());
  for (int d = 0; d < table.extents.rank(); ++d) {
    CHECK(all.at(static_cast<std::size_t>(d)) == d);
    if (d <= table.cut.whole) CHECK(order.at(static_cast<std::size_t>(d)) == d);
  }
  const Table ordered = in_order(table, order);
  CHECK(tile_cuda_seconds(ordered) <= tile_cuda_seconds(table));
  return ordered;
}

TEST_CASE("slabs of CUDA get the dimensions of few inner steps") {
  // 200 jobs in eight sizes; no more than 25 fit a machine.
  Table table;
  table.extents = {11, 17, 21, 11, 15, 20, 15, 15};
  table.steps = *steps_of_capacity(table.extents, {12, 11, 10, 9, 8, 7, 6, 5}, 25);
  for (const Cut& cut : {Cut{0, 11}, Cut{1, 3}, Cut{1, 2}, Cut{2, 21}}) {
    table.cut = cut;
    CHECK(tile_cuda_seconds(in_fast_order(table)) < 0.8 * tile_cuda_seconds(table));
  }
}

TEST_CASE("on CUDA counts of unordered steps are as they are defined, in tiles, too") {
  const auto context = test::cuda_context();
  if (!context) return;
  Samples samples(22);
  const int count = test::few_cases(*context) ? 3 : 8;
  for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64}) {
    for (int dimensions = 1; dimensions <= 6; ++dimensions) {
      for (int sample = 0; sample < count; ++sample) {
        Table table = samples.by_steps(type, dimensions, test::few_cases(*context) ? 400 : 3000);
        if (sample > 0) samples.cut(table);
        compare_on(*context, table, false);
      }
    }
  }
}

TEST_CASE("on CUDA an unordered count that leaves i64 is found in the first cell of the first step that does") {
  const auto context = test::cuda_context();
  if (!context) return;
  check_unordered_overflow(*context,
                           [&](const Table& made) { return std::make_unique<OwningKernel>(*context, made); });
}

TEST_CASE("on CUDA values above a cap become the cap") {
  const auto context = test::cuda_context();
  if (!context) return;
  Samples samples(9);
  for (int sample = 0; sample < 10; ++sample) {
    Table table = samples.table(Combine::min, ElementType::u8, static_cast<int>(samples.draw(1, 5)), 500);
    table.steps.whole_costs.assign(table.steps.real_costs.size(), 1);
    table.steps.real_costs.assign(table.steps.real_costs.size(), 1);
    table.cap = samples.draw(1, 5);
    compare_on(*context, table, sample % 2 == 0);
  }
}

TEST_CASE("on CUDA a count that leaves i64 is found in the first cell, in tiles, too") {
  const auto context = test::cuda_context();
  if (!context) return;
  Table table;
  table.combine = Combine::count;
  table.type = ElementType::i64;
  table.extents = {12, 80};
  table.steps = *steps_of_capacity(table.extents, {1, 1}, 3);
  for (const Cut& cut : {Cut{0, 12}, Cut{0, 5}, Cut{1, 9}}) {
    table.cut = cut;
    compare_on(*context, table, false);
  }
}

TEST_CASE("on CUDA steps that a longer one makes needless change nothing, nor do more steps than are prepared") {
  const auto context = test::cuda_context();
  if (!context) return;
  Table table;
  table.type = ElementType::u8;
  table.extents = {5, 7, 6, 9};
  table.steps = *steps_of_capacity(table.extents, {4, 5, 6, 7}, 16);
  for (const Cut& cut : {Cut{0, 5}, Cut{0, 2}, Cut{1, 3}}) {
    table.cut = cut;
    compare_on(*context, table, cut.whole == 1);
  }
  table.cut = {0, 30};
  table.extents = {30, 41};
  table.steps = *steps_of_capacity(table.extents, {1, 1}, 50);
  REQUIRE(table.steps.count() > 1024);
  compare_on(*context, table, false);
  table.combine = Combine::max;
  table.type = ElementType::i16;
  compare_on(*context, table, true);
}

TEST_CASE("on CUDA a table of many sub-blocks is as it is defined") {
  const auto context = test::cuda_context();
  if (!context) return;
  Table table;
  table.type = ElementType::u8;
  table.extents = {3, 16, 15, 18};
  table.steps = *steps_of_capacity(table.extents, {4, 5, 6, 7}, 16);
  table.cut.rows = 3;
  compare_on(*context, table, false);
  table.combine = Combine::count;
  table.type = ElementType::i32;
  table.modulus = 1000003;
  table.cut = {1, 9};
  compare_on(*context, table, false);
  table.combine = Combine::max;
  table.type = ElementType::f32;
  compare_on(*context, table, true);
}

TEST_CASE("on CUDA tables are as they are defined where slabs are cut along a dimension") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool few = test::few_cases(*context);
  struct Case {
    Extents extents;
    std::vector<std::int64_t> steps;  // one after another
    std::int64_t rows;                // of a tile
  };
  const std::int64_t length = few ? 9000 : 60000;
  for (const Case& each : {Case{{length}, {3, 50, 700, 5000}, length},  // rows are cells
                           Case{{length}, {3, 50, 700, 5000}, 6000},    // and lead to other tiles
                           Case{{length}, {1}, 7001}, Case{{3, 7000}, {0, 2, 1, 6000, 0, 5500, 2, 1}, 1},
                           Case{{3, 100, 90}, {0, 0, 2, 0, 70, 3, 1, 60, 0, 0, 1, 0, 2, 0, 89}, 3}}) {
    for (const auto& [combine, type] : {std::pair{Combine::min, ElementType::i16},
                                        {Combine::max, ElementType::f64},
                                        {Combine::count, ElementType::i64}}) {
      Table table;
      table.combine = combine;
      table.type = type;
      table.extents = each.extents;
      table.steps.dimensions = each.extents.rank();
      table.steps.components = each.steps;
      const std::size_t count = each.steps.size() / static_cast<std::size_t>(table.steps.dimensions);
      for (std::size_t step = 0; step < count; ++step) {
        table.steps.whole_costs.push_back(combine == Combine::count ? 1 : 1 + static_cast<std::int64_t>(step % 2));
        table.steps.real_costs.push_back(static_cast<double>(table.steps.whole_costs.back()));
      }
      table.modulus = combine == Combine::count ? 1000003 : 0;
      table.cut.rows = each.rows;
      compare_on(*context, table, combine == Combine::max);
    }
  }
}

TEST_CASE("on CUDA a kernel computes blocks of several tables, and none after an abort") {
  const auto context = test::cuda_context();
  if (!context) return;
  Table table;
  table.extents = {6, 8, 5};
  table.steps = *steps_of_capacity(table.extents, {1, 1, 1}, 3);
  table.cut.rows = 6;
  Table other = table;
  other.extents = {40};
  other.steps = *steps_of_capacity(other.extents, {2}, 9);
  other.cut.rows = 40;
  const device::Memory workspace(*context, tables_cuda_bytes({table, other}));
  const auto kernel = make_tables_cuda(table, *context, workspace.as<void>(), workspace.bytes());
  kernel->set_tables({table, other});
  TiledTable<u8> cells(*context, table, false), more(*context, other, false);
  TableTask second = more.task(0);
  second.table = 1;
  const auto results = run_blocks(*context, *kernel, {cells.task(0), second});
  CHECK(results[0].last == 6);   // 5 + 7 + 4 in steps of at most 3 units
  CHECK(results[1].last == 10);  // 39 in steps of at most 4
  CHECK_THROWS_AS(make_tables_cuda(table, *context, workspace.as<void>(), 16)->set_tables({table}), DeviceError);

  struct Words {
    device::u64 ready, stop, abort, done, failed, skipped;
    TableTask task;
    TableResult result;
  };
  const device::Memory memory(*context, sizeof(Words), device::In::host);
  auto* at = memory.as<Words>();
  std::memset(at, 0, sizeof *at);
  at->ready = at->abort = 1;
  at->task = second;
  kernel->run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, &at->task, &at->result, 1,
               sizeof(TableTask), sizeof(TableResult), 0, 1});
  context->record(device::Queue::compute)->wait();
  CHECK(at->done == 0);
}

TEST_CASE("the levels of Algorithm 2 are not for CUDA") {
  const auto context = test::cuda_context();
  if (!context) return;
  Table table;
  table.extents = {3};
  table.cut.rows = 3;
  table.steps = *steps_of_capacity(table.extents, {1}, 1);
  table.schedule = Schedule::levels;
  CHECK_THROWS_AS(make_tables_cuda(table, *context, nullptr, 0), DeviceError);
}

}  // namespace
}  // namespace terrace::dp_table::testing
