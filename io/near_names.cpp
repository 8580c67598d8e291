#include "io/near_names.hpp"

#include <algorithm>
#include <cctype>

namespace terrace::io {
namespace {

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

int edit_steps(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> before(width), above(width), row(width);
  for (std::size_t j = 0; j < width; ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

std::string suggest_near(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t most = 3;
  const int limit = std::max(1, static_cast<int>(name.size()) / 3);
  std::vector<std::pair<int, std::string>> near;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > name.size() + static_cast<std::size_t>(limit)) continue;
    const int steps = edit_steps(name, candidate);
    if (steps <= limit) near.emplace_back(steps, candidate);
  }
  if (near.empty()) return "";
  std::sort(near.begin(), near.end());
  near.resize(std::min(near.size(), most));
  std::string text;
  for (const auto& [steps, candidate] : near) text += (text.empty() ? "'" : " or '") + candidate + "'";
  return "; did you mean " + text + "?";
}

std::string list_names(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace terrace::io
