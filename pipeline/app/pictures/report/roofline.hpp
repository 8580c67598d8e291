// Rates of stages below their roofs as a picture.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace terrace::app {

/// The rate of a stage at one level of memory.
struct RooflinePoint {
  std::size_t stage;        // for its colour
  std::string name, level;  // "align", "disk"
  double intensity, rate;   // operations a byte that the level moved; operations a second of the stage's whole time
};

/// A limit: of the rate itself, or of bytes.
struct RooflineCeiling {
  std::string name;
  double operations = 0;  // a second; 0: it is none of operations
  double bytes = 0;       // a second: the rate is at most that many times the operations a byte
};

/// One picture: all its rates count operations of one unit.
struct Roofline {
  std::string unit;  // "cell"
  std::vector<RooflinePoint> points;
  std::vector<RooflineCeiling> ceilings;
};

/// Writes it as SVG, both axes logarithmic. Roofs end where they cross. @param id of its title in the page; there
/// must be a point
void write_roofline(std::ostream& out, const Roofline& roofline, const std::string& id);

}  // namespace terrace::app
