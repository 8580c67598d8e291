#include "stages/block_memory.hpp"

#include <algorithm>

#include "pipeline/base/rounding.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t most_in_the_making = 8;

}  // namespace

bool holds(const Resources& resources, const BlockMemory& memory) {
  const auto device = static_cast<std::int64_t>(resources.device_budget);
  const auto host = static_cast<std::int64_t>(resources.host_budget);
  const std::int64_t bytes = memory.block + page_bytes;
  if (!resources.cuda) return bytes <= std::min(device, host);
  return bytes + memory.workspace <= device && std::max(2 * memory.written, memory.tile) <= host;
}

std::int64_t slots_of_dropped(std::int64_t live) { return 2 * live + std::min(live, most_in_the_making); }

}  // namespace terrace::stages
