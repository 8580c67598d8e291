#include "pipeline/app/pictures/plot/colours.hpp"

#include <array>

namespace terrace::app {
namespace {

/// Even steps in lightness: also for the colour-blind, and in print without colours.
constexpr const char* from_dark_to_light =
    "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', 5 '#27ad81', 6 '#5cc863', "
    "7 '#aadc32', 8 '#fde725')";

constexpr const char* from_orange_to_dark =
    "set palette defined (0 '#fca636', 1 '#e16462', 2 '#b12a90', 3 '#6a00a8', 4 '#0d0887')";

/// Red, green and blue, 0 to 255.
using Colour = std::array<double, 3>;

/// From -1 to 1 in even steps: blue, white, red, of even steps in lightness on either side.
constexpr std::array<Colour, 9> around_zero{{{33, 102, 172},
                                             {67, 147, 195},
                                             {146, 197, 222},
                                             {209, 229, 240},
                                             {247, 247, 247},
                                             {253, 219, 199},
                                             {244, 165, 130},
                                             {214, 96, 77},
                                             {178, 24, 43}}};

/// The colour of a value from -1 to 1.
Colour colour_around_zero(double value) {
  const double place = (std::clamp(value, -1.0, 1.0) + 1) / 2 * (around_zero.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), around_zero.size() - 2);
  Colour mixed{};
  for (std::size_t c = 0; c < mixed.size(); ++c) {
    mixed[c] = around_zero[below][c] +
               (place - static_cast<double>(below)) * (around_zero[below + 1][c] - around_zero[below][c]);
  }
  return mixed;
}

/// The palette of a range with both signs: both ends of the range may be at other distances from 0, of which the
/// larger has the strongest colour.
std::string diverging(const ValueRange& range) {
  const double farthest = std::max(-range.least, range.most);
  std::vector<double> values{range.least, range.most};
  const double steps = static_cast<double>(around_zero.size() - 1) / 2;
  for (std::size_t at = 0; at < around_zero.size(); ++at) {
    const double value = farthest * (static_cast<double>(at) - steps) / steps;
    if (value > range.least && value < range.most) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  std::string text = "set palette defined (";
  for (const double value : values) {
    const Colour colour = colour_around_zero(value / farthest);
    text += fmt::format("{}{} '#{:02x}{:02x}{:02x}'", value == range.least ? "" : ", ",
                        (value - range.least) / (range.most - range.least), std::lround(colour[0]),
                        std::lround(colour[1]), std::lround(colour[2]));
  }
  return text + ")";
}

std::string palette_of(const ValueRange& range, Colours colours) {
  if (colours == Colours::identities) return from_orange_to_dark;
  return colours == Colours::values && is_around_zero(range) ? diverging(range) : from_dark_to_light;
}

}  // namespace

bool is_around_zero(const ValueRange& range) {
  constexpr double counts = 0.01;
  return range.least < 0 && range.most > 0 &&
         std::min(-range.least, range.most) >= counts * std::max(-range.least, range.most);
}

void set_colours(Gnuplot& plot, const Canvas& canvas, ValueRange range, Colours colours, const std::string& label) {
  if (!range.any()) range = {0, 1};
  // A range of one value is no range to gnuplot.
  const double more = range.most > range.least ? 0 : std::max(0.5, std::abs(range.most) * 1e-6);
  range = {range.least - more, range.most + more};
  const int whole_width = canvas.left + canvas.width + canvas.right;
  const int whole_height = canvas.top + canvas.height + canvas.bottom;
  plot.command("{}", palette_of(range, colours));
  plot.command("set cbrange [{}:{}]", range.least, range.most);
  plot.command("set cblabel {}", gnuplot_text(label));
  plot.command("set colorbox user origin {:.8f},{:.8f} size {:.8f},{:.8f}",
               static_cast<double>(canvas.left + canvas.width + 20) / whole_width,
               static_cast<double>(canvas.bottom) / whole_height, 20.0 / whole_width,
               static_cast<double>(canvas.height) / whole_height);
}

}  // namespace terrace::app
