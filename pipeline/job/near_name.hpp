// Which of the known names was meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace terrace::job {

/// Least number of letters to insert, delete, replace or swap with their neighbour to turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that `name` most likely means; empty where none is near: more than a third of the letters differ.
/// Case does not count, nor does - against _.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "; did you mean 'match'?", or "" where no candidate is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// "a, b, c" in the order given; of more than `most` names the first ones and "...".
std::string list_names(const std::vector<std::string>& names, std::size_t most = 40);

}  // namespace terrace::job
