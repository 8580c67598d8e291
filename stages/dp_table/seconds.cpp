#include "stages/dp_table/seconds.hpp"

namespace terrace::stages {

const dp_table::TableMethod& table_method(const dp_table::TableSpec& spec, device::Backend backend,
                                          const device::Limits& limits) {
  return device::chosen_method("dp_table", dp_table::table_methods(), backend, dp_table::name_of(spec.table.schedule),
                               spec, limits);
}

double table_seconds(const dp_table::Table& table, bool choice, const Resources& resources) {
  const dp_table::TableSpec spec{table, choice};
  return table_method(spec, resources.backend(), resources.device).cost(spec, resources.device).seconds *
         static_cast<double>(*dp_table::cells_of(table.extents));
}

}  // namespace terrace::stages
