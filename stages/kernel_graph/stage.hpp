// The stage `kernel_graph`: graphs of operators over arrays.
#pragma once

#include <memory>

#include "stages/stage_kind.hpp"

namespace terrace::stages {

std::unique_ptr<run::Stage> make_kernel_graph(const Request& request);

}  // namespace terrace::stages
