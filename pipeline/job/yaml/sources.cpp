#include "pipeline/job/yaml/sources.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "pipeline/base/printable.hpp"
#include "pipeline/job/yaml/scan.hpp"

namespace terrace::job {
namespace {

constexpr std::size_t widest_excerpt = 140;
constexpr const char* margin = "  | ";
/// Bytes from one count of letters to the next.
constexpr std::size_t count_every = 1024;

bool continues_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::size_t count_letters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_letter(c); }));
}

/// Moves a byte offset back to the first byte of its letter.
std::size_t letter_start(std::string_view line, std::size_t at) {
  at = std::min(at, line.size());
  while (at > 0 && at < line.size() && continues_letter(line[at])) --at;
  return at;
}

/// Fit to be printed: without control characters.
std::string without_controls(std::string_view line) {
  std::string result(line);
  for (char& letter : result) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F) letter = '?';
  }
  return result;
}

/// Fit to be printed where some bytes are no UTF-8.
std::string without_letters_beyond_ascii(std::string_view line) {
  std::string result(line);
  for (char& letter : result) {
    if (static_cast<unsigned char>(letter) >= 0x80) letter = '?';
  }
  return result;
}

std::size_t byte_of_column(const Position& position) {
  return static_cast<std::size_t>(std::max(position.column, 1)) - 1;
}

std::size_t line_index(const Position& position) { return static_cast<std::size_t>(std::max(position.line, 1)) - 1; }

}  // namespace

SourceText::SourceText(std::string text)
    : bytes_(std::move(text)), valid_(first_invalid_byte(bytes_) == bytes_.size()), line_starts_{0} {
  for (std::size_t at = bytes_.find('\n'); at != std::string::npos; at = bytes_.find('\n', at + 1)) {
    line_starts_.push_back(at + 1);
  }
  letter_count_.push_back(0);
  for (std::size_t at = count_every; at <= bytes_.size(); at += count_every) {
    const std::string_view piece = std::string_view(bytes_).substr(at - count_every, count_every);
    letter_count_.push_back(letter_count_.back() + count_letters(piece));
  }
}

std::string_view SourceText::line(std::size_t index) const {
  if (index >= line_starts_.size()) return {};
  const std::size_t begin = line_starts_[index];
  std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : bytes_.size();
  while (end > begin && bytes_[end - 1] == '\r') --end;
  return std::string_view(bytes_).substr(begin, end - begin);
}

std::size_t SourceText::byte_at(const Position& position) const {
  const std::size_t index = line_index(position);
  if (index >= line_starts_.size()) return bytes_.size();
  return std::min(line_starts_[index] + byte_of_column(position), bytes_.size());
}

Position SourceText::position_of(std::size_t byte, int source) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), byte);
  const auto index = static_cast<std::size_t>(after - line_starts_.begin()) - 1;
  return {source, static_cast<int>(index) + 1, static_cast<int>(byte - line_starts_[index]) + 1};
}

std::size_t SourceText::letters_before(std::size_t byte) const {
  if (!valid_) return byte;
  const std::size_t known = byte / count_every;
  const std::size_t from = known * count_every;
  return letter_count_[known] + count_letters(std::string_view(bytes_).substr(from, byte - from));
}

int SourceText::column_of(const Position& position) const {
  const std::size_t before = byte_of_column(position), index = line_index(position);
  const std::string_view text = line(index);
  if (before > text.size()) return position.column;
  if (index >= line_starts_.size()) return 1;
  return static_cast<int>(letters_before(line_starts_[index] + before) - letters_before(line_starts_[index])) + 1;
}

std::string SourceText::excerpt(const Position& position) const {
  const std::string_view text = line(line_index(position));
  return valid_ ? excerpt_of(text, position.column) : excerpt_of(without_letters_beyond_ascii(text), position.column);
}

struct Sources::Texts {
  std::string name;
  std::vector<SourceText> texts;       // the file, then the settings
  std::vector<std::string> overrides;  // the settings

  const SourceText& text(const Position& position) const {
    return texts.at(static_cast<std::size_t>(position.source));
  }

  /// "job.yaml:3:10", or the whole setting.
  std::string name_of(const Position& position) const {
    if (position.source > 0) return "--set " + overrides.at(static_cast<std::size_t>(position.source) - 1);
    return name + ":" + std::to_string(line_index(position) + 1) + ":" +
           std::to_string(text(position).column_of(position));
  }

  /// A setting is one value: only a place inside of it shows where.
  Place place(const Position& position) const {
    return {name_of(position), position.source > 0 ? "" : text(position).excerpt(position)};
  }

  Place place_inside(const Position& position) const { return {name_of(position), text(position).excerpt(position)}; }
};

namespace {

/// A scalar of a source.
struct ScalarAt {
  Position position;
  std::string value;
};

Place place_in(const std::shared_ptr<const Sources::Texts>& texts, ScalarAt scalar);

/// A scalar, whose source is read when a place inside of it is asked for.
class ScalarParts : public PlaceParts {
 public:
  ScalarParts(std::shared_ptr<const Sources::Texts> texts, ScalarAt scalar)
      : texts_(std::move(texts)), scalar_(std::move(scalar)) {}

  Place inside(std::size_t offset) const override {
    const Position& begin = scalar_.position;
    const SourceText& text = texts_->text(begin);
    const auto bytes = bytes_of_scalar(text.bytes(), text.byte_at(begin), scalar_.value);
    if (!bytes) return texts_->place(begin);
    const std::size_t byte = (*bytes)[std::min(offset, scalar_.value.size())];
    return texts_->place_inside(text.position_of(byte, begin.source));
  }

  /// One text in place of a list is a list of one.
  Place element(std::size_t) const override { return place_in(texts_, scalar_); }

 private:
  std::shared_ptr<const Sources::Texts> texts_;
  ScalarAt scalar_;
};

/// A list, or the keys of a map.
class ListParts : public PlaceParts {
 public:
  ListParts(std::shared_ptr<const Sources::Texts> texts, Position position, std::vector<ScalarAt> items)
      : texts_(std::move(texts)), position_(position), items_(std::move(items)) {}

  Place inside(std::size_t) const override { return texts_->place(position_); }
  Place element(std::size_t index) const override {
    return index < items_.size() ? place_in(texts_, items_[index]) : texts_->place(position_);
  }

 private:
  std::shared_ptr<const Sources::Texts> texts_;
  Position position_;
  std::vector<ScalarAt> items_;
};

Place place_in(const std::shared_ptr<const Sources::Texts>& texts, ScalarAt scalar) {
  Place place = texts->place(scalar.position);
  place.parts = std::make_shared<ScalarParts>(texts, std::move(scalar));
  return place;
}

}  // namespace

Sources::Sources(std::string name, const std::string& text, std::vector<std::string> overrides) {
  auto texts = std::make_shared<Texts>();
  texts->name = std::move(name);
  texts->texts.emplace_back(text);
  for (const std::string& setting : overrides) texts->texts.emplace_back(setting);
  texts->overrides = std::move(overrides);
  texts_ = std::move(texts);
}

Place Sources::place(const Position& position) const { return texts_->place(position); }

Place Sources::place_of_text(const Node& node) const {
  return node.kind == Node::Kind::scalar ? place_in(texts_, {node.position, node.text}) : place_of_parts(node);
}

Place Sources::place_of_parts(const Node& node) const {
  std::vector<ScalarAt> parts;
  for (const Node& item : node.items) parts.push_back({item.position, item.text});
  for (const Entry& entry : node.entries) parts.push_back({entry.position, entry.key});
  Place place = texts_->place(node.position);
  place.parts = std::make_shared<ListParts>(texts_, node.position, std::move(parts));
  return place;
}

const std::vector<std::string>& Sources::overrides() const { return texts_->overrides; }

std::optional<Position> Sources::position_of(const Place& place) const {
  const std::string &text = place.text, &name = texts_->name;
  for (std::size_t i = 0; i < overrides().size(); ++i) {
    if (text == "--set " + overrides()[i]) return Position{static_cast<int>(i) + 1};
  }
  Position position;
  const bool in_file = text.size() > name.size() && text.compare(0, name.size(), name) == 0;
  const char* rest = text.c_str() + (in_file ? name.size() : 0);
  if (!in_file || std::sscanf(rest, ":%d:%d", &position.line, &position.column) != 2) return std::nullopt;
  return position;
}

std::string excerpt_of(std::string_view line, int column) {
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
  return margin + before + without_controls(line.substr(begin, end - begin)) + after + "\n" + margin + caret + "^";
}

}  // namespace terrace::job
