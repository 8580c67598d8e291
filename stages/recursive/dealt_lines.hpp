// Tiles of a table that are dealt to devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace terrace::stages {

/// Rows, or columns, of tiles that are dealt to devices in turn: line n to device n modulo their number. A device
/// makes all updates of its tiles; so of the factors of a row's updates one is of the same row, and the others, of
/// other rows, are copied from the devices that made them. Lines of a table of which less and less is updated stay
/// dealt evenly.
struct DealtLines {
  std::int64_t count = 1;
  const char* name = "row";  // of tiles

  int devices(int available) const {
    return static_cast<int>(std::min<std::int64_t>(available, std::max<std::int64_t>(1, count)));
  }
  int device(std::int64_t line, int devices) const { return static_cast<int>(line % devices); }
  /// "3 rows of tiles".
  std::string in_words() const { return std::to_string(count) + " " + name + (count == 1 ? "" : "s") + " of tiles"; }

  /// Speed of so many devices over one device: the device with the most lines ends last.
  double gain(int available) const {
    const std::int64_t lines = std::max<std::int64_t>(1, count), used = std::max(1, devices(available));
    return static_cast<double>(lines) / static_cast<double>((lines + used - 1) / used);
  }
};

}  // namespace terrace::stages
