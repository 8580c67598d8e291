// `terrace devices`: the CPU and every GPU with their memory and ceilings.
#include <fmt/format.h>

#include <ostream>

#include "kernels/device/context.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

std::string rate(double per_second, std::string_view unit) {
  return per_second > 0 ? format_rate(per_second, unit) : "-";
}

std::vector<std::string> device_row(const std::string& index, const device::Limits& limits) {
  return {index,
          limits.kind,
          std::to_string(limits.processors),
          format_size(static_cast<double>(limits.memory_bytes)),
          format_size(static_cast<double>(limits.free_bytes)),
          rate(limits.memory_bytes_per_second, "B/s"),
          rate(limits.link_bytes_per_second, "B/s"),
          rate(limits.operations_per_second, "op/s"),
          limits.name};
}

}  // namespace

int devices(Session& session) {
  std::string why_none;
  const std::vector<device::Limits> cuda = device::cuda_devices(&why_none);
  TextTable table{
      {"device", "kind", "processors", "memory", "free", "memory rate", "link rate", "operations", "name"}, {}};
  for (std::size_t i = 0; i < cuda.size(); ++i) table.rows.push_back(device_row(std::to_string(i), cuda[i]));
  table.rows.push_back(device_row("cpu", device::make_cpu_context()->limits()));
  session.out << to_text(table, "", 200);
  if (cuda.empty()) session.out << "no CUDA device: " << why_none << "\n";
  if (device::cuda_unoptimised()) {
    session.out << "this program's CUDA kernels are not optimised (TERRACE_CUDA_UNOPTIMISED): for tests alone\n";
  }
  return exit_done;
}

}  // namespace terrace::app
