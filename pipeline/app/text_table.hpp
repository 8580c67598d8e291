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

/// The width of text that is for no terminal: tables are as wide as is easy to read, and no line is wrapped.
inline constexpr std::size_t no_terminal = 0;

/// Columns two spaces apart, every line after `indent`; the last column wraps at `width` columns in all. If that
/// leaves no room for it on a terminal, a row is a paragraph: its first cell, and the others below it. A middle cell
/// of more than 34 columns does not widen its column, and the last cell of its row begins a line below. A heading
/// whose cells are all empty is left out.
std::string to_text(const TextTable& table, const std::string& indent = "  ", std::size_t width = no_terminal);

/// Wraps the lines of a text that are longer than `width`; continuation lines are indented by `hanging` columns.
std::string wrap_lines(const std::string& text, std::size_t width, std::size_t hanging);

/// A table of Markdown.
std::string to_markdown(const TextTable& table);

}  // namespace terrace::app
