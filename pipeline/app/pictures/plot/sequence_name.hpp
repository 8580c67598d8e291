// Names of the sequences and series that a stage compares.
#pragma once

#include <string>

#include "pipeline/app/earlier/made_result.hpp"

namespace terrace::app {

/// The name of one of a stage's two sequences: the record's and the input's, "NC_012920.1 (human)". The record is the
/// one that the job names, or else the first of the file, if the file is as it was; if neither is known, the input's
/// name alone. Empty if the stage compares no sequences.
/// @param side "rows" or "columns"
std::string sequence_name(const MadeResult& result, const std::string& stage, const char* side);

}  // namespace terrace::app
