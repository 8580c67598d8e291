// Pairs of sets of a result in the line formats of other programs.
#pragma once

#include <filesystem>
#include <string>

#include "io/results/reader.hpp"

namespace terrace::app {

/// True if the stage of a result holds pairs of sets.
bool holds_pairs(const io::ResultReader& reader, const std::string& stage);

/// A header, then a line for each pair, with fields between tabs: the names of row and column, of hits the rank, the
/// score, and start, end, identity and CIGAR where the stage has them.
/// @throws IoError if the file is no result; JobError if the stage holds no pairs
std::string tsv_lines(const std::filesystem::path& file, const std::string& stage);

/// A line of PAF (paf.hpp) for each pair that has an alignment. @throws likewise
std::string paf_lines_of_pairs(const std::filesystem::path& file, const std::string& stage);

}  // namespace terrace::app
