// A score that a local alignment of two sequences certainly reaches, found in a time linear in their lengths: words
// of the rows are searched in the columns, and extended in both directions, letter by letter (Zhang, Schwartz, Wagner
// and Miller 2000 call such alignments greedy). Cells that cannot reach it need not be computed, from the first cell
// on (pruning.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "pipeline/base/settings.hpp"

namespace terrace::wavefront {

struct Description;

/// True if the problem has one: it prunes (pruning.hpp), and scores letters as equal or not.
bool has_greedy_score(const std::string& problem, const Settings& settings);

/// A lower bound of the score of the best local alignment, in units of the problem's scores; 0 where no common word
/// is found, costs are so large that sums of them may leave 62 bits, or there is no such score for the problem.
/// @param rows, columns codes of letters: equal codes are equal letters
std::int64_t greedy_score(const std::string& problem, const Settings& settings, std::span<const std::uint8_t> rows,
                          std::span<const std::uint8_t> columns);
/// The same of a described problem.
std::int64_t greedy_score(const Description& problem, std::span<const std::uint8_t> rows,
                          std::span<const std::uint8_t> columns);

}  // namespace terrace::wavefront
