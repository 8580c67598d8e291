// The parts that pages of HTML are made of.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "pipeline/app/pictures/picture_file.hpp"

namespace terrace::app {

/// Pages begin so.
inline constexpr PictureKind report_kind{"a report", "<!DOCTYPE html>\n<!-- Made by Terrace -->", ".html"};

/// Writes all before the first section: the style, which follows the reader's choice of light or dark, and the title.
void begin_page(std::ostream& out, const std::string& title);
void end_page(std::ostream& out);

/// Writes the heading of a section. @param id by which links name the section
void begin_section(std::ostream& out, const std::string& id, const std::string& heading);
void end_section(std::ostream& out);

/// A number as markup: the text is shown, the element's value is the number in all its digits.
std::string data_markup(double value, const std::string& shown);

/// A table whose cells are markup; first cells are headings of their rows, numbers are set to the right.
struct PageTable {
  std::string caption;  // plain text
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
};
void write_table(std::ostream& out, const PageTable& table);

/// The number of colours of stages; stage i has the class "s" + i modulo that number.
inline constexpr std::size_t stage_colours = 8;
std::string colour_class(std::size_t stage);

}  // namespace terrace::app
