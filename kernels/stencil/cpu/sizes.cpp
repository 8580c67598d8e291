#include "kernels/stencil/cpu/sizes.hpp"

#include <algorithm>

#include "kernels/stencil/cpu/compiled.hpp"
#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/visit.hpp"

namespace terrace::stencil {
namespace {

using measured::CpuTiles;

static_assert(CpuTiles::line_depth <= most_steps_at_once && CpuTiles::reach <= most_steps_at_once &&
              CpuTiles::reach_of_volumes <= most_steps_at_once);

/// Bytes of a row of a tile of two dimensions, of formulas that a job writes, whose rows are made one by one. EPYC,
/// 2026-11-28, heat2d as a formula, 1024 x 8192, one thread of a machine that others used: 4 KiB 2.6 G, 8 KiB 3.2, 16
/// KiB 3.3.
constexpr i64 written_row_bytes = 16 << 10;

/// Steps at a time: as many as the rows of a slab allow (least_slab_rows()).
i64 depth_of(const StencilSpec& spec) {
  const i64 depth = std::min<i64>(cpu_depth(spec), spec.pass_steps);
  if (!Cut(spec).streams()) return depth;
  return std::clamp<i64>(std::min<i64>(spec.slab_rows / least_slab_rows(spec.radius, 1), spec.at_once), 1, depth);
}

}  // namespace

i64 cpu_depth(const StencilSpec& spec) {
  if (spec.depth > 0) return spec.depth;
  if (spec.rank == 1) return CpuTiles::line_depth;
  const i64 reach = spec.rank == 3 ? CpuTiles::reach_of_volumes : CpuTiles::reach;
  return std::max<i64>(1, reach / spec.radius);
}

TileSizes tile_sizes(const StencilSpec& spec, bool is_compiled) {
  const bool by_strips = spec.written && !is_compiled;
  TileSizes sizes{depth_of(spec), 1, 1, by_strips ? 1 : CpuTiles::block};
  if (is_compiled) sizes.block = std::max(1, compiled_block_rows(spec));
  if (spec.rank == 1) {
    sizes.width = std::min<i64>(spec.extents[0], CpuTiles::line_width);
    return sizes;
  }
  const auto size = static_cast<i64>(size_of(spec.value));
  const i64 rows = sizes.ring_rows(spec.radius, spec.rank) * sizes.depth * spec.fields();
  if (spec.rank == 2) {
    const i64 most = by_strips ? written_row_bytes : CpuTiles::row_bytes;
    const i64 bytes = std::min(most, CpuTiles::ring_bytes / rows);
    sizes.width = std::min<i64>(spec.extents[2], std::max(CpuTiles::least_width, bytes / size));
    return sizes;
  }
  sizes.width = std::min<i64>(spec.extents[2], CpuTiles::volume_row_bytes / size);
  const i64 height = CpuTiles::ring_bytes / (rows * sizes.pitch(spec.radius) * size) - 2 * sizes.depth * spec.radius;
  sizes.height = std::min<i64>(spec.extents[1], std::max(CpuTiles::least_height, height));
  return sizes;
}

std::vector<i64> sub_passes(i64 steps, i64 depth, bool last_alone) {
  const i64 before = last_alone ? steps - 1 : steps;
  i64 count = (before + depth - 1) / depth;
  const i64 alone = last_alone ? 1 : 0;
  if ((count + alone) % 2 != 0 && count < before) ++count;
  std::vector<i64> depths;
  for (i64 i = 0; i < count; ++i) depths.push_back((i + 1) * before / count - i * before / count);
  if (last_alone) depths.push_back(1);
  return depths;
}

int formula_of(const StencilSpec& spec) {
  int formula = 0;
  visit_formula(spec, [&]<class F>(F) {
    if constexpr (!std::is_same_v<F, WrittenFormula>) formula = Formulas::index<F>();
  });
  return formula;
}

}  // namespace terrace::stencil
