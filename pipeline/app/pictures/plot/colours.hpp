// Colours of values in pictures.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "pipeline/app/pictures/plot/gnuplot.hpp"

namespace terrace::app {

/// A range of values, empty at first; values that are not finite do not count.
struct ValueRange {
  double least = HUGE_VAL, most = -HUGE_VAL;

  bool any() const { return least <= most; }
  void add(double value) {
    if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
};

/// The meaning of colours.
enum class Colours {
  values,  // dark blue to yellow; from blue over white to red, in one scale on either side of 0, if both sides occur
  names,   // dark blue to yellow: the sign has no meaning
  identities  // orange to dark blue, all of which can be seen on white
};

/// Sets the colours of the values of a range, with a bar beside the picture that shows them. Values beyond the range
/// have the colour of its end.
/// @param label of the bar
void set_colours(Gnuplot& plot, const Canvas& canvas, ValueRange range, Colours colours, const std::string& label);

/// True if the range has values on either side of 0 that count beside those of the other.
bool is_around_zero(const ValueRange& range);

}  // namespace terrace::app
