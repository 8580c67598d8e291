// Many pairs of sequences or series, each too short to be worth a block of its own: what is computed of them.
//
// Problems, their parameters and what a pair's score and end are, are the wavefront family's (wavefront/problems.hpp,
// wavefront/description.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kernels/pairs/task.hpp"
#include "kernels/wavefront/description.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::pairs {

using wavefront::Description;

/// All that fixes the meaning and the bits of a block's results.
struct PairsSpec {
  std::string problem;  // on letters or values, of wavefront::problems()
  Settings settings;    // the problem's parameters, checked
  /// The type of scores: i32 or i64 of letters (score_type()), and of values f32 or f64, which is also their own.
  ElementType value = ElementType::i32;
  bool ends = false;  // PairsTask::ends is asked for
  /// Limit of edit_distance and dtw: larger distances need not be known. They are reported as missed_distance().
  std::optional<double> at_most = {};
  /// Elements of an item of a block, at most. Kernels of CUDA leave pairs with longer items out: nothing is written
  /// of them.
  std::int64_t longest_row = 0, longest_column = 0;
  std::int64_t most_pairs = 0;  // of a block, at most
  bool rectangle = false;       // PairsTask::pairs is null
  double pair_cells = 0;        // of a pair in the mean, or of its window; 0: not known. Only costs depend on it
  /// The problem's description; null: that which `problem` and `settings` mean.
  std::shared_ptr<const Description> description = {};
};

/// The spec's own description, or that of its problem. @throws JobError where there is none
std::shared_ptr<const Description> description_of(const PairsSpec& spec);

/// The type of the scores of letters whose items have at most so many: i32, or i64 where i32 may not hold them.
ElementType score_type(const Description& problem, std::int64_t longest_row, std::int64_t longest_column);

/// The value reported for a distance above the limit: of edit_distance the largest integer up to it and one more, of
/// dtw infinity. -1 or less of edit_distance means none passes.
double missed_distance(const PairsSpec& spec);

/// The reason why no kernel computes the spec; empty: there is one.
std::string fault_of(const PairsSpec& spec);

}  // namespace terrace::pairs
