// The run-time description of a wavefront problem with its parameters: plain values and functions, no type.
//
// Stages, plans and all host code beside the kernels know a problem by its description alone. Only what makes kernels
// goes through the list of types (visit.hpp). So a recurrence that is in no list, and is compiled at run time, can be
// planned, checked and verified like one of the list: its SweepSpec carries a description made by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/wavefront/replay.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "kernels/wavefront/trace.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

/// The recurrence of a problem with its constants, cell by cell, in values of type V (problem.hpp has the meaning of
/// each function). An empty function is one that the problem does not have.
template <class V>
struct Recurrence {
  std::function<V(V row, V column)> score;  // letters and values
  std::function<Cell<V>(const Around<V>& around, V score)> cell;
  std::function<Border<V>(i64 column)> top;  // -1 <= column < columns
  std::function<Border<V>(i64 row)> left;    // -1 <= row < rows
  std::function<V(V row, V column)> corner;  // from the items of row 0 and column 0; empty: left(-1).h
  std::function<V(V gap, V h)> gap_behind;   // two planes: the gap behind a cell with H = h that `gap` enters
  explicit operator bool() const { return static_cast<bool>(cell); }
};

/// The bit-parallel form of a problem (P::Bits).
struct BitForm {
  int planes;         // of differences: 1 or 2
  bool counts_pairs;  // H counts pairs of equal letters; else differences
};

/// Scores of letters that are equal or not, and the cost of a gap's first letter, times the scale.
struct EqualScores {
  std::int64_t match, mismatch, gap;
};

/// A problem with its parameters.
struct Description {
  std::string name;  // as in a job
  std::string help;  // one sentence
  Items items = Items::letters;
  Report report = Report::last;
  bool counts = false;                // a table, a layer, for each of its `bins`
  int row_planes = 1;                 // planes of a row border: 1 (H) or 2 (H, F)
  int column_planes = 1;              // planes of a column border: 1 (H) or 2 (H, E)
  bool in_tiles = true;               // there are kernels for the papers' schedules
  bool traceable = false;             // its paths can be followed
  bool prunes = false;                // sweeps may leave out cells that cannot reach the best one (pruning.hpp)
  std::optional<BitForm> bits;        // nullopt: no bit-parallel form
  std::optional<EqualScores> greedy;  // nullopt: no greedy score (greedy_score.hpp)
  std::int64_t scale = 1;             // of scores (score_scale)
  std::int64_t window = no_window;    // half width
  Ends ends{};                        // Report::ends: the cells where an alignment may end
  FreeStart free_start{};             // steps that a path need not take at its start
  std::vector<std::byte> constants;   // the constants as kernels take them, P::Constants<i64>

  /// A bound on the magnitude of every value in a table of rows x columns; `unbounded` where 63 bits may not hold it.
  std::function<std::int64_t(std::int64_t rows, std::int64_t columns)> bound;
  /// The same of sums over a grid whose values are at most `largest`; empty for other problems.
  std::function<std::int64_t(std::int64_t largest, std::int64_t rows, std::int64_t columns)> sum_bound;
  /// The score of a path from its steps (replay.hpp); empty where paths cannot be followed.
  std::function<BlockResult(const FollowedPath& path)> replay;

  /// The recurrence in the types in which the host computes it: letters in i64, values in f32 and f64.
  Recurrence<i64> in_i64;
  Recurrence<float> in_f32;
  Recurrence<double> in_f64;

  template <class V>
  const Recurrence<V>& recurrence() const {
    if constexpr (std::is_same_v<V, float>) return in_f32;
    else if constexpr (std::is_same_v<V, double>) return in_f64;
    else return in_i64;
  }
};

/// The description of the list's problem that `problem` with these parameters means. @throws JobError if there is
/// none
std::shared_ptr<const Description> describe(const std::string& problem, const Settings& settings);

/// The spec's own description, or that of the list's problem. @throws JobError if there is neither
std::shared_ptr<const Description> description_of(const SweepSpec& spec);

/// The report of a table of rows x columns before any of its blocks has reported.
BlockResult border_report(const Description& problem, std::int64_t rows, std::int64_t columns);

/// The narrowest of i16, i32 and i64 that holds every value. @throws ComputeError where none is sure to
ElementType narrowest_value(const Description& problem, std::int64_t rows, std::int64_t columns);

/// The distance that a score means, of a problem with a bit-parallel form, where `letters` letters of rows and
/// columns are consumed; 0 for other problems.
std::int64_t distance_of(const Description& problem, std::int64_t score, std::int64_t letters);

}  // namespace terrace::wavefront
