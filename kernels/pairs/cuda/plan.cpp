#include "kernels/pairs/cuda/plan.hpp"

#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/pairs/cuda/gap_costs.hpp"
#include "kernels/pairs/measured.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::pairs {

using device::aligned_bytes;
using wavefront::Items;
using wavefront::Report;

namespace {

/// The least and the largest score of two letters.
template <class P, class K>
wavefront::ScoreRange scores_of(const K& k) {
  if constexpr (wavefront::by_matrix<P>) {
    // Letters beyond an item's end score 0 at most; a gap's first letter costs no more than a byte holds.
    const auto range = wavefront::range_of(*k.matrix);
    return {k.scale * std::min<i64>(range.least, 0), k.scale * std::max<i64>(range.largest, 0)};
  } else {
    return {std::min(k.match, k.mismatch), std::max(k.match, k.mismatch)};
  }
}

/// True if scores with the cost of a gap's first letter added are bytes that the kernels pick; with a matrix also not
/// below 0. Free ends of columns need more than bytes.
bool are_bytes(const PairsSpec& spec) {
  bool bytes = false;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (P::items == Items::letters && !requires { typename P::Bits; }) {
      const auto k = wavefront::problem_constants<P>(spec.settings);
      if constexpr (requires { k.free_columns; }) {
        if (k.free_columns) return;
      }
      const wavefront::ScoreRange range = scores_of<P>(k);
      const i64 least = wavefront::by_matrix<P> ? 0 : -128, first = first_cost(k);
      bytes = range.least + first >= least && range.largest + first <= 127;
    }
  });
  return bytes;
}

}  // namespace

CudaPlan::CudaPlan(const PairsSpec& spec, const device::Limits& limits)
    : blocks(limits.processors * measured::CudaPairs::blocks) {
  const auto problem = description_of(spec);
  const bool local = problem->report == Report::best;
  static_assert(align_shapes[0].rows() == light_shapes[0].rows() &&
                align_shapes[1].rows() == light_shapes[1].rows() && align_shapes[2].rows() < light_shapes[2].rows());
  const i64 bound = problem->bound(spec.longest_row, spec.longest_column);
  halves = bound <= (local ? most_local_half : most_global_half) && !(local && spec.ends);
  bytes = halves && are_bytes(spec);
  profiles = bytes && spec.settings.has("matrix") && limits.block_shared_bytes >= profile_bytes &&
             bound <= most_local_half - profile_raise;
  AlignShape lanes;
  if (profiles) {
    blocks = limits.processors * profile_blocks;
    shape = spec.longest_column <= most_near_columns ? 0 : 1;
    lanes = profile_shapes[shape];
  } else {
    shape = spec.longest_row <= align_shapes[0].rows() ? 0 : spec.longest_row <= align_shapes[1].rows() ? 1 : 2;
    lanes = align_shapes[shape];
  }
  series_rows = spec.value == ElementType::f32 && spec.longest_row > 32 * pairs::series_rows ? long_series_rows
                                                                                             : pairs::series_rows;
  const auto workers = static_cast<std::size_t>(blocks) * cuda_threads;
  std::size_t handed_bytes = 0;
  handed_stride = 0;
  if (problem->bits) {
    if (spec.longest_row > bits_strip_rows) {
      handed_stride = (spec.longest_column + 31) / 32;
      handed_bytes = workers * static_cast<std::size_t>(handed_stride) * 8;
    }
  } else {
    const bool series = problem->items == Items::values;
    const i64 rows = series ? i64{32} * series_rows : lanes.rows();
    if (spec.longest_row > rows) {
      handed_stride = spec.longest_column;
      handed_bytes =
          workers / static_cast<std::size_t>(series ? 32 : lanes.lanes) * static_cast<std::size_t>(handed_stride) * 8;
    }
  }
  table = aligned_bytes(state_bytes);
  buckets = table + aligned_bytes(table_bytes);
  order = buckets + aligned_bytes(bucket_bytes);
  far = order + aligned_bytes(static_cast<std::size_t>(spec.most_pairs) * sizeof(i32));
  const bool bounded = problem->items == Items::values && spec.at_most;
  handed = far + aligned_bytes(bounded ? static_cast<std::size_t>(spec.most_pairs) : 0);
  workspace_bytes = handed + aligned_bytes(handed_bytes);
}

std::string unfit_for_cuda(const PairsSpec& spec, const device::Limits&) {
  if (const std::string fault = fault_of(spec); !fault.empty()) return fault;
  const auto problem = description_of(spec);
  if (spec.most_pairs > 2147483647) return "a block has at most 2^31 - 1 pairs";
  if (problem->items != Items::letters || problem->bits) return "";
  if (problem->bound(spec.longest_row, spec.longest_column) > most_single) return "scores may leave 31 bits";
  // Letters beyond an item's end must not add to local alignments.
  const bool rewards = !spec.settings.has("matrix") && spec.settings.number("mismatch") > 0;
  return problem->report == Report::best && rewards ? "a mismatch adds to the score" : "";
}

}  // namespace terrace::pairs
