#include "kernels/pairs/cuda/plan.hpp"

#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/pairs/measured.hpp"

namespace terrace::pairs {

using device::aligned_bytes;
using wavefront::Items;
using wavefront::Report;

CudaPlan::CudaPlan(const PairsSpec& spec, const device::Limits& limits)
    : blocks(limits.processors * measured::CudaPairs::blocks) {
  const auto problem = description_of(spec);
  const bool local = problem->report == Report::best;
  static_assert(align_shapes[0].rows() == light_shapes[0].rows() &&
                align_shapes[1].rows() == light_shapes[1].rows() && align_shapes[2].rows() < light_shapes[2].rows());
  shape = spec.longest_row <= align_shapes[0].rows() ? 0 : spec.longest_row <= align_shapes[1].rows() ? 1 : 2;
  halves = problem->bound(spec.longest_row, spec.longest_column) <= (local ? most_local_half : most_global_half) &&
           !(local && spec.ends);
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
    const i64 rows = problem->items == Items::values ? i64{32} * series_rows : align_shapes[shape].rows();
    if (spec.longest_row > rows) {
      handed_stride = spec.longest_column;
      handed_bytes = workers / 32 * static_cast<std::size_t>(handed_stride) * 8;
    }
  }
  table = aligned_bytes(state_bytes);
  buckets = table + aligned_bytes(table_bytes);
  order = buckets + aligned_bytes(bucket_bytes);
  handed = order + aligned_bytes(static_cast<std::size_t>(spec.most_pairs) * sizeof(i32));
  bytes = handed + aligned_bytes(handed_bytes);
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
