#include "stages/kernel_graph/tally.hpp"

#include <cstring>

#include "io/data_error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

void GraphTally::fold(const run::Phase& phase, std::int64_t, const void* folded) {
  graph::GraphResult result;
  std::memcpy(&result, folded, sizeof result);
  if (result.has_nan == 0 || !fault_.empty()) return;
  const GraphDefinition& definition = plan_.definition();
  const GraphPart& part = definition.parts.parts[static_cast<std::size_t>(phase.number)];
  // NaN is an error of inputs alone, which are the first arrays.
  const auto input = static_cast<std::size_t>(part.inputs[static_cast<std::size_t>(result.input)]);
  const Extents index{result.row, result.column};
  const std::string place = definition.inputs[input]->place_of(index);
  fault_ = message_at(definition.places[input],
                      "stage '" + stage_ + "': " + io::element_name(definition.arrays[input], index) +
                          (place.empty() ? "" : " (" + place + ")") + " is NaN; a graph needs numbers");
}

std::string GraphTally::save() const { return nlohmann::json{{"fault", text_json(fault_)}}.dump(); }

void GraphTally::load(const std::string& state) { fault_ = text_from(nlohmann::json::parse(state).at("fault")); }

}  // namespace terrace::stages
