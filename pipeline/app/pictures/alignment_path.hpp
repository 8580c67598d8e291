// Alignments of results as lines through their tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/app/made_result.hpp"

namespace terrace::app {

/// A corner of an alignment's path: rows and columns consumed so far.
struct PathPoint {
  double row, column;
};

/// An alignment as its points in order, thinned out to what a picture can show, and its pairs of letters that differ
/// and gaps, as points likewise.
struct AlignmentPath {
  std::vector<PathPoint> line, differences;
};

/// True if the stage holds an alignment: `cigar` with `start`, or pairs `path`.
bool has_alignment(const io::ResultReader& reader, const std::string& stage);

/// Reads the alignment of a stage. @param step cells, of rows and of columns, in which a picture shows one point
/// @throws IoError if there is none, or it is damaged
AlignmentPath read_alignment(const MadeResult& result, const std::string& stage, PathPoint step);

/// The stage whose alignment is of the sequences of `stage`: itself, or the first other one with the same rows and
/// columns in the job.
std::optional<std::string> stage_of_alignment(const MadeResult& result, const std::string& stage);

}  // namespace terrace::app
