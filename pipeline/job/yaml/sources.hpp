// The texts of a job: its file, and the settings of the command line.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/settings.hpp"
#include "pipeline/job/yaml/node.hpp"

namespace terrace::job {

/// The file or a setting of the command line: its lines, and columns in letters. Each question takes a time that does
/// not depend on the length of the line.
class SourceText {
 public:
  explicit SourceText(std::string text);

  const std::string& bytes() const { return bytes_; }
  std::size_t lines() const { return line_starts_.size(); }
  /// A line without its end. @param index from 0; beyond the text: an empty line
  std::string_view line(std::size_t index) const;
  /// The byte at a place; at most the size of the text.
  std::size_t byte_at(const Position& position) const;
  /// The place of a byte. @param source of the position
  Position position_of(std::size_t byte, int source) const;
  /// The column of a place, counted in letters from 1.
  int column_of(const Position& position) const;
  /// excerpt_of() at a place.
  std::string excerpt(const Position& position) const;

 private:
  std::size_t letters_before(std::size_t byte) const;

  std::string bytes_;
  bool valid_;                             // UTF-8; if not, each byte counts as a letter
  std::vector<std::size_t> line_starts_;   // ascending
  std::vector<std::size_t> letter_count_;  // letters in the first k * 1024 bytes
};

/// The job's file and the settings of the command line: turns positions into places that people read. Copies share
/// the texts, and so do the places of texts.
class Sources {
 public:
  /// @param name      the file as the user named it
  /// @param text      its contents
  /// @param overrides settings of the command line, each "key=value"
  Sources(std::string name, const std::string& text, std::vector<std::string> overrides);

  Place place(const Position& position) const;
  /// The place of a text, or of a list of texts and other values: it makes the places inside.
  Place place_of_text(const Node& node) const;
  /// The place of a map or of a list: it makes the places of keys or items.
  Place place_of_parts(const Node& node) const;
  /// The position of a place that `place` made, precise enough to sort by; nullopt for any other place.
  std::optional<Position> position_of(const Place& place) const;
  const std::vector<std::string>& overrides() const;

  /// The shared texts.
  struct Texts;

 private:
  std::shared_ptr<const Texts> texts_;
};

/// The line and a caret under byte `column` (from 1), both after "  | "; of a long line the part around the column.
/// Control characters become '?'.
std::string excerpt_of(std::string_view line, int column);

}  // namespace terrace::job
