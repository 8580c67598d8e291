// The terminal behind a stream.
#pragma once

#include <cstddef>

namespace terrace::app {

/// Columns of the terminal behind a file descriptor, as it is now; 0 where there is none, or it does not say.
std::size_t terminal_columns(int file_descriptor);

}  // namespace terrace::app
