// The small datasets of the stage `wavefront`.
#pragma once

#include <string>
#include <vector>

#include "io/results/file.hpp"
#include "stages/wavefront/path.hpp"
#include "stages/wavefront/tally.hpp"

namespace terrace::stages {

/// "score of lcs: length of the longest common subsequence"
std::string long_name(const wavefront::Description& problem, const std::string& what);

/// `score`, `end` if the problem finds it, `normalized` if its steps have equal weights, and `lengths`.
/// @param stage its name
/// @param score the cell that the table reports
std::vector<io::SmallDataset> score_results(const std::string& stage, const wavefront::SweepSpec& spec,
                                            const wavefront::Description& problem, const WavefrontScore& score);

/// Name and meaning of a kept array of the plan.
io::DatasetSpec kept_dataset(const std::string& stage, const wavefront::Description& problem,
                             const std::string& array);

/// Adds `border_row_index` and `border_column_index`.
void add_kept_lines(std::vector<io::SmallDataset>& results, const std::string& stage,
                    const wavefront::SweepSpec& spec);

/// `edges`: of the bins of a problem that counts.
io::SmallDataset edge_results(const std::string& stage, const wavefront::SweepSpec& spec);

/// `start`, `end` if score_results() has none, `identity` and `cigar`; for series `path`.
std::vector<io::SmallDataset> alignment_results(const std::string& stage, const wavefront::SweepSpec& spec,
                                                const wavefront::Description& problem, const WavefrontScore& score,
                                                const Alignment& alignment);

}  // namespace terrace::stages
