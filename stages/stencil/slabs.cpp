#include "stages/stencil/slabs.hpp"

#include <algorithm>
#include <utility>

#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/points.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/refuse.hpp"
#include "stages/stencil/measured.hpp"
#include "stages/stencil/timeline.hpp"

namespace terrace::stages {
namespace {

using measured::StencilSlabs;
using stencil::StencilSpec;

constexpr std::int64_t least_array_tiles = 2;  // of a slab and of the one above it

std::int64_t pages(double bytes) {
  constexpr double most = 4e18;
  return whole_pages(static_cast<std::int64_t>(std::min(bytes, most)));
}

double row_bytes(const StencilSpec& spec) {
  return static_cast<double>(spec.width()) * static_cast<double>(size_of(spec.value));
}

/// The memory for slabs on the device that computes them.
class Room {
 public:
  Room(const StencilNeeds& needs, const Resources& resources,
       const std::function<std::int64_t(const StencilSpec&)>& workspace)
      : needs_(needs), resources_(resources), workspace_(workspace) {}

  bool holds(const StencilSpec& spec, Held held) const {
    const std::int64_t slabs = stencil_slab_bytes(spec, needs_, held), beside = workspace_(spec);
    const auto device = static_cast<std::int64_t>(resources_.device_budget);
    const auto host = static_cast<std::int64_t>(resources_.host_budget);
    // On a device of its own a tile passes through host memory; on the CPU slabs are computed in host memory.
    if (resources_.cuda) {
      return slabs + beside <= device && slabs / 2 <= host && stencil_tile_bytes(spec, needs_) <= host;
    }
    return slabs <= device && slabs + beside <= host;
  }

 private:
  StencilNeeds needs_;
  const Resources& resources_;
  const std::function<std::int64_t(const StencilSpec&)>& workspace_;
};

/// Bytes of the changes of rows that a slab reports: of at most two tiles.
double changes_bytes(const StencilSpec& spec) {
  const double rows = static_cast<double>(std::max(spec.slab_rows, stencil_total_rows));
  return sizeof(double) * std::min(2 * rows, static_cast<double>(spec.extents[0]));
}

/// The least rows of a tile for passes of that many steps.
std::int64_t least_tile_rows(const StencilSpec& spec) {
  return stencil::least_tile_rows(spec.radius, spec.pass_steps, stencil::most_steps_at_once);
}

/// Chooses the highest slab of so many tiles that fits. @return true if there is one
bool fit_rows(StencilSpec& spec, std::int64_t tiles, const Room& room, Held held) {
  spec.slab_tiles = tiles;
  const std::int64_t least = tiles * least_tile_rows(spec);
  if (least >= spec.extents[0]) return false;
  const std::int64_t most_bytes = std::min(tiles * StencilSlabs::most_tile_bytes, StencilSlabs::most_slab_bytes);
  const auto by_size = static_cast<std::int64_t>(static_cast<double>(most_bytes) / row_bytes(spec));
  const auto whole_tiles = [&](std::int64_t rows) { return std::max(least, rows / tiles * tiles); };
  for (spec.slab_rows = whole_tiles(std::clamp(by_size, least, spec.extents[0] - 1));;
       spec.slab_rows = whole_tiles(spec.slab_rows - ceiling(spec.slab_rows, 32))) {
    if (room.holds(spec, held)) return true;
    // The last slab grows as a pass goes on: with a low one the kernel needs less memory.
    const std::int64_t all = spec.extents[0] + spec.radius * spec.pass_steps, highest = spec.slab_rows;
    spec.slab_rows = rounded_up(ceiling(all, ceiling(all, highest)), tiles);
    if (spec.slab_rows >= least && room.holds(spec, held)) return true;
    spec.slab_rows = highest;
    if (spec.slab_rows <= least) return false;
  }
}

/// Chooses the tiles of a slab and its height: more tiles where slabs get notably higher by them, since less memory
/// is taken by what comes and goes. H100, 2026-11-28, star2d of radius 1 in f32, 65536 x 32768, 512 steps, 1 GiB of
/// the device: slabs of one tile have 1376 rows, 3.35 T cells/s, those of three tiles 1887 rows, 3.55 T.
bool fit_tiles(StencilSpec& spec, const Room& room, Held held) {
  if (!fit_rows(spec, 1, room, held)) return false;
  for (std::int64_t tiles = 2; held == Held::others && tiles <= stencil::most_slab_tiles; ++tiles) {
    StencilSpec cut = spec;
    if (fit_rows(cut, tiles, room, held) && cut.slab_rows > spec.slab_rows + spec.slab_rows / 16) spec = cut;
  }
  return true;
}

bool fit(StencilSpec& spec, std::int64_t span, const Room& room, Held held) {
  std::int64_t before = 0;
  for (const std::int64_t most : StencilSlabs::pass_steps) {
    spec.pass_steps = steps_of_passes(span, most);
    if (spec.pass_steps == std::exchange(before, spec.pass_steps)) continue;
    if (fit_tiles(spec, room, held)) return true;
  }
  return false;
}

/// One slab for each of several devices, with rims that take little beside it. @return true if that fits
bool fit_devices(StencilSpec& spec, std::int64_t span, const Resources& resources, const Room& room) {
  const std::int64_t rows = spec.extents[0];
  spec.slab_rows = (rows + resources.devices - 1) / resources.devices;
  // The last slab is no lower than the rims of the one before it.
  const std::int64_t last = rows - (resources.devices - 1) * spec.slab_rows;
  const std::int64_t most = std::min(spec.slab_rows / StencilSlabs::least_rims, last) / spec.radius;
  spec.pass_steps = std::min({spec.pass_steps, span, most});
  spec.parts = resources.devices;
  return spec.pass_steps >= 1 && room.holds(spec, Held::others);
}

/// Bytes of so many rows, at most those of the grid.
std::int64_t bytes_of_rows(const StencilSpec& spec, std::int64_t rows) {
  const std::int64_t within = std::max<std::int64_t>(1, std::min(spec.extents[0], rows));
  return pages(static_cast<double>(within) * row_bytes(spec));
}

/// Bytes of a tile of the carry of a field.
std::int64_t carry_bytes(const StencilSpec& spec) {
  return pages(row_bytes(spec) * static_cast<double>(stencil::carry_rows(spec.radius, spec.pass_steps)));
}

/// Bytes of the values of receivers of so many times.
std::int64_t receiver_bytes(const StencilSpec& spec, std::int64_t times) {
  return pages(static_cast<double>(times) * static_cast<double>(spec.points->receivers.size()) *
               static_cast<double>(size_of(spec.value)));
}

/// Bytes of the traces of a part.
std::int64_t traces_bytes(const StencilSpec& spec) {
  return receiver_bytes(spec, spec.points->most_times(spec.pass_steps));
}

/// Bytes of a block that brings traces to the dataset: those of all parts, twice if they are brought together, and
/// two tiles of the dataset.
std::int64_t record_bytes(const StencilSpec& spec, const StencilNeeds& needs, std::int64_t parts) {
  return 2 * (parts * traces_bytes(spec) + receiver_bytes(spec, receiver_tile_times(spec, needs.check_every)));
}

}  // namespace

std::int64_t receiver_tile_times(const StencilSpec& spec, std::int64_t check_every) {
  const std::int64_t every = spec.points->every;
  if (check_every > 0) return check_every % every == 0 ? check_every / every : 1;
  constexpr std::int64_t least_bytes = 64 << 10;
  const std::int64_t row = std::ssize(spec.points->receivers) * static_cast<std::int64_t>(size_of(spec.value));
  return std::max(spec.points->most_times(spec.pass_steps), ceiling(least_bytes, row));
}

std::int64_t stencil_tile_bytes(const StencilSpec& spec, const StencilNeeds& needs) {
  const stencil::Cut cut(spec);
  std::int64_t most = bytes_of_rows(spec, spec.arrays > 0 ? spec.slab_rows : spec.tile_rows());
  if (!cut.whole()) most = std::max(most, carry_bytes(spec));
  if (cut.has_rims()) {
    most = std::max(most, pages(row_bytes(spec) * spec.radius * static_cast<double>(spec.pass_steps)));
  }
  if (needs.receivers) most = std::max(most, receiver_bytes(spec, receiver_tile_times(spec, needs.check_every)));
  return needs.check_every > 0 ? std::max(most, pages(changes_bytes(spec))) : most;
}

std::int64_t stencil_slab_bytes(const StencilSpec& spec, const StencilNeeds& needs, Held held) {
  const stencil::Cut cut(spec);
  const std::int64_t tile = bytes_of_rows(spec, spec.tile_rows()), slab = bytes_of_rows(spec, spec.slab_rows);
  const bool others = held == Held::others, one_slab = cut.slabs() <= cut.parts();
  // A slab and the last tile of the one above it; beside them as many tiles that go, of which the first one makes
  // room for the next one that comes.
  const std::int64_t tiles = one_slab ? spec.slab_tiles : (spec.slab_tiles + 1) * (others ? 2 : 1);
  const std::int64_t array_tiles =
      std::min(others ? StencilSlabs::array_tiles : least_array_tiles, std::max<std::int64_t>(1, cut.slabs()));
  const double handed_on = row_bytes(spec) * spec.radius * static_cast<double>(spec.pass_steps);
  std::int64_t bytes = needs.fields * tile * std::min(tiles, std::max<std::int64_t>(1, cut.tiles()));
  if (spec.arrays > 0) bytes += spec.arrays * slab * std::max(array_tiles, cut.most_array_tiles(spec.pass_steps));
  if (!cut.whole()) bytes += needs.fields * carry_bytes(spec);
  if (cut.has_rims()) bytes += needs.fields * 2 * pages(handed_on);
  if (needs.check_every > 0) bytes += pages(changes_bytes(spec));
  if (needs.receivers) bytes = std::max(bytes + traces_bytes(spec), record_bytes(spec, needs, cut.parts()));
  // A snapshot has a tile of each field, and another one into which it is copied.
  return needs.snapshots ? std::max(bytes, 2 * needs.fields * tile) : bytes;
}

void choose_stencil_slabs(StencilSpec& spec, const StencilNeeds& needs, std::int64_t span, const Resources& resources,
                          const std::function<std::int64_t(const StencilSpec&)>& workspace) {
  const Room room(needs, resources, workspace);
  const double cells = static_cast<double>(spec.extents[0]) * static_cast<double>(spec.width());
  const double updates = resources.cuda ? StencilSlabs::cuda_updates : StencilSlabs::cpu_updates;
  spec.slab_rows = std::max<std::int64_t>(1, spec.extents[0]);
  spec.slab_tiles = 1;
  spec.pass_steps = std::clamp<std::int64_t>(static_cast<std::int64_t>(updates / std::max(1.0, cells)), 1,
                                             std::max<std::int64_t>(1, span));
  spec.parts = 1;
  const auto fit_whole = [&](StencilSpec& cut) {
    for (; !room.holds(cut, Held::own); cut.pass_steps = (cut.pass_steps + 1) / 2) {
      if (cut.pass_steps == 1) return false;
    }
    return true;
  };
  StencilSpec whole = spec;
  const bool fits = fit_whole(whole), small = cells < StencilSlabs::least_dealt_cells;
  const bool one_device = resources.devices == 1 || (fits && small);
  if (!one_device && fit_devices(spec, std::max<std::int64_t>(1, span), resources, room)) return;
  spec = whole;
  if (fits) return;
  spec.parts = resources.devices;
  if (fit(spec, span, room, Held::others) || fit(spec, span, room, Held::own)) return;
  spec.pass_steps = 1;
  spec.slab_tiles = 1;
  spec.slab_rows = std::clamp<std::int64_t>(least_tile_rows(spec), 1, std::max<std::int64_t>(1, spec.extents[0]));
  const std::int64_t slabs = stencil_slab_bytes(spec, needs, Held::own), beside = workspace(spec);
  const std::int64_t at_once = stencil_slab_bytes(whole, needs, Held::own), beside_whole = workspace(whole);
  const bool in_slabs = least_tile_rows(spec) < spec.extents[0] && slabs + beside < at_once + beside_whole;
  refuse_budgets(resources, in_slabs ? slabs : at_once, in_slabs ? beside : beside_whole,
                 stencil_tile_bytes(in_slabs ? spec : whole, needs));
}

}  // namespace terrace::stages
