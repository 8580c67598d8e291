#include "io/inputs/text_fields.hpp"

#include <algorithm>
#include <charconv>

namespace terrace::io {
namespace {

constexpr std::string_view blanks = " \t\v\f";

Field trimmed(std::string_view line, std::size_t begin, std::size_t end) {
  const bool quoted = begin < end && line[begin] == '"';
  while (begin < end && blanks.find(line[begin]) != blanks.npos) ++begin;
  while (end > begin && blanks.find(line[end - 1]) != blanks.npos) --end;
  if (!quoted && !(begin < end && line[begin] == '"')) return {line.substr(begin, end - begin), begin};
  if (end - begin >= 2 && line[end - 1] == '"') return {line.substr(begin + 1, end - begin - 2), begin, true};
  return {line.substr(begin, end - begin), begin};
}

/// The end of the field that begins at `at`: the next separator outside of double quotes.
std::size_t field_end(std::string_view line, std::size_t at, char separator) {
  bool quoted = false;
  for (; at < line.size(); ++at) {
    if (line[at] == '"') quoted = !quoted;
    else if (line[at] == separator && !quoted) break;
  }
  return at;
}

void split_at(std::string_view line, char separator, std::vector<Field>& fields) {
  for (std::size_t at = 0;;) {
    const std::size_t end = field_end(line, at, separator);
    fields.push_back(trimmed(line, at, end));
    if (end == line.size()) return;
    at = end + 1;
  }
}

void split_blanks(std::string_view line, std::vector<Field>& fields) {
  for (std::size_t at = line.find_first_not_of(blanks); at != line.npos;) {
    const std::size_t closing = line[at] == '"' ? line.find('"', at + 1) : line.npos;
    const std::size_t end = std::min(line.find_first_of(blanks, closing == line.npos ? at : closing), line.size());
    fields.push_back(trimmed(line, at, end));
    at = line.find_first_not_of(blanks, end);
  }
}

}  // namespace

void split_fields(std::string_view line, const FieldRule& rule, std::vector<Field>& fields) {
  fields.clear();
  if (line.find_first_not_of(blanks) == line.npos) return;
  const bool commas = rule.separation == Separation::either && line.find(',') != line.npos;
  if (rule.separation == Separation::character) split_at(line, rule.separator, fields);
  else if (commas) split_at(line, ',', fields);
  else split_blanks(line, fields);
  if (commas && fields.size() > 1 && fields.back().text.empty()) fields.pop_back();
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool is_list_of_numbers(std::string_view text) {
  constexpr std::string_view separators = " \t,;";
  std::size_t numbers = 0;
  for (std::size_t at = text.find_first_not_of(separators); at != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (!is_number(text.substr(at, end - at))) return false;
    ++numbers;
    at = text.find_first_not_of(separators, end);
  }
  return numbers > 0 && text.find_first_of(separators) != text.npos;
}

std::string advice_on_separators(std::string_view text) {
  const std::size_t other = text.find_first_of(";|");
  if (other == text.npos) return "";
  return std::string("; commas, tabs or blanks stand between fields, and no '") + text[other] + "'";
}

std::string advice_on_decimals(std::string_view text) {
  const bool comma = is_list_of_numbers(text) && text.find_first_of(" \t;") == text.npos;
  return comma ? "; write decimals with a point" : "";
}

bool is_index_name(std::string_view text) { return text.empty() || text == "Unnamed: 0"; }

}  // namespace terrace::io
