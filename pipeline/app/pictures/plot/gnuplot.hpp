// Pictures drawn by gnuplot.
#pragma once

#include <fmt/format.h>

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace terrace::app {

/// The form of a picture: pixels, or lines and texts that keep their sharpness in any size.
enum class PictureForm { png, svg, pdf };

/// The first bytes of every SVG that this program writes.
inline constexpr std::string_view svg_begins =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- Made by Terrace -->\n";

/// The area of a picture in which data are drawn, in pixels, with margins around it.
struct Canvas {
  int width, height;
  int left = 110, right = 130, top = 70, bottom = 70;
};

/// The texts of a picture: its title, a line below, and the axes.
struct PictureTexts {
  std::string title, note, x, y;
};

/// Commands and data for gnuplot, which reads both from a pipe: neither a shell nor a file is between.
class Gnuplot {
 public:
  /// Begins with the size of the picture, its margins and texts. Data coordinates are whole pixels' worth of the
  /// area.
  Gnuplot(const Canvas& canvas, const PictureTexts& texts, PictureForm form);

  template <class... Values>
  void command(fmt::format_string<Values...> pattern, Values&&... values) {
    script_ += fmt::format(pattern, std::forward<Values>(values)...) + "\n";
  }
  /// Adds a graph: what follows '-' in the command `plot`, and its data, of f64.
  void graph(const std::string& what, const std::vector<double>& data);

  /// A font of so many points, of the same size in every form, as commands name it.
  std::string font(int points) const;

  /// Runs gnuplot and writes the picture.
  /// @throws Error if it is not installed (the package is named) or fails
  void draw(std::ostream& picture) const;

 private:
  PictureForm form_;
  std::string script_, graphs_, data_;
};

/// A text as a string of gnuplot, in quotes, of one line; quotes in it become apostrophes, which mean nothing there.
std::string gnuplot_text(std::string_view text);

}  // namespace terrace::app
