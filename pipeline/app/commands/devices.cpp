// `terrace devices`: the CPU and every GPU with their memory and ceilings.
#include <fmt/format.h>

#include <ostream>

#include "kernels/device/context.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

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

/// A device; rates that are not known are 0. @param index of a GPU, null of the CPU
Json device_json(const Json& index, const device::Limits& limits) {
  return {{"index", index},
          {"name", limits.name},
          {"kind", limits.kind},
          {"processors", limits.processors},
          {"memory_bytes", limits.memory_bytes},
          {"free_bytes", limits.free_bytes},
          {"memory_bytes_per_second", limits.memory_bytes_per_second},
          {"link_bytes_per_second", limits.link_bytes_per_second},
          {"operations_per_second", limits.operations_per_second}};
}

Json devices_json(const std::vector<device::Limits>& cuda, const std::string& why_none) {
  Json list = Json::array();
  for (std::size_t i = 0; i < cuda.size(); ++i) list.push_back(device_json(i, cuda[i]));
  list.push_back(device_json(nullptr, device::make_cpu_context()->limits()));
  Json answer = {{"devices", list}, {"cuda_optimised", !device::cuda_unoptimised()}};
  if (cuda.empty()) answer["no_cuda"] = why_none;
  return answer;
}

}  // namespace

int devices(Session& session, const DevicesArguments& arguments) {
  std::string why_none;
  const std::vector<device::Limits> cuda = device::cuda_devices(&why_none);
  if (arguments.json) return session.answer_json(devices_json(cuda, why_none));
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
