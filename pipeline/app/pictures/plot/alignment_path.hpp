// Alignments of results as lines through their tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/app/earlier/made_result.hpp"

namespace terrace::app {

/// A corner of an alignment's path: rows and columns consumed so far.
struct PathPoint {
  double row, column;
};

/// A piece of an alignment's path, and the share of its columns that are equal letters.
struct PathWindow {
  std::vector<PathPoint> line;
  double identity = 0;
};

/// An alignment as its points in order, thinned out to what a picture can show. Of letters also in windows of so many
/// columns of the alignment, the last of which may be shorter.
struct AlignmentPath {
  std::vector<PathPoint> line;
  std::vector<PathWindow> windows;
  std::int64_t window_columns = 0;
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
