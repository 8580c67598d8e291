// A compiler of C++ of this machine.
#pragma once

#include <string>

namespace terrace::compiled {

struct CxxCompiler {
  std::string command;                                    // its words; empty: none
  std::string why_none = "no compiler of C++ was named";  // if there is none
};

/// The one that the variable CXX of the environment names, else the first of c++, g++ and clang++ that is in PATH.
CxxCompiler find_cxx();

}  // namespace terrace::compiled
