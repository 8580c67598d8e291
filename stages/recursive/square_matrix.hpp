// The square matrix that a stage of the recursive family begins with.
#pragma once

#include <memory>

#include "io/source.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// What the stage calls `matrix`. @throws JobError where it is not square, or has more than 2^24 rows
std::shared_ptr<io::Source> open_square_matrix(const Request& request);

}  // namespace terrace::stages
