// Tables for people.
#pragma once

#include <string>
#include <vector>

namespace terrace::app {

/// Rows of equally many cells under a heading.
struct TextTable {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
};

/// Columns of text where no terminal says how many it has.
inline constexpr std::size_t usual_width = 110;

/// Columns two spaces apart, every line after `indent`; the last column wraps at `width` columns in all. Where that
/// leaves no room for it, a row is a paragraph: its first cell, and the others below it. A heading whose cells are
/// all empty is left out.
std::string to_text(const TextTable& table, const std::string& indent = "  ", std::size_t width = usual_width);

/// Wraps the lines of a text that are longer than `width`; what follows is indented by `hanging` columns.
std::string wrap_lines(const std::string& text, std::size_t width, std::size_t hanging);

/// A table of Markdown.
std::string to_markdown(const TextTable& table);

}  // namespace terrace::app
