// Tables with many dimensions on the CPU against their definition.
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "tests/differential/dp_table/tiled_table.hpp"

namespace terrace::dp_table::testing {
namespace {

void check(device::InstructionSet set, int threads, unsigned seed) {
  if (set > device::best_instruction_set()) return;
  device::CpuContext context(threads);
  Samples samples(seed);
  const auto make = [&](const Table& table) { return make_tables_cpu(table, context, set); };
  for (const auto& [combine, type] : kinds()) {
    for (int dimensions = 1; dimensions <= 9; ++dimensions) {
      for (int sample = 0; sample < 3; ++sample) {
        Table table = samples.table(combine, type, dimensions, 800);
        if (sample > 0) samples.cut(table);
        table.schedule = static_cast<Schedule>(samples.draw(0, 2));
        table.partition_dimensions = static_cast<int>(samples.draw(1, 9));
        compare(context, table, combine != Combine::count && samples.draw(0, 1) == 0, make);
      }
    }
  }
}

TEST_CASE("on the CPU tables of 1 to 9 dimensions are as they are defined, in tiles and under every schedule") {
  SECTION("sse2") { check(device::InstructionSet::sse2, 1, 1); }
  SECTION("avx2") { check(device::InstructionSet::avx2, 3, 2); }
  SECTION("avx512") { check(device::InstructionSet::avx512, 2, 3); }
}

TEST_CASE("on the CPU runs of several dimensions take steps from one another") {
  // The last four dimensions have 630 cells, which are a run; the last five have 3150, more than a run has.
  const Extents extents{3, 4, 5, 5, 7, 3, 6};
  device::CpuContext context(2);
  Samples samples(11);
  for (const device::InstructionSet set :
       {device::InstructionSet::sse2, device::InstructionSet::avx2, device::InstructionSet::avx512}) {
    if (set > device::best_instruction_set()) continue;
    const auto make = [&](const Table& table) { return make_tables_cpu(table, context, set); };
    for (const auto& [combine, type] : kinds()) {
      for (const bool of_capacity : {true, false}) {
        Table table = samples.table_with(combine, type, extents);
        if (of_capacity) table.steps = *steps_of_capacity(extents, {5, 4, 3, 4, 5, 3, 4}, 9);
        if (samples.draw(0, 1) == 0) samples.cut(table);
        compare(context, table, combine != Combine::count && samples.draw(0, 2) == 0, make);
      }
    }
  }
}

TEST_CASE("on the CPU counts of unordered steps are as they are defined, in tiles, too") {
  Samples samples(21);
  for (const device::InstructionSet set :
       {device::InstructionSet::sse2, device::InstructionSet::avx2, device::InstructionSet::avx512}) {
    if (set > device::best_instruction_set()) continue;
    device::CpuContext context(3);
    const auto make = [&](const Table& table) { return make_tables_cpu(table, context, set); };
    for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64}) {
      for (int dimensions = 1; dimensions <= 6; ++dimensions) {
        for (int sample = 0; sample < 5; ++sample) {
          Table table = samples.by_steps(type, dimensions, 600);
          if (sample > 0) samples.cut(table);
          compare(context, table, false, make);
        }
      }
    }
  }
}

/// The cells of a table of one or two dimensions that takes one step after another.
std::vector<i64> by_loops(const Table& table) {
  const i64 columns = table.extents.rank() == 1 ? 1 : table.extents[1];
  std::vector<i64> cells(static_cast<std::size_t>(volume(table.extents)), 0);
  cells[0] = 1;
  for (i64 step = 0; step < table.steps.count(); ++step) {
    const i64 rows = table.steps.step(step)[0], along = table.extents.rank() == 1 ? 0 : table.steps.step(step)[1];
    for (i64 cell = 0; cell < std::ssize(cells); ++cell) {
      if (cell / columns < rows || cell % columns < along) continue;
      auto& count = cells[static_cast<std::size_t>(cell)];
      count = (count + cells[static_cast<std::size_t>(cell - rows * columns - along)]) % table.modulus;
    }
  }
  return cells;
}

TEST_CASE("on the CPU threads share a step of a large tile") {
  device::CpuContext context(3);
  const auto make = [&](const Table& table) { return make_tables_cpu(table, context); };
  struct Case {
    Extents extents;
    std::vector<std::int64_t> steps;  // one after another
  };
  for (const Case& each : {Case{{130000}, {1, 70, 40000, 100000}},  // the tile in whole pieces
                           Case{{400, 300}, {0, 7, 1, 0, 2, 3, 100, 0, 150, 1}}}) {
    Table table;
    table.combine = Combine::count;
    table.type = ElementType::i64;
    table.order = Order::unordered;
    table.modulus = 1'000'000'007;
    table.extents = each.extents;
    table.steps.dimensions = each.extents.rank();
    table.steps.components = each.steps;
    table.steps.real_costs.assign(each.steps.size() / static_cast<std::size_t>(each.extents.rank()), 1);
    table.steps.whole_costs.assign(table.steps.real_costs.size(), 1);
    const std::vector<i64> expected = by_loops(table);
    for (const std::int64_t rows : {each.extents[0], each.extents[0] / 3}) {
      table.cut.rows = rows;
      const auto kernel = make(table);
      kernel->set_tables({table});
      const TiledTable<i64> cells(context, table, false);
      run_blocks(context, *kernel, cells.tasks());
      CHECK(std::equal(expected.begin(), expected.end(), cells.data()));
    }
  }
}

TEST_CASE("on the CPU steps that are given twice are steps once") {
  device::CpuContext context(2);
  const auto make = [&](const Table& table) { return make_tables_cpu(table, context); };
  Table table;
  table.extents = {4, 5, 30};
  table.steps = *steps_of_capacity(table.extents, {3, 2, 1}, 6);
  StepSet& steps = table.steps;
  const StepSet once = steps;
  steps.components.insert(steps.components.end(), once.components.begin(), once.components.end());
  steps.whole_costs.insert(steps.whole_costs.end(), once.whole_costs.begin(), once.whole_costs.end());
  steps.real_costs.insert(steps.real_costs.end(), once.real_costs.begin(), once.real_costs.end());
  table.cut.rows = 4;
  compare(context, table, false, make);
  compare(context, table, true, make);
}

TEST_CASE("on the CPU values above a cap become the cap") {
  device::CpuContext context(2);
  Samples samples(9);
  const auto make = [&](const Table& table) { return make_tables_cpu(table, context); };
  for (int sample = 0; sample < 20; ++sample) {
    Table table = samples.table(Combine::min, ElementType::u8, static_cast<int>(samples.draw(1, 5)), 800);
    for (std::size_t step = 0; step < table.steps.real_costs.size(); ++step) {
      table.steps.whole_costs[step] = 1;
      table.steps.real_costs[step] = 1;
    }
    table.cap = samples.draw(1, 5);
    compare(context, table, false, make);
  }
}

TEST_CASE("a count that leaves i64 is found in the first cell, in tiles, too") {
  device::CpuContext context(2);
  const auto make = [&](const Table& table) { return make_tables_cpu(table, context); };
  Table table;
  table.combine = Combine::count;
  table.type = ElementType::i64;
  table.extents = {12, 80};
  table.steps = *steps_of_capacity(table.extents, {1, 1}, 3);
  table.cut.rows = 12;
  compare(context, table, false, make);
  table.cut = {0, 5};
  compare(context, table, false, make);
  table.cut = {1, 9};
  compare(context, table, false, make);
}

TEST_CASE("an unordered count that leaves i64 is found in the first cell of the first step that does") {
  device::CpuContext context(2);
  check_unordered_overflow(context, [&](const Table& table) { return make_tables_cpu(table, context); });
}

}  // namespace
}  // namespace terrace::dp_table::testing
