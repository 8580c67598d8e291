#include "stages/in_place/slabs.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/in_place/shape.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"
#include "stages/refuse.hpp"
#include "stages/wavefront/blocks.hpp"

namespace terrace::stages {
namespace {

using wavefront::InPlaceSpec;

constexpr std::int64_t page = 4096;
constexpr std::int64_t most_pass_sweeps = 256;          // beyond that the disk is hidden, and what slabs leave grows
constexpr std::int64_t most_slab_bytes = 128 << 20;     // beyond that disks and links get no faster
constexpr std::int64_t most_filling_bytes = 512 << 20;  // of a slab that fills a GPU with warps
constexpr std::int64_t heights = 2;                     // sweeps of a pass that a slab is high, where there is room
constexpr std::int64_t group = 32;                      // sweeps are made in groups of at most so many
constexpr std::int64_t band = wavefront::InPlaceShape::rows;  // rows that a GPU's warp sweeps; fewer take longer
constexpr std::int64_t band_sweeps = 16;                      // sweeps of an f32 grid that it makes at a time
constexpr std::int64_t processor_warps = 8;                   // of a multiprocessor

std::int64_t pages(std::int64_t bytes) { return (bytes + page - 1) / page * page; }

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// What there is for slabs of that shape, in bytes where they are swept.
class Room {
 public:
  Room(const Resources& resources, const std::function<std::int64_t(const InPlaceSpec&)>& workspace)
      : device_(static_cast<std::int64_t>(resources.device_budget)),
        // On a device of its own a tile passes through host memory; on the CPU slabs are swept in host memory.
        host_(static_cast<std::int64_t>(resources.host_budget) * (resources.cuda ? 2 : 1)),
        cuda_(resources.cuda),
        processors_(resources.device.processors),
        workspace_(workspace) {}

  /// Rows of slabs whose bands, of those in flight, give every warp of a GPU one, where sweeps take longer than the
  /// way there.
  std::int64_t filling(const InPlaceSpec& spec, std::int64_t row_bytes) const {
    if (!cuda_ || spec.pass_sweeps <= band_sweeps) return 1;
    const std::int64_t groups = ceiling(spec.pass_sweeps, band_sweeps);
    const std::int64_t bands = ceiling(processors_ * processor_warps, groups * blocks_in_flight);
    return std::min({spec.rows, bands * band, most_filling_bytes / row_bytes});
  }
  /// The next height of slabs, from `rows` down: on a GPU of whole bands, where they are so high.
  std::int64_t height(std::int64_t rows, std::int64_t least) const {
    const std::int64_t whole = cuda_ ? rows / band * band : 0;
    return whole >= std::max<std::int64_t>(1, least) ? whole : rows;
  }
  bool holds(const InPlaceSpec& spec, std::int64_t in_flight) const {
    const std::int64_t beside = workspace_(spec);
    // On the CPU the sweep works in host memory, beside what memory.device bounds.
    const std::int64_t room = std::min(device_ - (cuda_ ? beside : 0), host_ - (cuda_ ? 0 : beside));
    return slab_bytes(spec, in_flight) + page <= room;
  }

 private:
  std::int64_t device_, host_;
  bool cuda_;
  std::int64_t processors_;
  const std::function<std::int64_t(const InPlaceSpec&)>& workspace_;
};

/// The highest slabs for that many sweeps a pass that fit, from `most` rows down to `least`; whether any do.
bool fit_rows(InPlaceSpec& spec, const Room& room, std::int64_t in_flight, std::int64_t most, std::int64_t least) {
  for (spec.slab_rows = room.height(std::max(most, least), least);;
       spec.slab_rows = room.height(std::max(least, spec.slab_rows - ceiling(spec.slab_rows, 8)), least)) {
    if (spec.slab_rows >= spec.rows) spec.slab_rows = std::max<std::int64_t>(1, spec.rows);
    if (room.holds(spec, spec.slab_rows == spec.rows ? 1 : in_flight)) return true;
    if (spec.slab_rows <= least) return false;
  }
}

/// Whether slabs of any shape fit; the shape.
bool fit(InPlaceSpec& spec, std::int64_t sweeps, const Room& room) {
  const std::int64_t row_bytes =
      std::max<std::int64_t>(1, spec.columns * static_cast<std::int64_t>(size_of(spec.value)));
  const std::int64_t most =
      std::clamp<std::int64_t>(most_slab_bytes / row_bytes, 1, std::max<std::int64_t>(1, spec.rows));
  const auto with = [&](std::int64_t in_flight, std::int64_t multiple) {
    for (spec.pass_sweeps = std::min(sweeps, most_pass_sweeps);; spec.pass_sweeps = ceiling(spec.pass_sweeps, 2)) {
      const std::int64_t least = std::max(multiple * spec.pass_sweeps, spec.pass_sweeps + 1);
      if (fit_rows(spec, room, in_flight, std::max(most, room.filling(spec, row_bytes)), least)) return true;
      if (spec.pass_sweeps == 1) return false;
    }
  };
  return with(blocks_in_flight, heights) || with(1, 1);
}

}  // namespace

std::int64_t slab_bytes(const InPlaceSpec& spec, std::int64_t in_flight) {
  const auto size = static_cast<std::int64_t>(size_of(spec.value));
  const std::int64_t tile = pages(std::min(spec.rows, spec.slab_rows) * spec.columns * size);
  if (spec.slab_rows >= spec.rows) return 2 * tile;
  const std::int64_t carry = pages((spec.pass_sweeps + 1) * spec.columns * size);
  return (2 * in_flight + 1) * tile + (in_flight + 2) * carry;
}

void choose_slabs(InPlaceSpec& spec, std::int64_t sweeps, const Resources& resources,
                  const std::function<std::int64_t(const InPlaceSpec&)>& workspace) {
  if (!fit(spec, sweeps, Room(resources, workspace))) {
    refuse_budgets(resources, slab_bytes(spec, 1) + page, workspace(spec));
  }
  // Passes that are alike, of whole groups.
  const std::int64_t passes = ceiling(sweeps, spec.pass_sweeps);
  const std::int64_t even = ceiling(sweeps, passes);
  spec.pass_sweeps = std::min(spec.pass_sweeps, ceiling(even, group) * group);
}

}  // namespace terrace::stages
