#include "kernels/stencil/methods.hpp"

#include <algorithm>

#include "kernels/compiled/compiler.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/stencil/costs.hpp"
#include "kernels/stencil/cuda/common/blocks.hpp"
#include "kernels/stencil/cuda/common/choice.hpp"
#include "kernels/stencil/cuda/common/formula_arrays.hpp"
#include "kernels/stencil/cuda/common/sums.hpp"
#include "kernels/stencil/cuda/formula.hpp"
#include "kernels/stencil/cuda/papers/tiled.hpp"
#include "kernels/stencil/cuda/planes/volumes.hpp"
#include "kernels/stencil/cuda/planes/window_task.hpp"
#include "kernels/stencil/cuda/planes/written_parts.hpp"
#include "kernels/stencil/cuda/planes/written_windows.hpp"
#include "kernels/stencil/cuda/points/room.hpp"
#include "kernels/stencil/cuda/rows/written_sizes.hpp"
#include "kernels/stencil/cuda/wide/stepper.hpp"
#include "kernels/stencil/cuda/written.hpp"
#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/visit.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::stencil {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;
using measured::BoxSums;
using measured::CudaBox;
using measured::CudaFormulaStream;
using measured::CudaStream;
using measured::CudaVolume;
using measured::StreamForm;
using measured::StreamSizes;

/// Bytes at the start of a workspace for the state that a block's kernels share.
constexpr std::size_t state_bytes = 8192;

static_assert(sizeof(StencilTask) + 64 <= state_bytes && sizeof(StencilTask) % sizeof(device::u64) == 0);

int bytes_of(const StencilSpec& spec) { return static_cast<int>(size_of(spec.value)); }
std::string type_of(const StencilSpec& spec) { return std::string(name_of(spec.value)); }

// Reasons why a kernel does not compute a stencil, each the first one that applies; empty: it does.

constexpr const char* one_step = "one step at a time is asked for";
constexpr const char* other_faces = "it takes faces that are `fixed` or `periodic`, both of an axis alike";
constexpr const char* additions = "it takes no source and no mask";

std::string short_axis(const char* axis, i64 extent, i64 least) {
  return std::string("the ") + axis + " axis has " + std::to_string(extent) + " cells, and its tiles need " +
         std::to_string(least);
}

std::string radius_at_most(const StencilSpec& spec, const char* what, int most) {
  return "it has radii of at most " + std::to_string(most) + " for " + what + " of " + type_of(spec);
}

/// Reasons that all kernels of sums whose rows are streamed have in common.
std::string unfit_for_plain_sums(const StencilSpec& spec) {
  if (spec.rank != 2 || !form_of(spec)) {
    return "it makes sums over a star or a box in two dimensions whose coefficients are numbers";
  }
  if (!keeps_or_wraps(spec.faces[0]) || !keeps_or_wraps(spec.faces[2])) return other_faces;
  if (spec.source >= 0 || spec.mask >= 0) return additions;
  return "";
}

std::string unfit_for_rows(const StencilSpec& spec, const Limits&) {
  if (std::string why = unfit_for_plain_sums(spec); !why.empty()) return why;
  if (spec.depth == 1) return one_step;
  const StreamForm form = *form_of(spec);
  const int most = CudaStream::most_radius(form, bytes_of(spec));
  if (spec.radius > most) return radius_at_most(spec, form == StreamForm::star ? "stars" : "boxes", most);
  const i64 tile = 32 * i64{CudaStream::sizes(form, spec.radius, bytes_of(spec)).cells};
  return spec.extents[2] < tile ? short_axis("last", spec.extents[2], tile) : "";
}

std::string unfit_for_boxes(const StencilSpec& spec, const Limits&) {
  if (std::string why = unfit_for_plain_sums(spec); !why.empty()) return why;
  if (form_of(spec) != StreamForm::box) return "it makes sums over a box that are not separable";
  if (spec.radius < CudaBox::least_radius || spec.radius > CudaBox::most_radius) {
    return "it has radii from " + std::to_string(CudaBox::least_radius) + " to " +
           std::to_string(CudaBox::most_radius);
  }
  // A lane counts the bytes from a row's begin in 32 bits.
  if (spec.width() * bytes_of(spec) >= i64{1} << 32) return "rows have 4 GiB and more";
  return "";
}

std::string unfit_for_products(const StencilSpec& spec, const Limits& limits) {
  if (std::string why = unfit_for_boxes(spec, limits); !why.empty()) return why;
  if (!CudaBox::has_products(bytes_of(spec))) return "it computes in f64";
  return suit_products(spec.terms) ? "" : "the coefficients leave the sign of zeros in doubt";
}

StreamSizes formula_sizes(const StencilSpec& spec) {
  return CudaFormulaStream::sizes(spec.fields(), formula_arrays(spec) > 0, bytes_of(spec));
}

std::string unfit_for_formula_rows(const StencilSpec& spec, const Limits&) {
  const bool near_sum = !spec.terms.empty() && !spec.separable && form_of(spec);
  if (spec.rank != 2 || spec.radius != 1 || (!spec.terms.empty() && !near_sum)) {
    return "it makes formulas of radius 1 in two dimensions, of sums those over a star or a box whose coefficients "
           "are numbers";
  }
  if (spec.written) {
    if (std::string why = compiled::Compiler::why_missing(); !why.empty()) return why;
    if (own_arrays(*spec.written).size() > FormulaArrays::most_own) {
      return "it takes formulas that read at most " + std::to_string(FormulaArrays::most_own) + " constant arrays";
    }
  }
  if (spec.depth == 1) return one_step;
  const i64 tile = 32 * i64{formula_sizes(spec).cells}, row = spec.extents[2];
  if (row < tile) return short_axis("last", row, tile);
  if (row >= i64{1} << 31) return "rows have 2^31 cells and more";
  return "";
}

std::string unfit_for_steps(const StencilSpec& spec, const Limits&) {
  return spec.written ? compiled::Compiler::why_missing() : "";
}

/// The frame of a kernel that streams planes of a stencil for which it has sizes.
VolumeFrame plane_frame(const StencilSpec& spec) {
  const int bytes = bytes_of(spec), fields = spec.fields();
  if (spec.written) {
    if (const PlaneParts parts = plane_parts(spec); parts.fit) {
      return volume_frame(parts.sizes, fields, fields_among(parts.near, fields), 1, false, bytes);
    }
    const PlaneWindows windows = plane_windows(spec);
    return window_frame(windows.sizes, fields, fields_among(windows.near, fields), formula_arrays(spec), bytes);
  }
  i32 near = 1;
  visit_formula(spec, [&]<class F>(F) {
    if constexpr (InTwoParts<F>) near = fields_among(F::near, F::fields);
  });
  return volume_frame(volume_sizes(spec), fields, near, spec.radius, volume_kind(spec) == VolumeKind::box, bytes);
}

/// The names of the operators whose cells are made in two parts, with commas between them.
std::string names_of_parts() {
  std::string names;
  Operators::for_each([&]<class O>(O) {
    if constexpr (InTwoParts<typename O::Kernel>) names += (names.empty() ? "" : ", ") + std::string(O::name);
  });
  return names;
}

std::string unfit_for_planes(const StencilSpec& spec, const Limits& limits) {
  const std::optional<VolumeKind> kind = spec.rank == 3 ? volume_kind(spec) : std::nullopt;
  if (spec.written) {
    if (std::string why = compiled::Compiler::why_missing(); !why.empty()) return why;
    if (std::string why = plane_windows(spec).unfit; !why.empty()) return why;
  } else {
    if (!kind) {
      return "it makes sums over a star or a box in three dimensions whose coefficients are numbers, " +
             names_of_parts() + " and formulas of radius 1";
    }
    if (!spec.given.empty()) return "of operators it takes numbers as parameters, not arrays";
    if (spec.source >= 0 || spec.mask >= 0) return additions;
    if (!std::ranges::all_of(spec.faces, keeps_or_wraps)) return other_faces;
  }
  if (spec.depth == 1) return one_step;
  const bool box = kind == VolumeKind::box;
  const int most = CudaVolume::most_radius(box);
  if (spec.radius > most) return radius_at_most(spec, box ? "boxes" : "stars", most);
  if (spec.width() > i64{1} << 30) return "a plane has more than 2^30 cells";
  const VolumeFrame frame = plane_frame(spec);
  if (spec.extents[2] < frame.width / 2) return short_axis("last", spec.extents[2], frame.width / 2);
  if (spec.extents[1] < frame.height / 2) return short_axis("middle", spec.extents[1], frame.height / 2);
  // 0: a device that is not known.
  const auto needed = static_cast<std::size_t>(frame.shared_bytes);
  if (limits.block_shared_bytes > 0 && needed > limits.block_shared_bytes) {
    return "a thread block's planes need " + std::to_string(needed >> 10) +
           " KiB of shared memory, and the device gives it " + std::to_string(limits.block_shared_bytes >> 10) +
           " KiB";
  }
  return "";
}

/// Reasons of a schedule that only a job's own wish takes.
template <Schedule schedule>
std::string unfit_for_tiles(const StencilSpec& spec, const Limits&) {
  StencilSpec scheduled = spec;
  scheduled.schedule = schedule;
  const auto fault = schedule_fault(scheduled);
  return fault ? fault->why : "";
}

Cost cost(std::span<const measured::OperatorRates> rates, const StencilSpec& spec, const Limits& limits,
          Visits visits) {
  if (spec.points) {
    const std::int64_t levels = std::min(static_cast<std::int64_t>(visits.steps), most_patch_levels(spec));
    const double cells = std::max(1.0, static_cast<double>(spec.extents[0]) * static_cast<double>(spec.width()));
    const double seconds = measured::cuda_points_seconds +
                           static_cast<double>(levels) * measured::cuda_points_level_seconds +
                           patch_updates(spec, levels) / measured::cuda_patch_cells;
    visits.steps = static_cast<double>(levels);
    visits.more_seconds += seconds / (cells * visits.steps);
  }
  return cost_by(rates, Backend::cuda, spec, limits, visits);
}

// The most steps that a kernel makes at a time.

int one_at_a_time(const StencilSpec&) { return 1; }
int steps_of_rows(const StencilSpec& spec) {
  const StreamSizes sizes = CudaStream::sizes(*form_of(spec), spec.radius, bytes_of(spec));
  return sizes.levels * sizes.warps;
}
template <BoxSums sums>
int steps_of_box(const StencilSpec& spec) {
  return CudaBox::sizes(sums, spec.radius, bytes_of(spec)).levels;
}
int steps_of_formula_rows(const StencilSpec& spec) {
  const StreamSizes sizes = formula_sizes(spec);
  return sizes.levels * sizes.warps;
}
int steps_of_planes(const StencilSpec& spec) { return plane_frame(spec).sizes.levels; }

Cost cost_of_rows(const StencilSpec& spec, const Limits& limits) {
  return cost(measured::cuda_row_rates, spec, limits, {.steps = static_cast<double>(steps_of_rows(spec))});
}

Cost cost_of_terms(const StencilSpec& spec, const Limits& limits) {
  return cost(measured::cuda_box_term_rates, spec, limits,
              {.steps = static_cast<double>(steps_of_box<BoxSums::terms>(spec))});
}

Cost cost_of_products(const StencilSpec& spec, const Limits& limits) {
  return cost(measured::cuda_box_product_rates, spec, limits,
              {.steps = static_cast<double>(steps_of_box<BoxSums::products>(spec))});
}

Cost cost_of_formula_rows(const StencilSpec& spec, const Limits& limits) {
  return cost(measured::cuda_formula_row_rates, spec, limits,
              {.steps = static_cast<double>(steps_of_formula_rows(spec)),
               .array_bytes = measured::cuda_level_array_bytes,
               .more_seconds = spec.source >= 0 || spec.mask >= 0 ? measured::cuda_addition_seconds : 0});
}

Cost cost_of_planes(const StencilSpec& spec, const Limits& limits) {
  const int levels = steps_of_planes(spec);
  Visits visits{.steps = static_cast<double>(levels)};
  if (spec.written && !plane_parts(spec).fit) {
    visits.array_bytes = measured::cuda_level_array_bytes;
    if (spec.source >= 0 || spec.mask >= 0) visits.more_seconds = measured::cuda_addition_seconds;
  }
  if (spec.written && levels < measured::full_plane_levels) {
    return cost(measured::cuda_plane_rates_of_few_levels, spec, limits, visits);
  }
  return cost(measured::cuda_plane_rates, spec, limits, visits);
}

/// Turns of warps, a cell, in which cells are made one by one (steps/kernel.cuh): those of a warp that reaches beyond
/// the end of a line, of the ends of lines that a face does not keep, those of several rows at once, and of lines at
/// the ends of the middle axis.
double turns_of(const StencilSpec& spec) {
  constexpr i64 line = static_cast<i64>(measured::cuda_step_line), warp = 32;
  const i64 cells = spec.extents[2], whole = cells / line, rest = cells % line;
  if (spec.width() == 1) return 0;
  auto turns = static_cast<double>(std::min<i64>(line / warp - 1, (rest + warp - 1) / warp));
  constexpr double end = 1.0 / measured::CudaStep::rows;
  if (whole > 0 && spec.faces[2].low != Face::fixed) turns += end;
  if (rest == 0 && spec.faces[2].high != Face::fixed) turns += end;
  const double at_middle =
      spec.rank < 3 ? 0 : std::min(1.0, 2.0 * spec.radius / static_cast<double>(spec.extents[1]));
  return turns / static_cast<double>(cells) + at_middle / warp;
}

Cost cost_of_steps(const StencilSpec& spec, const Limits& limits) {
  return cost(measured::cuda_step_rates, spec, limits,
              {.array_bytes = measured::cuda_step_array_bytes,
               .more_seconds = turns_of(spec) * operations_of(spec) * measured::cuda_turn_seconds});
}

Cost cost_of_overlapped(const StencilSpec& spec, const Limits& limits) {
  const int steps = measured::CudaOverlapped::steps(spec.radius);
  return cost(measured::cuda_overlapped_rates, spec, limits, {.steps = static_cast<double>(steps)});
}

Cost cost_of_skewed(const StencilSpec& spec, const Limits& limits) {
  const int steps = std::max(1, skewed_steps(spec.tile, spec.radius));
  return cost(measured::cuda_skewed_rates, spec, limits, {.steps = static_cast<double>(steps)});
}

/// Rows in whose time a launch begins and ends: those that the chunks of a tile lose one beside another, if the tiles
/// are fewer than the thread blocks that run at a time.
/// @param tiles of a row or plane @param lost rows of a chunk
double lost_to_launch(const Limits& limits, double tiles, int blocks, double lost) {
  const double resident = static_cast<double>(limits.processors) * blocks;
  return lost * std::max(1.0, resident / std::max(1.0, tiles));
}
double tiles_of_line(i64 cells, i64 tile, i64 halo) {
  return static_cast<double>(ceiling(cells, std::max<i64>(1, tile - 2 * halo)));
}
double lost_rows_of(const StencilSpec& spec, const StreamSizes& sizes, const Limits& limits) {
  const i64 halo = i64{spec.radius} * sizes.levels * sizes.warps;
  const double tiles = tiles_of_line(spec.extents[2], 32 * i64{sizes.cells}, halo);
  const i64 lost = 2 * halo + i64{sizes.warps} * sizes.rows + CudaStream::rows_lost;
  return lost_to_launch(limits, tiles, sizes.blocks, static_cast<double>(lost));
}
double lost_planes_of(const StencilSpec& spec, const VolumeFrame& frame, const Limits& limits) {
  const double tiles = tiles_of_line(spec.extents[1], frame.height, frame.lines_halo) *
                       tiles_of_line(spec.extents[2], frame.width, frame.cells_halo);
  const int lost = CudaVolume::planes_lost * frame.depth + frame.delay + CudaVolume::planes_to_begin;
  return lost_to_launch(limits, tiles, frame.sizes.blocks, lost);
}

/// @tparam most_steps that the kernel makes at a time
template <int (*most_steps)(const StencilSpec&)>
std::size_t workspace_of(const StencilSpec& spec, const Limits& limits) {
  const std::size_t bytes = plan_stencil(spec).bytes;
  if (!spec.points) return bytes;
  const std::int64_t most = most_steps(spec),
                     levels = spec.depth > 0 ? std::min<std::int64_t>(most, spec.depth) : most;
  return bytes + device::aligned_bytes(patch_bytes(spec, levels, limits.block_shared_bytes));
}

std::size_t tiled_workspace_of(const StencilSpec& spec, const Limits& limits) {
  return plan_stencil(spec).bytes + tiled_bytes(spec, limits);
}

template <Way way>
std::unique_ptr<device::BlockKernel> make(const StencilSpec& spec, device::Context& context, void* workspace) {
  check_stencil(spec);
  std::unique_ptr<device::BlockKernel> blocks;
  visit_formula(spec, [&]<class F>(F) {
    const auto make_for = [&]<class T>() {
      if constexpr (std::is_same_v<F, WrittenFormula>) return CudaWritten<T>::make(way, spec, context, workspace);
      else return CudaFormula<F, T>::make(way, spec, context, workspace);
    };
    blocks = spec.value == ElementType::f32 ? make_for.template operator()<float>()
                                            : make_for.template operator()<double>();
  });
  return blocks;
}

std::unique_ptr<device::BlockKernel> make_tiles(const StencilSpec& spec, device::Context& context, void* workspace) {
  check_stencil(spec);
  return make_tiled(spec, context, workspace);
}

// clang-format off
constexpr StencilMethod methods[] = {
    {"rows", "rows stream through registers, several steps of partial sums at a time", Backend::cuda, "", true,
     unfit_for_rows, cost_of_rows, workspace_of<steps_of_rows>, make<Way::rows>},
    {"box_products", "large boxes of f64 by matrix instructions", Backend::cuda, "", true,
     unfit_for_products, cost_of_products, workspace_of<steps_of_box<BoxSums::products>>, make<Way::box_products>},
    {"box_terms", "large boxes, term by term in registers", Backend::cuda, "", true,
     unfit_for_boxes, cost_of_terms, workspace_of<steps_of_box<BoxSums::terms>>, make<Way::box_terms>},
    {"formula_rows", "rows stream through registers, several steps of any formula of radius 1 at a time",
     Backend::cuda, "", true,
     unfit_for_formula_rows, cost_of_formula_rows, workspace_of<steps_of_formula_rows>, make<Way::formula_rows>},
    {"planes", "planes stream through registers, several steps at a time", Backend::cuda, "", true,
     unfit_for_planes, cost_of_planes, workspace_of<steps_of_planes>, make<Way::planes>},
    {"steps", "one step of all cells at a time", Backend::cuda, "plain", true,
     unfit_for_steps, cost_of_steps, workspace_of<one_at_a_time>, make<Way::steps>},
    {"overlapped", "several steps of a tile in shared memory, whose halo its neighbours make again", Backend::cuda,
     "overlapped", false,
     unfit_for_tiles<Schedule::overlapped>, cost_of_overlapped, tiled_workspace_of, make_tiles},
    {"time_skewed", "several steps of tiles that move by the radius a step (Li, 2020)", Backend::cuda,
     "time_skewed", false,
     unfit_for_tiles<Schedule::time_skewed>, cost_of_skewed, tiled_workspace_of, make_tiles},
};
// clang-format on

}  // namespace

std::span<const StencilMethod> stencil_cuda_methods() { return methods; }

double cuda_lost_rows(const StencilMethod& method, const StencilSpec& spec, const Limits& limits) {
  const std::string_view name = method.name;
  if (name == "planes") return lost_planes_of(spec, plane_frame(spec), limits);
  if (name == "formula_rows") return lost_rows_of(spec, formula_sizes(spec), limits);
  if (name != "rows") return 2 * spec.radius * method.cost(spec, limits).steps;
  return lost_rows_of(spec, CudaStream::sizes(*form_of(spec), spec.radius, bytes_of(spec)), limits);
}

StencilWorkspace plan_stencil(const StencilSpec& spec) {
  const std::size_t size = size_of(spec.value);
  const std::size_t cells = static_cast<std::size_t>(Cut(spec).most_level_rows(spec.pass_steps) * spec.width());
  StencilWorkspace plan{};
  plan.terms_at = state_bytes;
  plan.drive_at = plan.terms_at + device::aligned_bytes(spec.terms.size() * sizeof(Term<double>));
  plan.sums_at = plan.drive_at + device::aligned_bytes(spec.drive.size() * size);
  plan.sources_at =
      plan.sums_at +
      device::aligned_bytes((static_cast<std::size_t>(spec.extents[0]) / change_group + 1) * sizeof(double));
  const Points none, &points = spec.points ? *spec.points : none;
  plan.receivers_at = plan.sources_at + device::aligned_bytes(points.sources.size() * sizeof(PointPlace));
  plan.values_at = plan.receivers_at + device::aligned_bytes(points.receivers.size() * sizeof(PointPlace));
  plan.bytes = plan.values_at + device::aligned_bytes(points.values.size() * size);
  for (std::size_t f = 0; f < static_cast<std::size_t>(spec.fields()); ++f) {
    plan.fields_at[f] = plan.bytes;
    plan.bytes += device::aligned_bytes(cells * size);
  }
  return plan;
}

}  // namespace terrace::stencil
