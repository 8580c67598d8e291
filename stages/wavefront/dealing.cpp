#include "stages/wavefront/dealing.hpp"

#include <algorithm>

#include "kernels/wavefront/costs.hpp"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/methods.hpp"
#include "kernels/wavefront/tile_sizes.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/expected_time.hpp"
#include "stages/block_memory.hpp"
#include "stages/wavefront/widening.hpp"

namespace terrace::stages {
namespace {

using Sizes = measured::StripSizes;
using wavefront::SweepSpec;

/// Tiles of a kept table that a device holds, at most: of the blocks that are fed, and two that leave.
constexpr std::int64_t tiles_of_strip = Sizes::in_flight + 2;

/// Bands that a device works on at a time.
std::int64_t bands_under_way(const SweepSpec& spec, const device::Limits& limits) {
  const std::int64_t held = std::max(1, limits.processors) * Sizes::bands_of_processor;
  return std::clamp<std::int64_t>(ceiling(spec.rows, Sizes::band_rows), 1, held);
}

/// Rows of a block: several blocks for the bands that are under way, of whole bands.
std::int64_t rows_of_block(const SweepSpec& spec, const device::Limits& limits) {
  const std::int64_t bands = ceiling(bands_under_way(spec, limits), Sizes::blocks_under_way);
  return std::clamp<std::int64_t>(bands * Sizes::band_rows, 1, std::max<std::int64_t>(1, spec.rows));
}

/// The spec in about so many strips. A block of a kept table is a tile, of which the memory holds those in flight.
SweepSpec in_strips(SweepSpec spec, std::int64_t strips, const StripUnits& units, const Resources& resources) {
  const auto whole = [](std::int64_t cells, std::int64_t unit) { return ceiling(cells, unit) * unit; };
  spec.by_strips = true;
  spec.block_rows = std::min(spec.rows, whole(rows_of_block(spec, resources.device), units.rows));
  spec.block_columns = std::min(spec.columns, whole(ceiling(spec.columns, strips), units.columns));
  if (!spec.table) return spec;
  const auto budget = static_cast<std::int64_t>(std::min(resources.device_budget, resources.host_budget));
  const std::int64_t bytes = std::min(budget / 2 / tiles_of_strip, measured::BlockSizes::most_table_bytes_cuda);
  const std::int64_t rows = bytes / static_cast<std::int64_t>(size_of(*spec.table)) / spec.block_columns;
  if (rows < spec.block_rows)
    spec.block_rows = std::max(Sizes::band_rows, rows / Sizes::band_rows * Sizes::band_rows);
  return spec;
}

/// Seconds in which a kept table goes to the disk, and to it from the devices.
double table_seconds(const SweepSpec& spec, std::int64_t devices, const device::Limits& limits) {
  if (!spec.table) return 0;
  const double bytes =
      static_cast<double>(spec.rows) * static_cast<double>(spec.columns) * static_cast<double>(size_of(*spec.table));
  const double link = limits.link_bytes_per_second * static_cast<double>(devices);
  return std::max(bytes / run::assumed_disk_bytes_per_second, link > 0 ? bytes / link : 0);
}

/// The reason why a sweep is not dealt whatever its size; "": none.
std::string why_never(const SweepSpec& spec, const Resources& resources) {
  const bool grid = wavefront::description_of(spec)->items == wavefront::Items::grid;
  if (spec.kept || grid) return "what is kept waits for the disk, and not for a device";
  if (wavefront::in_tiles(spec)) return "a schedule of kernel tiles is of one device";
  if (wavefront::description_of(spec)->window < std::max(spec.rows, spec.columns)) {
    return "the cells of a window follow one another along the diagonal";
  }
  const bool leaves_out = spec.schedule.work != wavefront::Schedule::Work::all;
  if (leaves_out && wavefront::description_of(spec)->bits && Widening::least_of(spec, resources)) {
    return "one device computes the diagonals that the distance needs";
  }
  return "";
}

}  // namespace

double cell_seconds(const SweepSpec& spec, const Resources& resources) {
  const auto backend = resources.backend();
  const wavefront::SweepMethod& method = wavefront::choose_sweep_method(spec, backend, resources.device);
  const double operations = wavefront::cell_cost(spec, backend, wavefront::form_of(spec)).operations;
  const double ceiling = resources.device.operations_per_second;
  const double least = ceiling > 0 ? operations / ceiling : 0;
  return std::max(method.cost(spec, resources.device).seconds, least);
}

double strip_seconds(const SweepSpec& spec, double cell_seconds, std::int64_t devices, const device::Limits& limits) {
  const auto bands = static_cast<double>(bands_under_way(spec, limits));
  const auto rows = static_cast<double>(spec.rows), width = static_cast<double>(spec.block_columns);
  const std::int64_t strips = ceiling(spec.columns, spec.block_columns);
  const double rows_under_way = std::min(rows, bands * static_cast<double>(Sizes::band_rows));
  const double width_of_bands = bands * Sizes::columns_behind;
  const double block_of_bands = static_cast<double>(spec.block_rows) / static_cast<double>(Sizes::band_rows);
  const double own = static_cast<double>(ceiling(strips, devices)) * std::max(width, width_of_bands) * rows;
  const double first = (width + block_of_bands * Sizes::columns_behind) * rows_under_way;
  const auto others = static_cast<double>(devices - 1);
  return (own + others * first) * cell_seconds + others * measured::DealtBlocks::hand_on_seconds;
}

bool is_long_pair(const Settings& settings, const std::function<const io::Source*(const std::string&)>& input) {
  const std::string keep = settings.has("keep") ? settings.text("keep") : "";
  if (keep != "score" && keep != "alignment" && keep != "table") return false;
  double cells = 1;
  for (const char* side : {"rows", "columns"}) {
    const io::Source* source = settings.has(side) ? input(settings.text(side)) : nullptr;
    if (source == nullptr || source->shape().rank() != 1) return false;
    cells *= static_cast<double>(source->shape()[0]);
  }
  return cells >= Sizes::least_cells;
}

std::int64_t strip_bytes(const SweepSpec& spec, const TableNeed& need) {
  const std::int64_t down = ceiling(spec.rows, spec.block_rows), across = ceiling(spec.columns, spec.block_columns);
  const std::int64_t rows = whole_pages(spec.block_rows * need.item_bytes) * down;
  const std::int64_t columns = 2 * whole_pages(spec.block_columns * need.item_bytes);
  const std::int64_t row_borders =
      whole_pages(spec.block_columns * need.border_bytes) * std::max(2 * across, Sizes::in_flight + 2);
  const std::int64_t column_borders = whole_pages((spec.block_rows + 1) * need.border_bytes) * (2 * down + 8);
  const std::int64_t tiles = tiles_of_strip * whole_pages(spec.block_rows * spec.block_columns * need.table_bytes);
  return rows + columns + row_borders + column_borders + tiles + page_bytes;
}

Dealing deal_strips(SweepSpec& spec, const StripUnits& units, const Resources& resources,
                    const std::function<bool(const SweepSpec&)>& fits) {
  if (!resources.cuda || resources.devices <= 1 || spec.rows == 0 || spec.columns == 0) return {};
  if (const std::string why = why_never(spec, resources); !why.empty()) return {1, why};
  const device::Limits& limits = resources.device;
  const double cells = static_cast<double>(spec.rows) * static_cast<double>(spec.columns);
  const double computing = cells * cell_seconds(spec, resources), moving = table_seconds(spec, 1, limits);
  double least = std::max(computing, moving) / measured::DealtBlocks::least_gain;
  Dealing dealing{1, moving > computing ? "what is kept waits for the disk, and not for a device"
                                        : "the bands of so small a table are through one strip too late for a second "
                                          "device"};
  SweepSpec best = spec;
  for (std::int64_t devices = 2; devices <= resources.devices; ++devices) {
    for (std::int64_t turns = 1; turns <= Sizes::most_turns; ++turns) {
      const SweepSpec strips = in_strips(spec, devices * turns, units, resources);
      if (ceiling(strips.columns, strips.block_columns) <= devices * (turns - 1)) break;  // no narrower ones
      const double seconds = std::max(strip_seconds(strips, cell_seconds(strips, resources), devices, limits),
                                      table_seconds(spec, devices, limits));
      if (seconds >= least) continue;
      if (!fits(strips)) {
        if (dealing.devices == 1) dealing.why_not = "what strips hand on does not fit in memory";
        continue;
      }
      least = seconds;
      best = strips;
      dealing = {devices, ""};
    }
  }
  spec = best;
  return dealing;
}

}  // namespace terrace::stages
