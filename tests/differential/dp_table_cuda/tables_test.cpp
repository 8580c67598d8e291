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
  const int count = test::is_simulated(*context) ? 2 : 8;
  const i64 cells = test::is_simulated(*context) ? 400 : 3000;
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

}  // namespace
}  // namespace terrace::dp_table::testing
