// The version and the build of this program.
#pragma once

#include <string>

namespace terrace::run {

/// The program's version and build, as recorded in results.
std::string version_text();
std::string build_id();

}  // namespace terrace::run
