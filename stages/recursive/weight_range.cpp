#include "stages/recursive/weight_range.hpp"

#include <algorithm>
#include <limits>

#include "kernels/recursive/semiring.hpp"

namespace terrace::stages {
namespace {

std::int64_t infinity_of(ElementType type) {
  return type == ElementType::i16   ? recursive::infinity<std::int16_t>()
         : type == ElementType::i32 ? recursive::infinity<std::int32_t>()
                                    : recursive::infinity<std::int64_t>();
}

}  // namespace

std::optional<std::int64_t> no_path_of(ElementType type) {
  if (is_floating(type)) return std::nullopt;
  return infinity_of(type);
}

std::int64_t WeightRange::magnitude() const {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (!any) return 0;
  return std::max(most, least == std::numeric_limits<std::int64_t>::min() ? largest : -least);
}

void WeightRange::add(std::int64_t lower, std::int64_t upper) {
  least = any ? std::min(least, lower) : lower;
  most = any ? std::max(most, upper) : upper;
  any = true;
}

nlohmann::json StatedWeights::json() const {
  return {{"any", range.any}, {"least", range.least}, {"most", range.most}, {"exact", exact}, {"reason", reason}};
}

StatedWeights StatedWeights::from(const nlohmann::json& json) {
  return {{json.at("any"), json.at("least"), json.at("most")}, json.at("exact"), json.at("reason")};
}

bool holds_weights(ElementType type, const WeightRange& range) {
  return !range.any || (range.most < infinity_of(type) && range.least > -infinity_of(type));
}

bool holds_distances(ElementType type, const WeightRange& range, std::int64_t nodes) {
  if (!range.any || nodes < 1) return true;
  const std::int64_t infinity = infinity_of(type);
  if (range.least >= 0) return range.most <= (infinity - 1) / nodes;
  return range.magnitude() <= (infinity / 2 - 1) / std::max<std::int64_t>(1, nodes - 1);
}

std::optional<ElementType> narrowest_for_distances(const WeightRange& range, std::int64_t nodes) {
  for (const ElementType type : {ElementType::i16, ElementType::i32, ElementType::i64}) {
    if (holds_distances(type, range, nodes)) return type;
  }
  return std::nullopt;
}

std::string type_that_holds(const WeightRange& range, std::int64_t nodes) {
  const auto type = narrowest_for_distances(range, nodes);
  return "say `type: " + std::string(type ? name_of(*type) : "f64") + "`";
}

}  // namespace terrace::stages
