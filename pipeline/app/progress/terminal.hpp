// The terminal behind a stream.
#pragma once

#include <cstddef>
#include <string_view>

namespace terrace::app {

/// Makes the line of the cursor empty.
inline constexpr std::string_view clear_line = "\r\x1b[K";

/// Columns of the terminal behind a file descriptor, as it is now; 0 if there is none, or it does not tell.
std::size_t terminal_columns(int file_descriptor);

}  // namespace terrace::app
