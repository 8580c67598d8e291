// Version, build and back ends of the program, in words.
#pragma once

#include <string>

namespace terrace::app {

/// The answer to --version: the version, the build, and the back ends that it can compute on.
std::string version_text();

}  // namespace terrace::app
