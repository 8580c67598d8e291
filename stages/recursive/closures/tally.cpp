#include "stages/recursive/closures/tally.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/recursive/semiring.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"
#include "stages/recursive/tile_plan.hpp"

namespace terrace::stages {

void ClosureTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  recursive::TileResult result;
  std::memcpy(&result, folded, sizeof result);
  if (result.negative_pivot >= 0) {
    throw ComputeError("'" + plan_.matrix_name() + "' has a negative cycle through " +
                       plan_.node_text(result.negative_pivot) +
                       ", so that no path there is the shortest; mend the weights");
  }
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

/// Before anything is computed: with negative weights, infinity must remain far above all distances.
void ClosureTally::check_range() const {
  const ClosureCut& cut = plan_.cut();
  if (has_negative() && !holds_distances(cut.spec.value, range_, cut.nodes)) {
    throw ComputeError("'" + plan_.matrix_name() + "' has weights from " + std::to_string(range_.least) + " to " +
                       std::to_string(range_.most) + ", and distances between " + std::to_string(cut.nodes) +
                       " nodes may leave " + std::string(name_of(cut.spec.value)) + ": " +
                       type_that_holds(range_, cut.nodes));
  }
}

/// Without negative weights no path was lost for its length if the longest one found stays below infinity by the
/// largest weight.
void ClosureTally::check_distances() const {
  const ClosureCut& cut = plan_.cut();
  const auto fail = [&](const std::string& advice) {
    throw ComputeError("distances of '" + plan_.matrix_name() + "' leave " + std::string(name_of(cut.spec.value)) +
                       ": " + advice);
  };
  dispatch(cut.spec.value, [&](auto value) {
    using T = decltype(value);
    if constexpr (std::is_floating_point_v<T>) {
      constexpr auto largest = static_cast<double>(std::numeric_limits<T>::max());
      const double magnitude = std::max(most_real_, -least_real_);
      const bool fits = least_real_ < 0 ? magnitude <= largest / 2 / static_cast<double>(cut.nodes)
                                        : farthest_real_ <= largest - most_real_;
      if (!fits) fail(sizeof(T) == 4 ? "say `type: f64`" : "scale the weights down");
    } else if constexpr (std::is_signed_v<T> && sizeof(T) > 1) {
      if (range_.any && range_.least >= 0 && farthest_ >= recursive::infinity<T>() - range_.most) {
        fail(type_that_holds(range_, cut.nodes));
      }
    }
  });
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
