#include "stages/stencil/slabs.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/points.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/expected_time.hpp"
#include "stages/refuse.hpp"
#include "stages/stencil/measured.hpp"
#include "stages/stencil/timeline.hpp"

namespace terrace::stages {
namespace {

using measured::StencilSlabs;
using stencil::most_steps_at_once;
using stencil::StencilSpec;

std::int64_t pages(double bytes) {
  constexpr double most = 4e18;
  return whole_pages(static_cast<std::int64_t>(std::min(bytes, most)));
}

double row_bytes(const StencilSpec& spec) {
  return static_cast<double>(spec.width()) * static_cast<double>(size_of(spec.value));
}

/// Bytes of the changes of rows that a slab reports: of at most two tiles.
double changes_bytes(const StencilSpec& spec) {
  const double rows = static_cast<double>(std::max(spec.slab_rows, stencil_total_rows));
  return sizeof(double) * std::min(2 * rows, static_cast<double>(spec.extents[0]));
}

/// Seconds in which the grid comes and goes, once a pass.
double moving_seconds(const StencilSpec& spec, std::int64_t steps, const Resources& resources) {
  const double passes = static_cast<double>(ceiling(steps, spec.pass_steps));
  const double bytes = static_cast<double>(spec.extents[0]) * row_bytes(spec);
  const double fields = spec.fields() * bytes, constant = spec.arrays * bytes;
  const double link = resources.device.link_bytes_per_second > 0 ? resources.device.link_bytes_per_second
                                                                 : run::assumed_link_bytes_per_second;
  double seconds = resources.cuda ? passes * (fields + constant) / link / std::max(1, resources.devices) : 0;
  if (1.1 * (fields + constant) > static_cast<double>(resources.host_budget)) {
    seconds = std::max(seconds, passes * (2 * fields + constant) / run::assumed_disk_bytes_per_second);
  }
  return seconds;
}

/// The cuts whose slabs follow one another, and the best one so far.
class StreamChooser {
 public:
  StreamChooser(const StencilSpec& spec, const StencilNeeds& needs, std::int64_t span, const Resources& resources,
                const StencilKernel& kernel, Held held)
      : spec_(spec), needs_(needs), span_(span), resources_(resources), kernel_(kernel), held_(held) {}

  /// @return the cut with the least expected time; nullopt if none fits
  std::optional<StencilSpec> choose() {
    std::int64_t before = 0;
    for (std::int64_t most = std::min(span_, StencilSlabs::most_pass_steps); most >= 1; --most) {
      spec_.pass_steps = steps_of_passes(span_, most);
      if (spec_.pass_steps == std::exchange(before, spec_.pass_steps)) continue;
      if (best_ && moving_seconds(spec_, span_, resources_) >= seconds_)
        break;  // in passes of fewer steps it is more
      try_steps();
    }
    return best_;
  }

 private:
  /// Tries slabs for passes of spec_.pass_steps.
  void try_steps() {
    const auto steps = static_cast<std::int64_t>(kernel_.cost.steps);
    const std::int64_t most =
        std::clamp<std::int64_t>(steps, 1, std::min<std::int64_t>(spec_.pass_steps, most_steps_at_once));
    for (spec_.at_once = most; spec_.at_once >= 1; --spec_.at_once) {
      const std::int64_t least = stencil::least_slab_rows(spec_.radius, spec_.at_once);
      bool is_high = false;  // making fewer steps at once helps low slabs alone
      for (spec_.slab_tiles = 1; spec_.slab_tiles <= stencil::most_slab_tiles; ++spec_.slab_tiles) {
        const std::int64_t rows = highest_tile(ceiling(least, spec_.slab_tiles));
        if (rows == 0) continue;
        take(rows);
        take(aligned_tile(rows));
        is_high = is_high || rows * spec_.slab_tiles >= 2 * least;
      }
      if (is_high) return;
    }
  }

  bool fits(std::int64_t tile_rows) {
    spec_.slab_rows = tile_rows * spec_.slab_tiles;
    const stencil::Cut cut(spec_);
    return cut.streams() && cut.has_room(spec_.arrays) &&
           has_room_for_slabs(spec_, needs_, held_, resources_, kernel_);
  }
  /// Rows of the highest tile that fits, or nearly; 0: none does.
  std::int64_t highest_tile(std::int64_t least) {
    if (!fits(least)) return 0;
    const auto rows_of = [&](std::int64_t bytes) {
      return static_cast<std::int64_t>(static_cast<double>(bytes) / std::max(1.0, row_bytes(spec_)));
    };
    std::int64_t most =
        std::min(rows_of(StencilSlabs::most_tile_bytes), rows_of(StencilSlabs::most_slab_bytes) / spec_.slab_tiles);
    most = std::max(least, std::min(most, spec_.extents[0]));
    if (fits(most)) return most;
    while (most - least > 1) {
      const std::int64_t middle = least + (most - least) / 2;
      (fits(middle) ? least : most) = middle;
    }
    return least;
  }
  /// Rows of a somewhat higher tile that fits because a pass is as deep as some tiles: a slab then takes one tile
  /// less.
  std::int64_t aligned_tile(std::int64_t rows) {
    const std::int64_t depth = spec_.radius * spec_.pass_steps;
    for (std::int64_t higher = std::min(depth, rows + rows / 2 + 1); higher > rows; --higher) {
      const bool small = static_cast<double>(higher) * row_bytes(spec_) <= StencilSlabs::most_tile_bytes;
      if (depth % higher == 0 && small && fits(higher)) return higher;
    }
    return rows;
  }
  /// Takes the cut if it is the best one so far.
  void take(std::int64_t tile_rows) {
    spec_.slab_rows = tile_rows * spec_.slab_tiles;
    const double seconds = stencil_seconds(spec_, span_, resources_, kernel_);
    if (best_ && seconds >= seconds_) return;
    best_ = spec_;
    seconds_ = seconds;
  }

  StencilSpec spec_;
  const StencilNeeds& needs_;
  std::int64_t span_;
  const Resources& resources_;
  const StencilKernel& kernel_;
  Held held_;
  std::optional<StencilSpec> best_;
  double seconds_ = 0;  // of the best one
};

/// The cut that needs the least memory: `whole`, or the lowest slabs and passes of one step.
StencilSpec least_cut(const StencilSpec& spec, const StencilSpec& whole, const StencilNeeds& needs,
                      const StencilKernel& kernel) {
  const auto bytes = [&](const StencilSpec& cut) {
    return stencil_slab_bytes(cut, needs, Held::own) + kernel.workspace(cut);
  };
  StencilSpec least = whole, cut = spec;
  cut.pass_steps = cut.at_once = 1;
  for (cut.slab_tiles = 1; cut.slab_tiles <= stencil::most_slab_tiles; ++cut.slab_tiles) {
    cut.slab_rows = rounded_up(stencil::least_slab_rows(spec.radius, 1), cut.slab_tiles);
    const stencil::Cut slabs(cut);
    if (slabs.streams() && slabs.has_room(cut.arrays) && bytes(cut) < bytes(least)) least = cut;
  }
  return least;
}

/// One slab for each of several devices, with rims that take little beside it. @return true if that fits
bool fit_devices(StencilSpec& spec, const StencilNeeds& needs, std::int64_t span, const Resources& resources,
                 const StencilKernel& kernel) {
  const std::int64_t rows = spec.extents[0];
  spec.slab_rows = (rows + resources.devices - 1) / resources.devices;
  // The last slab is no lower than the rims of the one before it.
  const std::int64_t last = rows - (resources.devices - 1) * spec.slab_rows;
  const std::int64_t most = std::min(spec.slab_rows / StencilSlabs::least_rims, last) / spec.radius;
  spec.pass_steps = std::min({spec.pass_steps, span, most});
  spec.parts = resources.devices;
  return spec.pass_steps >= 1 && has_room_for_slabs(spec, needs, Held::others, resources, kernel);
}

/// Bytes of so many rows, at most those of the grid.
std::int64_t bytes_of_rows(const StencilSpec& spec, std::int64_t rows) {
  const std::int64_t within = std::max<std::int64_t>(1, std::min(spec.extents[0], rows));
  return pages(static_cast<double>(within) * row_bytes(spec));
}

/// Bytes of a tile of the carry of a field.
std::int64_t carry_bytes(const StencilSpec& spec) {
  return pages(row_bytes(spec) *
               static_cast<double>(stencil::carry_rows(spec.radius, spec.pass_steps, spec.at_once)));
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
  std::int64_t most = bytes_of_rows(spec, cut.streams() ? spec.slab_rows : spec.tile_rows());
  if (spec.arrays > 0) most = std::max(most, bytes_of_rows(spec, cut.array_tile_rows()));
  if (cut.streams()) most = std::max(most, carry_bytes(spec));
  if (cut.has_rims()) {
    most = std::max(most, pages(row_bytes(spec) * spec.radius * static_cast<double>(spec.pass_steps)));
  }
  if (needs.receivers) most = std::max(most, receiver_bytes(spec, receiver_tile_times(spec, needs.check_every)));
  return needs.check_every > 0 ? std::max(most, pages(changes_bytes(spec))) : most;
}

std::int64_t stencil_slab_bytes(const StencilSpec& spec, const StencilNeeds& needs, Held held) {
  const stencil::Cut cut(spec);
  const std::int64_t tile = bytes_of_rows(spec, spec.tile_rows());
  const bool others = held == Held::others;
  std::int64_t tiles = spec.slab_tiles, array_tiles = cut.most_array_tiles();
  if (cut.streams()) {
    // Tiles that a slab takes and those that it leaves; beside them as many that go, of which the first one makes
    // room for the next one that comes. A slab that takes rows from the middle of a tile takes a tile more.
    const bool aligned = spec.radius * spec.pass_steps % spec.tile_rows() == 0 && !spec.axis().wraps;
    tiles = (others ? 3 : 2) * spec.slab_tiles + (others ? 1 : 0) + (aligned ? 0 : 1);
    if (others) ++array_tiles;
  }
  const double handed_on = row_bytes(spec) * spec.radius * static_cast<double>(spec.pass_steps);
  std::int64_t bytes = needs.fields * tile * tiles;
  if (spec.arrays > 0) bytes += spec.arrays * bytes_of_rows(spec, cut.array_tile_rows()) * array_tiles;
  if (cut.streams()) bytes += needs.fields * carry_bytes(spec);
  if (cut.has_rims()) bytes += needs.fields * 2 * pages(handed_on);
  if (needs.check_every > 0) bytes += pages(changes_bytes(spec));
  if (needs.receivers) bytes = std::max(bytes + traces_bytes(spec), record_bytes(spec, needs, cut.parts()));
  // A snapshot has a tile of each field, and another one into which it is copied.
  return needs.snapshots ? std::max(bytes, 2 * needs.fields * tile) : bytes;
}

bool has_room_for_slabs(const StencilSpec& spec, const StencilNeeds& needs, Held held, const Resources& resources,
                        const StencilKernel& kernel) {
  const std::int64_t slabs = stencil_slab_bytes(spec, needs, held), beside = kernel.workspace(spec);
  const auto device = static_cast<std::int64_t>(resources.device_budget);
  const auto host = static_cast<std::int64_t>(resources.host_budget);
  // On a device of its own a tile passes through host memory; on the CPU slabs are computed in host memory.
  if (resources.cuda) {
    return slabs + beside <= device && slabs / 2 <= host && stencil_tile_bytes(spec, needs) <= host;
  }
  return slabs <= device && slabs + beside <= host;
}

double stencil_cell_seconds(const StencilSpec& spec, const Resources& resources, const StencilKernel& kernel) {
  const device::Cost& cost = kernel.cost;
  if (!stencil::Cut(spec).streams()) return cost.seconds;
  const double levels = std::min(cost.steps, static_cast<double>(spec.at_once));
  // On CUDA a launch over planes makes all levels of its kernel, of which fewer count. H200, 2026-12-01, star3d of
  // radius 1 in f32, 1024^3: launches over 6 planes that make 3 of 4 levels take 139 us, those over 4 planes that
  // make 2 take 102 us. One over rows has fewer warps for fewer levels, but is not expected to be faster.
  double seconds = resources.cuda ? cost.seconds * cost.steps / levels : cost.seconds;
  // Fewer levels at once visit memory more often.
  if (const double memory = resources.device.memory_bytes_per_second; memory > 0 && levels < cost.steps) {
    seconds = std::max(seconds, cost.bytes * cost.steps / levels / (StencilSlabs::memory_share * memory));
  }
  return seconds * (1 + kernel.lost_rows / static_cast<double>(spec.slab_rows));
}

double stencil_seconds(const StencilSpec& spec, std::int64_t steps, const Resources& resources,
                       const StencilKernel& kernel) {
  const double cells = static_cast<double>(spec.extents[0]) * static_cast<double>(spec.width());
  const double passes = static_cast<double>(ceiling(steps, spec.pass_steps));
  const double blocks = passes * static_cast<double>(stencil::Cut(spec).blocks());
  constexpr double other_launches = 4;  // that begin and report a block, and copy what it hands on
  const double launches =
      blocks * (other_launches + std::ceil(static_cast<double>(spec.pass_steps) / static_cast<double>(spec.at_once)));
  const auto devices = static_cast<double>(std::max(1, resources.devices));
  double computing = cells * static_cast<double>(steps) / devices * stencil_cell_seconds(spec, resources, kernel);
  if (resources.cuda) computing += launches / devices * StencilSlabs::launch_seconds;
  // The first slab comes before anything is computed, and the last one leaves when all is.
  const double ends = 2 * static_cast<double>(spec.slab_rows) / static_cast<double>(spec.extents[0]) / passes;
  const double moving = moving_seconds(spec, steps, resources);
  return std::max({computing, moving, blocks * run::assumed_block_seconds}) +
         (StencilSlabs::moving_share + ends) * moving;
}

void choose_stencil_slabs(StencilSpec& spec, const StencilNeeds& needs, std::int64_t span, const Resources& resources,
                          const StencilKernel& kernel) {
  const double cells = static_cast<double>(spec.extents[0]) * static_cast<double>(spec.width());
  const double updates = resources.cuda ? StencilSlabs::cuda_updates : StencilSlabs::cpu_updates;
  span = std::max<std::int64_t>(1, span);
  spec.slab_rows = std::max<std::int64_t>(1, spec.extents[0]);
  spec.slab_tiles = 1;
  spec.pass_steps = std::clamp<std::int64_t>(static_cast<std::int64_t>(updates / std::max(1.0, cells)), 1, span);
  spec.at_once = most_steps_at_once;
  spec.parts = 1;
  const auto fit_whole = [&](StencilSpec& cut) {
    for (; !has_room_for_slabs(cut, needs, Held::own, resources, kernel); cut.pass_steps = (cut.pass_steps + 1) / 2) {
      if (cut.pass_steps == 1) return false;
    }
    return true;
  };
  StencilSpec whole = spec;
  const bool fits = fit_whole(whole), small = cells < StencilSlabs::least_dealt_cells;
  const bool one_device = resources.devices == 1 || (fits && small);
  if (!one_device && fit_devices(spec, needs, span, resources, kernel)) return;
  spec = whole;
  if (fits) return;
  spec.parts = resources.devices;
  for (const Held held : {Held::others, Held::own}) {
    if (const auto best = StreamChooser(spec, needs, span, resources, kernel, held).choose()) {
      spec = *best;
      return;
    }
  }
  const StencilSpec least = least_cut(spec, whole, needs, kernel);
  refuse_budgets(resources, stencil_slab_bytes(least, needs, Held::own), kernel.workspace(least),
                 stencil_tile_bytes(least, needs));
}

}  // namespace terrace::stages
