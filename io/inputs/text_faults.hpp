// Faults of text files that other programs wrote, for errors.
#pragma once

namespace terrace::io {

inline constexpr const char* utf16_fault = "is UTF-16: write it as UTF-8 (iconv -f utf-16 -t utf-8)";
inline constexpr const char* carriage_return_fault =
    "a carriage return in a line: if lines end with it alone, as those of old Macs, write them with line feeds "
    "(mac2unix, or tr '\\r' '\\n')";

}  // namespace terrace::io
