// The CUDA Toolkit of this program.
#pragma once

#include <string>

namespace terrace::device {

/// "13.0": the version of the toolkit that the program was built with; empty if it was built for the CPU alone.
std::string cuda_toolkit();

}  // namespace terrace::device
