#include "stages/recursive/searches/tally.hpp"

#include <algorithm>
#include <cstring>

#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

void SearchTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  recursive::SearchResult result;
  std::memcpy(&result, folded, sizeof result);
  if (result.negative >= 0) fail_negative_cycle(plan_.matrix_name(), plan_.nodes(), result.negative);
  if (result.overflowed != 0) {
    throw ComputeError("a sum of distances of '" + plan_.matrix_name() + "' leaves i64: say `type: f64`");
  }
  if (result.found != 0) {
    found_.farthest = std::max<std::int64_t>(found_.farthest, result.whole);
    found_.farthest_real = std::max(found_.farthest_real, result.real);
  }
  counted_ += result.counted;
  outside_ += result.outside;
  const RowSearches& cut = plan_.cut();
  if (plan_.makes_rows(phase) && index + 1 == phase.count) {
    prove_distances(plan_.matrix_name(), cut.spec.value, found_, cut.spec.graph->nodes);
  }
}

std::string SearchTally::save() const {
  const nlohmann::json state = {{"farthest", found_.farthest},
                                {"real", numbers_json({found_.farthest_real})},
                                {"counted", counted_},
                                {"outside", outside_}};
  return state.dump();
}

Uncounted SearchTally::uncounted() const {
  const recursive::SearchSpec& spec = plan_.cut().spec;
  return {outside_, spec.rows() * std::max<std::int64_t>(0, spec.graph->nodes - 1) - counted_ - outside_};
}

void SearchTally::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  found_.farthest = state.at("farthest");
  found_.farthest_real = numbers_from(state.at("real")).at(0);
  counted_ = state.value("counted", std::int64_t{0});
  outside_ = state.value("outside", std::int64_t{0});
}

}  // namespace terrace::stages
