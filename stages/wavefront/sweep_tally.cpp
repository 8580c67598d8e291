#include "stages/wavefront/sweep_tally.hpp"

#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

void SweepTally::fold(const run::Phase& phase, std::int64_t index, const void* result) {
  fold_score(index, result);
  if (index + 1 == phase.count) margin_ = plan_.margin_of(phase);
}

std::string SweepTally::save() const {
  return nlohmann::json{score_.score, score_.row, score_.column, margin_}.dump();
}

void SweepTally::load(const std::string& state) {
  const auto json = nlohmann::json::parse(state);
  score_ = {json.at(0), json.at(1), json.at(2)};
  margin_ = json.at(3);
}

}  // namespace terrace::stages
