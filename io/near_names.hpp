// Names that a mistyped one may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace terrace::io {

/// Letters to insert, delete, replace or swap with their neighbour, to turn one name into the other; case counts
/// nothing.
int edit_steps(std::string_view a, std::string_view b);

/// "; did you mean 'a' or 'b'?", or nothing where no candidate is near (a third of the letters).
std::string suggest_near(std::string_view name, const std::vector<std::string>& candidates);

/// "'a', 'b' and 5 more": at most `most` of the names.
std::string list_names(const std::vector<std::string>& names, std::size_t most = 20);

}  // namespace terrace::io
