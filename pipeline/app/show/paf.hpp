// Alignments of results in the line formats of other programs.
#pragma once

#include <filesystem>
#include <string>

namespace terrace::app {

/// A name as a field: without white space.
std::string field_of(std::string name);

/// One side of an alignment: a sequence, its letters, and those before and up to the end of the alignment.
struct PafSide {
  std::string name, length, start, end;
};

/// A line of PAF (Li 2016, "minimap2"): rows are the query, columns the target; the CIGAR is in `cg`, the score in
/// the tag. Empty if the alignment is. @param where the CIGAR comes from, for errors @throws IoError if it is none
std::string paf_line(const PafSide& rows, const PafSide& columns, const std::string& tag, const std::string& score,
                     const std::string& cigar, const std::string& where);

/// The alignment of a stage as a line of PAF, both sides by their names in the job, a distance in the tag `NM`, any
/// other score in `AS`; of pairs of sets a line for each alignment.
/// @throws IoError if the file is no result, or the stage has no alignment in it
std::string paf_lines(const std::filesystem::path& file, const std::string& stage);

}  // namespace terrace::app
