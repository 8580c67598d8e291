// Texts from files and other sources, made safe to print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace terrace {

/// A text without characters that control a terminal: control characters other than ends of lines and tabs, and bytes
/// that are no UTF-8, become '?'. For whole messages.
std::string printable(std::string_view text);

/// A piece of a file in single quotes, on one line: control characters and bytes that are no UTF-8 as \x1b, and "..."
/// in place of all after 60 bytes.
std::string quote(std::string_view text);

/// Index of the first byte that is no part of a UTF-8 letter (RFC 3629: no overlong forms, no surrogates); the size
/// of the text if there is none.
std::size_t first_invalid_byte(std::string_view text);

}  // namespace terrace
