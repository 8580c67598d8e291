// The substitution matrix of a stage.
#pragma once

#include <string>

#include "pipeline/base/settings.hpp"
#include "stages/stage_kind.hpp"
#include "stages/wavefront/letters.hpp"

namespace terrace::stages {

/// The settings of a step as kernels take them: if its matrix is an input, with the scores in place of the name
/// (wavefront::matrix_of()). @throws JobError if the input is no substitution matrix
Settings settings_with_scores(const Request& request);

/// The name of a step's matrix, for people: "blosum62", "'scores' (VTML200.mat)"; empty if there is none.
/// @throws JobError likewise
std::string matrix_name(const Request& request);

/// The letters of a step's sequences: those of its matrix, else `alphabet`, else dna. @throws JobError likewise
Alphabet alphabet_of(const Request& request);

}  // namespace terrace::stages
