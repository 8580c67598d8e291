#include "io/files/stxxl_setup.hpp"

#include <cstdlib>

namespace terrace::io {

void prepare_stxxl() {
  static const int prepared = setenv("STXXLLOGFILE", "/dev/null", 0) | setenv("STXXLERRLOGFILE", "/dev/null", 0);
  static_cast<void>(prepared);
}

}  // namespace terrace::io
