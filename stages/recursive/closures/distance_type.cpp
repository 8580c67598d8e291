#include "stages/recursive/closures/distance_type.hpp"

#include "stages/recursive/rates.hpp"
#include "stages/recursive/stated_weights.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

/// Looks at the weights so far as what the matrix states of them leaves the narrowest type open.
WeightScan scan_to_choose(const Request& request, io::Source& matrix, const WeightRules& rules,
                          const std::optional<StatedWeights>& stated) {
  const std::int64_t nodes = matrix.shape()[0];
  const auto enough = [&](const WeightRange& seen) {
    return narrowest_for_distances(seen, nodes) == narrowest_for_distances(stated->range, nodes);
  };
  WeightScan scan;
  read_values(request.stage, "matrix", [&] {
    if (stated) scan = scan_weights(matrix, rules, request.watch, enough);
    else scan = scan_weights(matrix, rules, request.watch);
  });
  return scan;
}

/// The narrowest type that is sure to hold the distances of a matrix of integers.
ChosenType choose_narrowest(const Request& request, io::Source& matrix, const WeightRules& rules,
                            std::optional<StatedWeights> stated) {
  const std::int64_t nodes = matrix.shape()[0];
  WeightRange range;
  if (stated && stated->exact) {
    range = stated->range;
  } else if (request.resources.to_run) {
    const WeightScan scan = scan_to_choose(request, matrix, rules, stated);
    range = scan.range;
    if (scan.whole) {
      stated = {scan.range, true,
                "the range that was found when the run was planned: the input has changed since then"};
    }
  }
  if (const auto type = narrowest_for_distances(range, nodes)) return {*type, std::move(stated)};
  refuse(
      request.stage, "matrix",
      "distances of '" + rules.label.array +
          "' may leave every integer type: say `type: f64`, or `type: input`, whose distances are proved once they "
          "are computed");
}

}  // namespace

ChosenType choose_distance_type(const Request& request, io::Source& matrix, const WeightRules& rules) {
  const std::string& type = request.stage.settings.text("type");
  std::optional<StatedWeights> stated = stated_weights(matrix, rules);
  if (type == "auto" && !is_floating(matrix.type())) {
    return choose_narrowest(request, matrix, rules, std::move(stated));
  }
  if (type == "input" || type == "auto") return {distance_type(matrix.type()), std::move(stated)};
  return {*element_type_from(type), std::move(stated)};
}

bool suffices(const StatedWeights& stated, ElementType value, std::int64_t nodes) {
  if (is_floating(value) || !holds_weights(value, stated.range)) return false;
  return !stated.range.any || stated.range.least >= 0 || holds_distances(value, stated.range, nodes);
}

}  // namespace terrace::stages
