// The stage `wavefront`.
#pragma once

#include "stages/stage_kind.hpp"
#include "stages/wavefront/letters.hpp"

namespace terrace::stages {

/// Plans a step of a job. @throws JobError
std::unique_ptr<run::Stage> make_wavefront(const Request& request);

/// The sequence that the stage calls `parameter`, as the codes that its letters are compared by.
/// @throws JobError if it is no sequence
std::shared_ptr<io::Source> open_sequence(const Request& request, const std::string& parameter, Side side);

}  // namespace terrace::stages
