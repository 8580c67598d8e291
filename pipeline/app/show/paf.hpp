// Alignments of results in the line formats of other programs.
#pragma once

#include <filesystem>
#include <string>

namespace terrace::app {

/// The alignment of a stage as a line of PAF (Li 2016, "minimap2"): rows are the query, columns the target, both by
/// their names in the job; the CIGAR is in `cg`, the score in `AS`, a distance in `NM`. Empty if the alignment is.
/// @throws IoError if the file is no result, or the stage has no alignment in it
std::string paf_line(const std::filesystem::path& file, const std::string& stage);

}  // namespace terrace::app
