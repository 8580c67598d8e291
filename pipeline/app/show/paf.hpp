// Alignments of results as lines of other programs' formats.
#pragma once

#include <filesystem>
#include <string>

namespace terrace::app {

/// The alignment of a stage as a line of PAF (Li 2016, "minimap2"): rows are the query, columns the target, both by
/// their names in the job; the CIGAR is in `cg`, the score in `AS`, a distance in `NM`. Empty where the alignment is.
/// @throws IoError where the file is no result, or has no alignment of that stage
std::string paf_line(const std::filesystem::path& file, const std::string& stage);

}  // namespace terrace::app
