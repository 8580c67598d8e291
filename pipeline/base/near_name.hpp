// Guesses of the known name that was meant, lists of names, and counts of things, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace terrace {

/// Least number of letters to insert, delete, replace or swap with their neighbour to turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

/// Up to three equally near candidates, or the candidates that begin with the name if it has three letters or more,
/// or the candidate that has this name in other programs (`gpu` for cuda), in the order given. Empty if none is near
/// (more than a third of the letters differ), or if `name` is a candidate itself. Case and - against _ do not count.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& candidates);

/// "; did you mean 'match'?", or "... 'a' or 'b'?", with the near names; "" if there are none.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// "a, b, c" in the order given; if there are more than `most` names, the first ones "and 5 more".
std::string list_names(const std::vector<std::string>& names, std::size_t most = 40);

/// "'a', 'b' and 5 more": the same for names that users chose.
std::string quote_names(const std::vector<std::string>& names, std::size_t most = 20);

/// "0-3, 7": whole numbers, ranges of them as their ends. @param numbers ascending
std::string ranges_of(const std::vector<std::int64_t>& numbers, std::string_view separator);

/// "1 value", "3 values".
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace terrace
