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

}  // namespace
}  // namespace terrace::dp_table::testing
