#include "stages/in_place/slabs.hpp"

#include <algorithm>
#include <limits>

#include "kernels/in_place/methods.hpp"
#include "kernels/in_place/shape.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/base/units.hpp"
#include "stages/block_memory.hpp"
#include "stages/dealing.hpp"
#include "stages/in_place/measured.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

using in_place::InPlaceSpec;

using measured::CpuSlabs;
using measured::CudaSlabs;

constexpr std::int64_t group = 32;                           // sweeps are made in groups of at most so many
constexpr std::int64_t least_tiles = 2;                      // of a slab and of the one above it
constexpr std::int64_t band = in_place::InPlaceShape::rows;  // rows that a GPU's warp sweeps; fewer take as long

std::int64_t row_bytes(const InPlaceSpec& spec) {
  return std::max<std::int64_t>(1, spec.columns * static_cast<std::int64_t>(size_of(spec.value)));
}

/// The memory for slabs on the device that sweeps them.
class Room {
 public:
  Room(const Resources& resources, const std::function<std::int64_t(const InPlaceSpec&)>& workspace)
      : device_(static_cast<std::int64_t>(resources.device_budget)),
        // On a device of its own a tile passes through host memory; on the CPU slabs are swept in host memory.
        passing_(static_cast<std::int64_t>(resources.host_budget)),
        host_(passing_ * (resources.cuda ? 2 : 1)),
        cuda_(resources.cuda),
        workspace_(workspace) {}

  /// Bytes for tiles.
  std::int64_t bytes(const InPlaceSpec& spec) const {
    const std::int64_t beside = workspace_(spec);
    // On the CPU the sweep works in host memory, in addition to what memory.device bounds.
    return std::min(device_ - (cuda_ ? beside : 0), host_ - (cuda_ ? 0 : beside)) - page_bytes;
  }
  bool holds(const InPlaceSpec& spec, std::int64_t tiles) const {
    return slab_bytes(spec, 1) <= passing_ && slab_bytes(spec, tiles) <= bytes(spec);
  }

 private:
  std::int64_t device_, passing_, host_;
  bool cuda_;
  const std::function<std::int64_t(const InPlaceSpec&)>& workspace_;
};

/// Chooses the highest slabs, from `most` rows down to `least`, of which `tiles` fit, for spec.pass_sweeps. @return
/// true if there are any
bool fit_rows(InPlaceSpec& spec, const Room& room, std::int64_t tiles, std::int64_t most, std::int64_t least) {
  for (spec.slab_rows = std::max(most, least);;
       spec.slab_rows = std::max(least, spec.slab_rows - ceiling(spec.slab_rows, 8))) {
    if (spec.slab_rows >= spec.rows) spec.slab_rows = std::max<std::int64_t>(1, spec.rows);
    if (room.holds(spec, tiles)) return true;
    if (spec.slab_rows <= least) return false;
  }
}

/// Chooses the most sweeps a pass for which `tiles` slabs fit that have at least `multiple` rows for each sweep of a
/// pass. @return true if there are any
bool fit(InPlaceSpec& spec, std::int64_t sweeps, const Room& room, std::int64_t tiles, std::int64_t multiple) {
  const std::int64_t rows = std::max<std::int64_t>(1, spec.rows);
  const std::int64_t most = std::clamp<std::int64_t>(measured::most_slab_bytes / row_bytes(spec), 1, rows);
  for (spec.pass_sweeps = std::min(sweeps, CpuSlabs::most_sweeps);; spec.pass_sweeps = ceiling(spec.pass_sweeps, 2)) {
    const std::int64_t least = std::max(multiple * spec.pass_sweeps, spec.pass_sweeps + 1);
    if (fit_rows(spec, room, tiles, most, least)) return true;
    if (spec.pass_sweeps == 1) return false;
  }
}

/// Sweeps a pass that make all passes alike and of whole groups, with as few passes as `most` sweeps a pass give.
std::int64_t even_sweeps(std::int64_t sweeps, std::int64_t most) {
  const std::int64_t even = ceiling(sweeps, ceiling(sweeps, most));
  return std::min(most, ceiling(even, group) * group);
}

/// Cells a second on a GPU that is busy, no more than its ceiling.
double cells_per_second(const InPlaceSpec& spec, const device::Limits& limits) {
  const double rate = CudaSlabs::cells_per_second * 4 / static_cast<double>(size_of(spec.value));
  const double most = in_place::limit_of(spec, device::Backend::cuda, limits);
  return most > 0 ? std::min(rate, most) : rate;
}

/// Predicted seconds of all passes on one GPU or several, as far as they depend on the cut: the longer of sweeping
/// and moving. The rows in device memory give work to warps: a warp has `band` rows and some sweeps of them, in one
/// way through all columns. Of several devices each begins when the one before it has made the first pass over its
/// part.
double gpu_seconds(const InPlaceSpec& spec, std::int64_t sweeps, std::int64_t tiles, const device::Limits& limits) {
  const auto size = static_cast<std::int64_t>(size_of(spec.value));
  const std::int64_t slabs = ceiling(spec.slabs(), spec.parts);
  const std::int64_t rows = std::min(spec.rows, slabs * spec.slab_rows);
  // The last tile of the part before comes and goes.
  const bool resident = tiles >= slabs + (spec.parts > 1 ? 1 : 0);
  const std::int64_t swept =
      resident ? rows : std::max<std::int64_t>(1, tiles - CudaSlabs::tiles_moving) * spec.slab_rows;
  const auto schedulers = static_cast<double>(std::max<std::int64_t>(1, limits.processors) * CudaSlabs::schedulers);
  const auto warps = static_cast<double>(swept) / band *
                     static_cast<double>(ceiling(spec.pass_sweeps * size, CudaSlabs::band_bytes));
  const double first = std::min(1.0, warps / schedulers), second = std::clamp(warps / schedulers - 1, 0.0, 1.0);
  const double busy = first * CudaSlabs::one_warp + second * (1 - CudaSlabs::one_warp);
  const auto cells = static_cast<double>(rows) * static_cast<double>(spec.columns);
  const double sweeping = cells * static_cast<double>(spec.pass_sweeps) / cells_per_second(spec, limits) / busy;
  const double moving = resident ? 0 : cells * static_cast<double>(size) / CudaSlabs::link_bytes_per_second;
  const double pass = std::max(sweeping, moving);
  const double own = static_cast<double>(ceiling(sweeps, spec.pass_sweeps)) * pass;
  if (spec.parts == 1) return own;
  using measured::DealtBlocks;
  const double tile = static_cast<double>(slab_bytes(spec, 1));
  return own + static_cast<double>(spec.parts - 1) *
                   (pass + tile / DealtBlocks::peer_bytes_per_second + DealtBlocks::hand_on_seconds);
}

/// Chooses the cut into whole bands with the least time on as many GPUs as the spec has parts.
/// @return the seconds; infinity: there is none
double fit_gpu(InPlaceSpec& spec, std::int64_t sweeps, const Room& room, const device::Limits& limits) {
  InPlaceSpec best = spec;
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t most : CudaSlabs::pass_sweeps) {
    if (most > sweeps && most > 1 && ceiling(most, 2) >= sweeps) continue;
    spec.pass_sweeps = even_sweeps(sweeps, std::min(most, sweeps));
    const std::int64_t lowest = ceiling(spec.pass_sweeps + 1, band) * band;
    const std::int64_t highest = std::max(
        lowest, (spec.pass_sweeps >= CudaSlabs::many_sweeps ? CudaSlabs::most_bytes : measured::most_slab_bytes) /
                    row_bytes(spec));
    for (std::int64_t rows = lowest; rows <= highest; rows += ceiling(rows, 8 * band) * band) {
      spec.slab_rows = std::min(rows, std::max<std::int64_t>(1, spec.rows));
      if (!room.holds(spec, 1)) break;
      const std::int64_t tiles = room.bytes(spec) / slab_bytes(spec, 1);
      if (tiles < std::min(least_tiles, spec.slabs())) break;
      if (spec.parts > 1 && spec.slabs() < CudaSlabs::least_slabs_of_part * spec.parts) break;
      const double seconds = gpu_seconds(spec, sweeps, tiles, limits);
      // Higher slabs win if they are as fast: they are fewer, and larger pieces for a disk.
      if (seconds < 0.99 * least || (seconds <= 1.001 * least && spec.pass_sweeps == best.pass_sweeps &&
                                     tiles >= 2 * CudaSlabs::tiles_moving)) {
        least = std::min(least, seconds);
        best = spec;
      }
      if (rows >= spec.rows) break;
    }
  }
  spec = best;
  return least;
}

/// Chooses the cut for one GPU or for several. @return true if there is any
bool fit_gpus(InPlaceSpec& spec, std::int64_t sweeps, const Room& room, const Resources& resources,
              std::string& why_not) {
  spec.parts = 1;
  const double alone = fit_gpu(spec, sweeps, room, resources.device);
  double least = alone / measured::DealtBlocks::least_gain;
  const InPlaceSpec one = spec;
  for (std::int64_t devices = 2; devices <= resources.devices; ++devices) {
    InPlaceSpec dealt = one;
    dealt.parts = devices;
    const double seconds = fit_gpu(dealt, sweeps, room, resources.device);
    if (seconds < least) least = seconds, spec = dealt;
  }
  if (resources.devices > 1 && spec.parts == 1) why_not = "so few sweeps are over before a second device can begin";
  return alone < std::numeric_limits<double>::infinity();
}

}  // namespace

std::int64_t slab_bytes(const InPlaceSpec& spec, std::int64_t tiles) {
  const std::int64_t tile =
      whole_pages(std::max<std::int64_t>(1, std::min(spec.rows, spec.slab_rows)) * row_bytes(spec));
  return std::min(tiles, std::max<std::int64_t>(1, spec.slabs())) * tile;
}

std::optional<std::string> fit_slabs(InPlaceSpec& spec, std::int64_t sweeps, const Resources& resources,
                                     const std::function<std::int64_t(const InPlaceSpec&)>& workspace) {
  const Room room(resources, workspace);
  std::string why_not;
  if (resources.cuda && fit_gpus(spec, sweeps, room, resources, why_not)) return why_not;
  if (!fit(spec, sweeps, room, CpuSlabs::tiles, CpuSlabs::heights) && !fit(spec, sweeps, room, least_tiles, 1)) {
    return std::nullopt;
  }
  spec.pass_sweeps = even_sweeps(sweeps, spec.pass_sweeps);
  return resources.devices > 1 ? "memory holds too few slabs for a second device" : "";
}

std::string choose_slabs(InPlaceSpec& spec, std::int64_t sweeps, const Resources& resources,
                         const std::function<std::int64_t(const InPlaceSpec&)>& workspace) {
  if (auto why_not = fit_slabs(spec, sweeps, resources, workspace)) return *std::move(why_not);
  refuse_budgets(resources, slab_bytes(spec, least_tiles) + page_bytes, workspace(spec), slab_bytes(spec, 1));
}

}  // namespace terrace::stages
