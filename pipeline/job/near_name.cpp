#include "pipeline/job/near_name.hpp"

#include <algorithm>
#include <cctype>

namespace terrace::job {
namespace {

/// Beyond this no name of a job is meant, and the quadratic comparison is not worth its time.
constexpr std::size_t longest_name = 80;

std::string folded(std::string_view name) {
  std::string result(name);
  for (char& letter : result) {
    letter = letter == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return result;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> before_last(width), last(width), row(width);
  for (std::size_t j = 0; j < width; ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const int replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > longest_name) return {};
  const std::string wanted = folded(name);
  std::string best;
  int least = -1;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(wanted, folded(candidate));
    const std::size_t longer = std::max(name.size(), candidate.size());
    const bool near = distance == 0 || (longer > 1 && distance <= std::max(1, static_cast<int>(longer / 3)));
    if (near && (least < 0 || distance < least)) best = candidate, least = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::string list_names(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > most ? text + ", ..." : text;
}

}  // namespace terrace::job
