// The bytes of a scalar of YAML in its source.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terrace::job {

/// For every byte of a scalar's value, and for its end, the index of the byte of the source that it comes from: of an
/// escape its backslash, of a folded line's blank the line's end. Plain scalars, both quotes, escapes, folded lines
/// and blocks with their indicators are known; an anchor, a tag and comments may stand before the scalar. Nullopt if
/// the scalar at `at` has not this value: then nothing is known about its bytes.
/// @param at    where the scalar, or its anchor or tag, begins
/// @param value as the parser gave it
std::optional<std::vector<std::size_t>> bytes_of_scalar(std::string_view source, std::size_t at,
                                                        std::string_view value);

/// The byte at which a scalar begins, behind the anchor, tag and comments that stand at `at`.
std::size_t begin_of_scalar(std::string_view source, std::size_t at);

}  // namespace terrace::job
