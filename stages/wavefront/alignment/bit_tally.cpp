#include "stages/wavefront/alignment/bit_tally.hpp"

#include <cstring>

#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

BitAlignmentTally::BitAlignmentTally(const BitAlignmentPlan& plan) : SweepTally(plan), plan_(plan) {
  path_.begin({plan.spec(), plan.problem(), score_});
}

void BitAlignmentTally::fold(const run::Phase& phase, std::int64_t index, const void* result) {
  if (phase.value.as<BitAlignmentPhase>().walks == 0) {
    SweepTally::fold(phase, index, result);
    if (index + 1 < phase.count) return;
    ++swept_;
    return path_.begin({plan_.spec(), plan_.problem(), score_});
  }
  wavefront::TraceResult found;
  std::memcpy(&found, result, sizeof found);
  path_.add(found);
}

std::string BitAlignmentTally::save() const {
  return nlohmann::json{{"sweeps", SweepTally::save()}, {"swept", swept_}, {"path", path_.save()}}.dump();
}

void BitAlignmentTally::load(const std::string& state) {
  const auto json = nlohmann::json::parse(state);
  SweepTally::load(json.at("sweeps"));
  swept_ = json.at("swept");
  path_.load(json.at("path"));
}

}  // namespace terrace::stages
