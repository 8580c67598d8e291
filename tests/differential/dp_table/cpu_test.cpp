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
