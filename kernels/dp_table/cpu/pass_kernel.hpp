// The cells of a tile take one step, on the CPU. Included once for each instruction set (kernel.hpp).
#pragma once

#include <algorithm>

#include "kernels/dp_table/cpu/pass.hpp"
#include "kernels/dp_table/rules.hpp"

namespace terrace::dp_table::TERRACE_ISA {
namespace {

/// Adds values to counts, from the first to the last: a value may be a count to which one was added before.
/// @return the first whose sum leaves the type; -1: none
template <class T>
i64 add_counts(T* counts, const T* values, i64 begin, i64 end, i64 modulus) {
  if (modulus != 0) {
    const auto wrap = static_cast<u64>(modulus);
    for (i64 x = begin; x < end; ++x) {
      const u64 sum = static_cast<u64>(counts[x]) + static_cast<u64>(values[x]);
      counts[x] = static_cast<T>(sum >= wrap ? sum - wrap : sum);
    }
    return -1;
  }
  // Counts without a modulus are i64: the sum of two that are not negative is negative if it leaves the type.
  u64 signs = 0;
  for (i64 x = begin; x < end; ++x) {
    const u64 sum = static_cast<u64>(counts[x]) + static_cast<u64>(values[x]);
    signs |= sum;
    counts[x] = static_cast<T>(sum);
  }
  if (signs >> 63 == 0) return -1;
  while (static_cast<i64>(counts[begin]) >= 0) ++begin;
  return begin;
}

/// The part of a pass, run by run: a run is adjacent cells of a box that may take the step.
template <class Rule>
class PassRuns {
  using T = typename Rule::Value;

 public:
  PassRuns(const PassWork& work, const PassBox& box) : work_(work), cells_(static_cast<T*>(work.cells)) {
    for (i32 d = 0; d < work.rank; ++d) {
      const PassDimension& at = work.dimensions[d];
      const i64 least = d == 0 ? at.component - work.first_row : at.component;
      begin_[d] = std::max(box.begin[d], least);
      end_[d] = box.end[d];
      if (begin_[d] > 0 || end_[d] < at.extent) last_ = d;
    }
  }

  i64 make() {
    i64 index[most_dimensions] = {};
    for (i32 d = 0; d <= last_; ++d) {
      if (begin_[d] >= end_[d]) return -1;
      index[d] = begin_[d];
    }
    const i64 stride = work_.dimensions[last_].stride;
    while (true) {
      i64 at = 0;
      for (i32 d = 0; d < last_; ++d) at += index[d] * work_.dimensions[d].stride;
      run(at + begin_[last_] * stride, at + end_[last_] * stride);
      i32 d = last_ - 1;
      for (; d >= 0; --d) {
        if (++index[d] < end_[d]) break;
        index[d] = begin_[d];
      }
      if (d < 0) return overflow_;
    }
  }

 private:
  void run(i64 begin, i64 end) {
    // From here on the step leads to rows from the tile's first on.
    const i64 rows = work_.dimensions[0].component * work_.dimensions[0].stride;
    const i64 middle = std::clamp(rows, begin, end);
    take(static_cast<const T*>(work_.before), begin, middle);
    take(static_cast<const T*>(work_.source), middle, end);
  }
  void take(const T* from, i64 begin, i64 end) {
    if (begin >= end || from == nullptr) return;
    const i64 overflow = add_counts(cells_, from - work_.offset, begin, end, work_.modulus);
    if (overflow >= 0 && (overflow_ < 0 || overflow < overflow_)) overflow_ = overflow;
  }

  const PassWork& work_;
  T* cells_;
  i64 begin_[most_dimensions], end_[most_dimensions];
  i32 last_ = 0;  // the last dimension of which a run has not all indices
  i64 overflow_ = -1;
};

template <class Rule>
i64 make_pass(const PassWork& work, const PassBox& box) {
  return PassRuns<Rule>(work, box).make();
}

}  // namespace
}  // namespace terrace::dp_table::TERRACE_ISA
