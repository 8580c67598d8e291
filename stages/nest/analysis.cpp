#include "stages/nest/analysis.hpp"

#include <utility>

#include "kernels/nest/value_ranges.hpp"

namespace terrace::stages {
namespace {

/// The type of each array, and the bounds that its values are shown to keep.
void add_types(const nest::NestSpec& spec, std::vector<std::string>& lines) {
  const std::vector<formula::Bounds> all = nest::array_bounds(spec);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const nest::Array& array = spec.nest->arrays[n];
    std::string line = array.name + ": " + std::string(name_of(array.type));
    if (!is_floating(array.type)) {
      line += ", values within [" + std::to_string(static_cast<std::int64_t>(all[n].least)) + ", " +
              std::to_string(static_cast<std::int64_t>(all[n].most)) + "]";
    }
    lines.push_back(line);
  }
}

}  // namespace

std::vector<std::string> nest_analysis(const NestDefinition& definition, const std::string& how) {
  const nest::NestSpec& spec = definition.spec;
  std::vector<std::string> lines = {"skew: " + spec.skew.in_words() + ", " + how};
  for (std::string& line : nest::in_words(*spec.nest, definition.kept_dependences)) lines.push_back(std::move(line));
  std::string reversed;
  for (std::size_t loop = 0; loop < spec.nest->depth(); ++loop) {
    if (spec.skew.reversed[loop]) reversed += (reversed.empty() ? "" : ", ") + spec.nest->loops[loop].name;
  }
  if (!reversed.empty()) lines.push_back("loops from their end: " + reversed);
  if (spec.skew.first > 0) {
    std::string joined;
    for (std::size_t loop = 0; loop <= spec.skew.first; ++loop) {
      joined += (joined.empty() ? "" : ", ") + spec.nest->loops[loop].name;
    }
    lines.push_back("loops that no array has are one: " + joined);
  }
  add_types(spec, lines);
  return lines;
}

}  // namespace terrace::stages
