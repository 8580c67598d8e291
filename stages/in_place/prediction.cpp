#include "stages/in_place/prediction.hpp"

#include <algorithm>

#include "stages/in_place/slabs.hpp"

namespace terrace::stages {

using in_place::InPlaceSpec;

run::Prediction predict_in_place(const InPlacePlan& plan, const Resources& resources) {
  const InPlaceSpec& spec = plan.spec();
  const auto size = static_cast<double>(size_of(spec.value));
  const double cells = static_cast<double>(spec.rows) * static_cast<double>(spec.columns);
  const auto passes = static_cast<double>(plan.passes());
  run::Prediction p;
  p.blocks = spec.slabs() * plan.passes();
  p.unit = "cell";
  p.operations = cells * static_cast<double>(plan.sweeps());
  p.operations_per_second = 1 / plan.method().cost(spec, resources.device).seconds;
  // If the grid does not fit in addition to tiles that are moved, every pass reads and writes it.
  const bool stays = 1.1 * cells * size <= static_cast<double>(resources.host_budget);
  p.bytes_read = p.bytes_written = cells * size * (stays ? 1 : passes);
  if (resources.cuda) {
    const bool stays_there = cells * size <= static_cast<double>(resources.device_budget);
    p.bytes_up = p.bytes_down = cells * size * (stays_there ? 1 : passes);
    p.workspace_bytes = plan.method().workspace(spec, resources.device);
  }
  p.block_shape = std::to_string(spec.slab_rows) + " x " + std::to_string(spec.columns) + ", " +
                  std::to_string(spec.pass_sweeps) + " sweeps a pass";
  p.block_bytes = static_cast<std::size_t>(slab_bytes(spec, 2));
  p.limit = in_place::limit_of(spec, resources.backend(), resources.device);
  p.limit_kind = "operations";
  const auto pass_sweeps = static_cast<double>(spec.pass_sweeps);
  const auto bound = [&](double bytes_per_second, double bytes_a_cell, const char* kind) {
    if (bytes_per_second <= 0) return;
    const double rate = bytes_per_second / bytes_a_cell * pass_sweeps;
    if (p.limit <= 0 || rate < p.limit) p.limit = rate, p.limit_kind = kind;
  };
  bound(resources.device.memory_bytes_per_second, 2 * size, "device memory");
  // The rate was measured elsewhere: this machine is no faster than its limit.
  if (p.limit > 0) p.operations_per_second = std::min(p.operations_per_second, p.limit);
  // Each of several devices begins when the one before it has made the first pass over its part.
  const auto devices = static_cast<double>(plan.devices(resources.devices));
  p.limit *= devices;
  p.operations_per_second *= devices * passes / (passes + devices - 1);
  if (const double link = resources.device.link_bytes_per_second; resources.cuda && link > 0) {
    bound(link, p.bytes_up / cells / passes, "link");
    // The only pass over a grid that stays begins with its first slab, and sweeps the last one when that is there.
    const double sweeping = p.operations / p.operations_per_second, moving = p.bytes_up / link;
    const bool stays_there = cells * size <= static_cast<double>(resources.device_budget);
    const double seconds = stays_there ? sweeping + moving : std::max(sweeping, moving);
    if (seconds > 0) p.operations_per_second = p.operations / seconds;
  }
  if (p.limit <= 0) p.limit_kind = "";
  return p;
}

}  // namespace terrace::stages
