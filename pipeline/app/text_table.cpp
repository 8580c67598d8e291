#include "pipeline/app/text_table.hpp"

#include <algorithm>
#include <sstream>

namespace terrace::app {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest_last_column = 20;
constexpr std::size_t usual_width = 110;
/// A cell that is wider does not widen its column: the last cell of its row stands in the line below.
constexpr std::size_t widest_column = 34;

std::vector<std::size_t> column_widths(const TextTable& table) {
  std::vector<std::size_t> widths(table.heading.size());
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool outer = i == 0 || i + 1 == widths.size();
      if (outer || row[i].size() <= widest_column) widths[i] = std::max(widths[i], row[i].size());
    }
  };
  widen(table.heading);
  for (const auto& row : table.rows) widen(row);
  return widths;
}

/// The words of a text in lines of at most `width` letters; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string without_end_blanks(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

/// The cells of a row but the last, each in its column; longer than these columns if the last of them is too wide.
std::string first_cells(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                        const std::string& indent) {
  std::string text = indent;
  for (std::size_t i = 0; i + 1 < row.size(); ++i) {
    text += row[i] + std::string(std::max(widths[i], row[i].size()) + gap - row[i].size(), ' ');
  }
  return text;
}

/// @param at where the last column begins
std::string text_row(const std::vector<std::string>& row, const std::string& first, std::size_t at,
                     std::size_t width) {
  const std::size_t room = width > at ? width - at : 0;
  std::string text = first.size() > at ? without_end_blanks(first) + "\n" : "";
  const std::string blanks(at, ' ');
  for (const std::string& line : wrapped(row.back(), std::max(room, narrowest_last_column))) {
    text += without_end_blanks((text.empty() ? first : blanks) + line) + "\n";
  }
  return text;
}

/// A row whose cells do not fit next to each other.
std::string paragraph(const std::vector<std::string>& row, const std::string& indent, std::size_t width) {
  std::string rest;
  for (std::size_t i = 1; i < row.size(); ++i) rest += row[i].empty() ? "" : row[i] + " ";
  const std::string below = indent + "    ";
  std::string text = row.front().empty() ? "" : indent + row.front() + "\n";
  if (rest.empty()) return text;
  for (const std::string& line : wrapped(rest, width > below.size() ? width - below.size() : 1)) {
    text += below + line + "\n";
  }
  return text;
}

std::string markdown_row(const std::vector<std::string>& row) {
  std::string text = "|";
  for (const std::string& cell : row) {
    text += ' ';
    for (char letter : cell) text += letter == '|' ? std::string("\\|") : std::string(1, letter);
    text += cell.empty() ? "|" : " |";
  }
  return text + "\n";
}

}  // namespace

std::string to_text(const TextTable& table, const std::string& indent, std::size_t width) {
  const auto widths = column_widths(table);
  std::size_t before_last = indent.size();
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) before_last += widths[i] + gap;
  const bool terminal = width != no_terminal;
  if (!terminal) width = usual_width;
  const bool narrow = terminal && before_last + std::min(widths.back(), narrowest_last_column) > width;
  const auto text_of = [&](const std::vector<std::string>& row) {
    const std::string first = first_cells(row, widths, indent);
    const bool too_wide = terminal && first.size() > before_last && without_end_blanks(first).size() > width;
    return narrow || too_wide ? paragraph(row, indent, width) : text_row(row, first, before_last, width);
  };
  std::string text;
  const bool headed =
      std::any_of(table.heading.begin(), table.heading.end(), [](const auto& cell) { return !cell.empty(); });
  if (headed) text += text_of(table.heading);
  for (const auto& row : table.rows) text += text_of(row);
  return text;
}

std::string wrap_lines(const std::string& text, std::size_t width, std::size_t hanging) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (width != no_terminal && line.size() > width) {
      std::size_t at = line.rfind(' ', width);
      const std::size_t first = std::max(line.find_first_not_of(' '), hanging);
      if (at == std::string::npos || at <= first) at = line.find(' ', std::max(width, first));  // after a long word
      if (at == std::string::npos) break;
      all += line.substr(0, at) + "\n";
      line = std::string(hanging, ' ') + line.substr(at + 1);
    }
    all += line + "\n";
  }
  return all;
}

std::string to_markdown(const TextTable& table) {
  std::string text = markdown_row(table.heading) + "|";
  for (std::size_t i = 0; i < table.heading.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += markdown_row(row);
  return text;
}

}  // namespace terrace::app
