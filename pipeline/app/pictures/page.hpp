// The parts that pages of HTML are made of.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "pipeline/app/pictures/picture_file.hpp"

namespace terrace::app {

/// Pages begin so.
inline constexpr PictureKind report_kind{"a report", "<!DOCTYPE html>\n<!-- Made by Terrace -->", ".html", ".html"};

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

/// Begins a picture (SVG) as wide as the page and so many pixels high. Places across it are parts of its width, see
/// across(), so that texts keep their size on narrow pages. @param id of its title in the page
void begin_picture(std::ostream& out, double height, const std::string& id, const std::string& title);
void end_picture(std::ostream& out);
/// "12.500%" of 0.125: a place or a width across a picture.
std::string across(double part);
/// Draws times from 0 to `seconds` as lines from `top` to `bottom`, over the whole width, with their names below.
void write_time_axis(std::ostream& out, double seconds, double top, double bottom);

/// The number of colours of stages; stage i has the class "s" + i modulo that number.
inline constexpr std::size_t stage_colours = 8;
std::string colour_class(std::size_t stage);

}  // namespace terrace::app
