// Tables with many dimensions on the CPU against their definition.
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "tests/differential/dp_table/tiled_table.hpp"

namespace terrace::dp_table::testing {
namespace {

TEST_CASE("on the CPU tables of 1 to 9 dimensions are as they are defined, in tiles and under every schedule") {
  device::CpuContext context(3);
  Samples samples(1);
  const auto make = [&](const Table& table) { return make_tables_cpu(table, context); };
  for (const auto& [combine, type] : kinds()) {
    for (int dimensions = 1; dimensions <= 9; ++dimensions) {
      for (int sample = 0; sample < 4; ++sample) {
        Table table = samples.table(combine, type, dimensions, 800);
        if (sample > 0) samples.cut(table);
        table.schedule = static_cast<Schedule>(samples.draw(0, 2));
        table.partition_dimensions = static_cast<int>(samples.draw(1, 9));
        compare(context, table, combine != Combine::count && samples.draw(0, 1) == 0, make);
      }
    }
  }
}

}  // namespace
}  // namespace terrace::dp_table::testing
