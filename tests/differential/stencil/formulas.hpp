// Formulas of stencils from texts, for tests and benchmarks: in the language of jobs, with fields f0, f1, ..., arrays
// a0, a1, ... and series s0, s1, ....
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/write.hpp"

namespace terrace::stencil::testing {

inline formula::Type type_of(const StencilSpec& spec) {
  return spec.value == ElementType::f32 ? formula::Type::f32 : formula::Type::f64;
}

/// Gives a stencil formulas, one a field. Its rank, extents, faces, type, arrays, and values of series are set.
/// @param steps values of each series @throws std::logic_error if a text has a fault
inline void write_formulas(StencilSpec& spec, const std::vector<std::string>& texts, std::int64_t steps = 0) {
  const auto names = [](char letter, std::int64_t count) {
    std::vector<std::string> all;
    for (std::int64_t n = 0; n < count; ++n) all.push_back(letter + std::to_string(n));
    return all;
  };
  WrittenText text;
  text.fields = names('f', static_cast<std::int64_t>(texts.size()));
  text.arrays = names('a', spec.arrays);
  text.series = names('s', steps > 0 ? static_cast<std::int64_t>(spec.drive.size()) / steps : 0);
  text.steps = steps;
  for (std::size_t field = 0; field < texts.size(); ++field) text.cells.push_back({field, texts[field]});
  spec.name = "formula";
  spec.settings = {};
  try {
    spec.written = write(text, spec);
  } catch (const WrittenFault& fault) {
    const std::string at = fault.cell == WrittenFault::none ? fault.name : texts[fault.cell];
    throw std::logic_error(at + ", byte " + std::to_string(fault.fault.at) + ": " + fault.fault.what);
  }
}

}  // namespace terrace::stencil::testing
