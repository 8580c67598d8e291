#include "stages/kernel_graph/tally.hpp"

#include <bit>
#include <cstring>

#include "io/data_error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::stages {

void GraphTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  graph::GraphResult result;
  std::memcpy(&result, folded, sizeof result);
  const GraphDefinition& definition = plan_.definition();
  const GraphPart& part = definition.parts.parts[plan_.turn_of(phase).part];
  for (std::size_t n = 0; n < part.reductions.size(); ++n) {
    numbers_[static_cast<std::size_t>(part.reductions[n])] = result.numbers[n];
    // When all rows are counted the number is known that the job is to give.
    if (index + 1 == phase.count && fault_.empty()) fault_ = fault_of_list(part.reductions[n]);
  }
  if (result.has_nan == 0 || !fault_.empty()) return;
  // NaN is an error of inputs alone, which are the first arrays.
  const auto input = static_cast<std::size_t>(part.inputs[static_cast<std::size_t>(result.input)]);
  const Extents element{result.row, result.column};
  const std::string place = definition.inputs[input]->place_of(element);
  fault_ = io::element_name(definition.arrays[input], element) + (place.empty() ? "" : " (" + place + ")") +
           " is NaN; a graph needs numbers";
}

std::string GraphTally::fault_of_list(int reduction) const {
  const graph::Reduction& own = plan_.definition().graph->reductions[static_cast<std::size_t>(reduction)];
  if (own.makes != graph::Makes::positions) return "";
  const auto found = static_cast<std::int64_t>(number(reduction));
  if (found <= own.positions.most) return "";
  const auto limit = plan_.definition().limits.find(reduction);
  const std::string place = limit == plan_.definition().limits.end() ? "" : limit->second.text;
  return quote(own.name) + " has " + std::to_string(found) + " positions, and `most` is " +
         std::to_string(own.positions.most) + (place.empty() ? "" : " (" + place + ")") +
         ": give `most: " + std::to_string(found) + "`, or list fewer";
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
