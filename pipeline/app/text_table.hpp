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

/// Columns two spaces apart, every line after `indent`; the last column wraps at `width` columns in all. A heading
/// whose cells are all empty is left out.
std::string to_text(const TextTable& table, const std::string& indent = "  ", std::size_t width = 110);

/// A table of Markdown.
std::string to_markdown(const TextTable& table);

}  // namespace terrace::app
