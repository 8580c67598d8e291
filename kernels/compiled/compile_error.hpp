// The error of a source that does not compile.
#pragma once

#include <string>

#include "pipeline/base/error.hpp"

namespace terrace::compiled {

/// @param compiler its name and version; @param log what it printed
inline DeviceError compile_error(const std::string& compiler, const std::string& log) {
  return {compiler,
          "code that this program made does not compile: an error in the program, not in the job. Please "
          "report it with the job and these lines:\n" +
              log};
}

}  // namespace terrace::compiled
