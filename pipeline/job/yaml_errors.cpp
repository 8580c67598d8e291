#include "pipeline/job/yaml_errors.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::job {
namespace {

constexpr std::size_t widest_excerpt = 140;
constexpr const char* margin = "  | ";

bool continues_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Number of letters in the first `bytes` bytes of a line.
int letters_before(const std::string& line, std::size_t bytes) {
  const auto end = line.begin() + static_cast<std::ptrdiff_t>(std::min(bytes, line.size()));
  return static_cast<int>(std::count_if(line.begin(), end, [](char byte) { return !continues_letter(byte); }));
}

/// Moves a byte offset back to the first byte of its letter.
std::size_t letter_start(const std::string& line, std::size_t at) {
  at = std::min(at, line.size());
  while (at > 0 && at < line.size() && continues_letter(line[at])) --at;
  return at;
}

/// The lines of a text, fit to be printed: no control characters, and no bytes that are no UTF-8.
std::vector<std::string> printable_lines(const std::string& text) {
  const bool valid = first_invalid_byte(text) == text.size();
  std::vector<std::string> lines(1);
  for (char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool odd = (byte < 0x20 && byte != '\t') || byte == 0x7F || (byte >= 0x80 && !valid);
    if (letter == '\n') lines.emplace_back();
    else if (letter != '\r') lines.back() += odd ? '?' : letter;
  }
  return lines;
}

}  // namespace

Sources::Sources(std::string name, const std::string& text, std::vector<std::string> overrides)
    : name_(std::move(name)), lines_(printable_lines(text)), overrides_(std::move(overrides)) {}

Place Sources::place(const Position& position) const {
  if (position.source > 0) return {"--set " + overrides_.at(static_cast<std::size_t>(position.source) - 1), ""};
  const auto index = static_cast<std::size_t>(std::max(position.line, 1)) - 1;
  static const std::string no_line;
  const std::string& line = index < lines_.size() ? lines_[index] : no_line;
  const auto before = static_cast<std::size_t>(std::max(position.column, 1)) - 1;
  const int column = std::max(letters_before(line, before) + 1, before > line.size() ? position.column : 1);
  return {name_ + ":" + std::to_string(index + 1) + ":" + std::to_string(column), excerpt_of(line, position.column)};
}

std::optional<Position> Sources::position_of(const Place& place) const {
  const std::string& text = place.text;
  for (std::size_t i = 0; i < overrides_.size(); ++i) {
    if (text == "--set " + overrides_[i]) return Position{static_cast<int>(i) + 1};
  }
  Position position;
  const bool in_file = text.size() > name_.size() && text.compare(0, name_.size(), name_) == 0;
  const char* rest = text.c_str() + (in_file ? name_.size() : 0);
  if (!in_file || std::sscanf(rest, ":%d:%d", &position.line, &position.column) != 2) return std::nullopt;
  return position;
}

std::string excerpt_of(const std::string& line, int column) {
  if (line.empty()) return "";
  const auto at = letter_start(line, static_cast<std::size_t>(std::max(column, 1)) - 1);
  std::size_t begin = 0, end = line.size();
  if (line.size() > widest_excerpt) {
    begin = letter_start(line, at > widest_excerpt / 2 ? at - widest_excerpt / 2 : 0);
    end = letter_start(line, begin + widest_excerpt);
  }
  const std::string before = begin > 0 ? "..." : "", after = end < line.size() ? "..." : "";
  std::string caret(before.size(), ' ');
  for (std::size_t i = begin; i < at; ++i) {
    if (!continues_letter(line[i])) caret += line[i] == '\t' ? '\t' : ' ';
  }
  return margin + before + line.substr(begin, end - begin) + after + "\n" + margin + caret + "^";
}

void Complaints::add(const Position& position, std::string message) {
  entries_.push_back({position, std::move(message), false});
}

void Complaints::add_rendered(const Position& position, std::string message) {
  entries_.push_back({position, std::move(message), true});
}

std::vector<std::string> Complaints::rendered() const {
  std::vector<Complaint> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Complaint& a, const Complaint& b) { return a.position < b.position; });
  std::set<std::string> seen;
  std::vector<std::string> messages;
  std::size_t left = sorted.size();
  for (const Complaint& complaint : sorted) {
    if (messages.size() == most_messages) break;
    --left;
    std::string message =
        complaint.rendered ? complaint.message : message_at(sources_.place(complaint.position), complaint.message);
    if (seen.insert(message).second) messages.push_back(std::move(message));
  }
  if (left > 0)
    messages.push_back("and " + counted(static_cast<std::int64_t>(left), "more error") + "; mend these first");
  return messages;
}

}  // namespace terrace::job
