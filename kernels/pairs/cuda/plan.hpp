// The launches and the workspace of pairs on CUDA.
#pragma once

#include <cstddef>

#include "kernels/device/context.hpp"
#include "kernels/pairs/cuda/sizes.hpp"
#include "kernels/pairs/spec.hpp"

namespace terrace::pairs {

struct CudaPlan {
  CudaPlan(const PairsSpec& spec, const device::Limits& limits);

  i64 blocks;         // thread blocks of a launch
  bool halves;        // alignments: two pairs in the halves of words
  bool bytes;         // alignments: scores, with the cost of a gap's first letter added, are bytes
  bool profiles;      // alignments: these bytes are of a matrix, not below 0, and in profiles
  int shape;          // alignments: which one of a list of shapes
  int series_rows;    // series: rows of a lane
  i64 handed_stride;  // columns of which something is kept, or words of columns
  // Places in the workspace.
  std::size_t state = 0, table, buckets, order, far, handed, workspace_bytes;
};

/// The reason why kernels of CUDA do not compute the spec; empty: they do.
std::string unfit_for_cuda(const PairsSpec& spec, const device::Limits& limits);

}  // namespace terrace::pairs
