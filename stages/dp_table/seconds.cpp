#include "stages/dp_table/seconds.hpp"

#include <algorithm>

#include "kernels/dp_table/kernels.hpp"
#include "stages/dp_table/measured.hpp"

namespace terrace::stages {

double table_seconds(const dp_table::Table& table, bool choice, const Resources& resources) {
  const double look_ups = static_cast<double>(*dp_table::cells_of(table.extents)) *
                          static_cast<double>(std::max<std::int64_t>(1, table.steps.count()));
  if (!resources.cuda) {
    const double plain =
        table.combine == dp_table::Combine::count ? measured::table_cpu_count_rate : measured::table_cpu_rate;
    return look_ups / ((choice ? measured::table_cpu_choice_rate : plain) * resources.device.processors);
  }
  const double tile = dp_table::tile_cuda_seconds(table);
  if (tile > 0) return tile * static_cast<double>(dp_table::Tiles(table).count());
  return look_ups / measured::table_cuda_rate;
}

}  // namespace terrace::stages
