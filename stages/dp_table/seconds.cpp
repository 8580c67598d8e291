#include "stages/dp_table/seconds.hpp"

#include "pipeline/base/error.hpp"

namespace terrace::stages {

const dp_table::TableMethod& table_method(const dp_table::TableSpec& spec, const Resources& resources) {
  const auto backend = resources.cuda ? device::Backend::cuda : device::Backend::cpu;
  const auto* method = device::choose_method(dp_table::table_methods(), backend,
                                             dp_table::name_of(spec.table.schedule), spec, resources.device);
  if (method == nullptr) throw DeviceError("dp_table", "no kernel of this program computes the table");
  return *method;
}

double table_seconds(const dp_table::Table& table, bool choice, const Resources& resources) {
  const dp_table::TableSpec spec{table, choice};
  return table_method(spec, resources).cost(spec, resources.device).seconds *
         static_cast<double>(*dp_table::cells_of(table.extents));
}

}  // namespace terrace::stages
