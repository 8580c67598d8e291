#include "stages/kernel_graph/tally.hpp"

#include <bit>
#include <cstring>

#include "io/data_error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

void GraphTally::fold(const run::Phase& phase, std::int64_t, const void* folded) {
  graph::GraphResult result;
  std::memcpy(&result, folded, sizeof result);
  const GraphDefinition& definition = plan_.definition();
  const GraphPart& part = definition.parts.parts[static_cast<std::size_t>(phase.number)];
  for (std::size_t n = 0; n < part.reductions.size(); ++n) {
    numbers_[static_cast<std::size_t>(part.reductions[n])] = result.numbers[n];
  }
  if (result.has_nan == 0 || !fault_.empty()) return;
  // NaN is an error of inputs alone, which are the first arrays.
  const auto input = static_cast<std::size_t>(part.inputs[static_cast<std::size_t>(result.input)]);
  const Extents index{result.row, result.column};
  const std::string place = definition.inputs[input]->place_of(index);
  fault_ = io::element_name(definition.arrays[input], index) + (place.empty() ? "" : " (" + place + ")") +
           " is NaN; a graph needs numbers";
}

std::string GraphTally::save() const {
  // As bits: JSON has neither infinity nor NaN.
  std::vector<std::int64_t> bits;
  for (const double number : numbers_) bits.push_back(std::bit_cast<std::int64_t>(number));
  return nlohmann::json{{"fault", text_json(fault_)}, {"numbers", bits}}.dump();
}

void GraphTally::load(const std::string& state) {
  const nlohmann::json saved = nlohmann::json::parse(state);
  fault_ = text_from(saved.at("fault"));
  const auto bits = saved.at("numbers").get<std::vector<std::int64_t>>();
  numbers_.clear();
  for (const std::int64_t number : bits) numbers_.push_back(std::bit_cast<double>(number));
}

}  // namespace terrace::stages
