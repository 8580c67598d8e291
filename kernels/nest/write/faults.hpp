// Faults of what a job writes of a nest, at the settings where they are.
#pragma once

#include <string>

#include "kernels/nest/write.hpp"

namespace terrace::nest {

[[noreturn]] inline void refuse(const std::string& setting, int element, std::size_t at, const std::string& what) {
  throw NestFault{setting, element, {at, what}};
}

/// Calls what reads a text, whose faults are at `setting`.
template <class Read>
auto in_setting(const std::string& setting, int element, const Read& read) {
  try {
    return read();
  } catch (const formula::Fault& fault) {
    throw NestFault{setting, element, fault};
  }
}

inline std::string name_of_setting(const std::string& map, const std::string& key) { return map + "." + key; }

inline std::string setting_of_cell(const NestText& text, std::size_t cell) {
  return "cells[" + std::to_string(cell) + "]" + (text.cells[cell].is_map ? ".do" : "");
}

template <class Read>
auto in_cell(const NestText& text, std::size_t cell, const Read& read) {
  return in_setting(setting_of_cell(text, cell), -1, read);
}

inline std::string setting_of_outside(const Array& array) {
  return name_of_setting("arrays", array.name) + ".outside";
}

}  // namespace terrace::nest
