// The terminal behind a stream.
#pragma once

#include <cstddef>

namespace terrace::app {

/// Columns of the terminal behind a file descriptor, as it is now; 0 if there is none, or it does not tell.
std::size_t terminal_columns(int file_descriptor);

}  // namespace terrace::app
