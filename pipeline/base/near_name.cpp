#include "pipeline/base/near_name.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "pipeline/base/printable.hpp"

namespace terrace {
namespace {

/// A longer text is no misspelt name, and the quadratic comparison is not worth its time.
constexpr std::size_t longest_name = 80;
constexpr std::size_t most_suggestions = 3;
/// With fewer letters too many names match.
constexpr std::size_t shortest_beginning = 3;

/// Names in other programs, and the corresponding names here.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"gpu", "cuda"},   {"nvidia", "cuda"}, {"float", "f32"},   {"float32", "f32"}, {"f16", "f32"},
    {"double", "f64"}, {"float64", "f64"}, {"int8", "i8"},     {"int16", "i16"},   {"int", "i32"},
    {"int32", "i32"},  {"int64", "i64"},   {"long", "i64"},    {"uint8", "u8"},    {"uint16", "u16"},
    {"uint32", "u32"}, {"uint64", "u64"},  {"png", "image"},   {"pgm", "image"},   {"tiff", "image"},
    {"tif", "image"},  {"gml", "graph"},   {"dimacs", "graph"}};

std::string folded(std::string_view name) {
  std::string result(name);
  for (char& letter : result) {
    letter = letter == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return result;
}

/// Number of differing letters up to which two names count as near.
int reach(std::size_t length, std::size_t other) {
  const std::size_t longer = std::max(length, other);
  return longer > 1 ? std::max(1, static_cast<int>(longer / 3)) : 0;
}

/// Candidates that begin with `wanted`, which is folded.
std::vector<std::string> names_beginning(const std::string& wanted, const std::vector<std::string>& candidates) {
  std::vector<std::string> found;
  for (const std::string& candidate : candidates) {
    if (found.size() < most_suggestions && folded(candidate).starts_with(wanted)) found.push_back(candidate);
  }
  return found;
}

std::string joined(const std::vector<std::string>& names, std::size_t most, bool quoted) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i > 0 ? ", " : "") + (quoted ? quote(names[i]) : names[i]);
  }
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
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

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& candidates) {
  std::vector<std::string> best;
  if (name.empty() || name.size() > longest_name) return best;
  if (std::find(candidates.begin(), candidates.end(), name) != candidates.end()) return best;
  const std::string wanted = folded(name);
  for (const auto& [other, here] : other_names) {
    const bool known = std::find(candidates.begin(), candidates.end(), here) != candidates.end();
    if (wanted == other && known) return {std::string(here)};
  }
  int least = static_cast<int>(longest_name);
  for (const std::string& candidate : candidates) {
    const int limit = std::min(least, reach(name.size(), candidate.size()));
    const auto longer = static_cast<std::size_t>(limit) + std::min(name.size(), candidate.size());
    if (std::max(name.size(), candidate.size()) > longer) continue;
    const int distance = edit_distance(wanted, folded(candidate));
    if (distance > limit) continue;
    if (distance < least) best.clear();
    least = distance;
    if (best.size() < most_suggestions) best.push_back(candidate);
  }
  return best.empty() && wanted.size() >= shortest_beginning ? names_beginning(wanted, candidates) : best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  std::string text;
  for (const std::string& near : near_names(name, candidates)) text += (text.empty() ? "" : " or ") + quote(near);
  return text.empty() ? "" : "; did you mean " + text + "?";
}

std::string list_names(const std::vector<std::string>& names, std::size_t most) { return joined(names, most, false); }

std::string quote_names(const std::vector<std::string>& names, std::size_t most) { return joined(names, most, true); }

std::string ranges_of(const std::vector<std::int64_t>& numbers, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (i > 0) text += separator;
    text += std::to_string(numbers[i]);
    if (end > i + 1) text += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace terrace
