// The score and the end of a pair from the report of a sweep over its table.
#pragma once

#include "kernels/pairs/task.hpp"
#include "kernels/wavefront/report.hpp"

namespace terrace::pairs {

/// The types of scores (PairsSpec::value).
enum class SweptValue : i32 { letters32, letters64, values32, values64 };

/// The places of the scores of a block of swept pairs, and the limit beyond which they are reported as missed.
struct SweptScores {
  void* scores;
  End* ends;  // null: not asked for
  SweptValue value;
  double at_most;  // a larger distance is reported as `missed`, or as infinite
  i64 missed;
};

/// Writes what a table reports for pair `number` of the block.
TERRACE_HOST_DEVICE void write_swept(const SweptScores& to, i64 number, const wavefront::BlockResult& cell) {
  if (to.value == SweptValue::letters32 || to.value == SweptValue::letters64) {
    const i64 score = static_cast<double>(cell.score) > to.at_most ? to.missed : cell.score;
    if (to.value == SweptValue::letters32) static_cast<i32*>(to.scores)[number] = static_cast<i32>(score);
    else static_cast<i64*>(to.scores)[number] = score;
  } else {
    double cost = wavefront::reported_cost(cell.score);
    if (cost > to.at_most) cost = static_cast<double>(wavefront::infinity);
    if (to.value == SweptValue::values32) static_cast<float*>(to.scores)[number] = static_cast<float>(cost);
    else static_cast<double*>(to.scores)[number] = cost;
  }
  if (to.ends != nullptr) to.ends[number] = {cell.row, cell.column};
}

}  // namespace terrace::pairs
