#include "stages/recursive/closures/tally.hpp"

#include <algorithm>
#include <cstring>

#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"
#include "stages/recursive/distance_proof.hpp"
#include "stages/recursive/tile_plan.hpp"

namespace terrace::stages {

void ClosureTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  recursive::TileResult result;
  std::memcpy(&result, folded, sizeof result);
  if (result.negative_pivot >= 0) fail_negative_cycle(plan_.matrix_name(), plan_.nodes(), result.negative_pivot);
  if ((result.found & 1) != 0) {
    range_.add(result.least.whole, result.most.whole);
    least_real_ = std::min(least_real_, result.least.real);
    most_real_ = std::max(most_real_, result.most.real);
  }
  if ((result.found & 2) != 0) {
    farthest_ = std::max<std::int64_t>(farthest_, result.farthest.whole);
    farthest_real_ = std::max(farthest_real_, result.farthest.real);
  }
  if (phase.value.as<TilePhase>().inspects == 0 && index + 1 == phase.count) check_distances();
}

void ClosureTally::check_range() const {
  prove_weights(plan_.matrix_name(), plan_.cut().spec.value, range_, plan_.cut().nodes);
}

void ClosureTally::check_distances() const {
  const ClosureCut& cut = plan_.cut();
  prove_distances(plan_.matrix_name(), cut.spec.value, {range_, farthest_, least_real_, most_real_, farthest_real_},
                  cut.nodes);
}

std::string ClosureTally::save() const {
  const nlohmann::json state = {{"any", range_.any},
                                {"least", range_.least},
                                {"most", range_.most},
                                {"farthest", farthest_},
                                {"real", numbers_json({least_real_, most_real_, farthest_real_})}};
  return state.dump();
}

void ClosureTally::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  range_ = {state.at("any"), state.at("least"), state.at("most")};
  farthest_ = state.at("farthest");
  const std::vector<double> real = numbers_from(state.at("real"));
  least_real_ = real.at(0);
  most_real_ = real.at(1);
  farthest_real_ = real.at(2);
}

}  // namespace terrace::stages
