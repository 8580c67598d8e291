#include "stages/recursive/products/tally.hpp"

#include <cstring>

#include "pipeline/base/json_library.hpp"
#include "stages/recursive/tile_plan.hpp"

namespace terrace::stages {

void ProductTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  if (phase.value.as<TilePhase>().inspects == 0) return;
  recursive::TileResult result;
  std::memcpy(&result, folded, sizeof result);
  if ((result.found & 1) == 0) return;
  ranges_[static_cast<std::size_t>(plan_.input_of(index))].add(result.least.whole, result.most.whole);
}

std::string ProductTally::save() const {
  nlohmann::json state = nlohmann::json::array();
  for (const WeightRange& range : ranges_) state.push_back({range.any, range.least, range.most});
  return state.dump();
}

void ProductTally::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  for (std::size_t n = 0; n < ranges_.size(); ++n)
    ranges_[n] = {state.at(n).at(0), state.at(n).at(1), state.at(n).at(2)};
}

}  // namespace terrace::stages
