#include "stages/nest/tally.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/nest/elements.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

using nest::BestElement;
using nest::NestResult;

void NestTally::fold(const run::Phase&, std::int64_t, const void* result) {
  NestResult one;
  std::memcpy(&one, result, sizeof one);
  const nest::NestSpec& spec = plan_.spec();
  for (std::size_t n = 0; n < spec.nest->arrays.size(); ++n) {
    if (one.has_corner[n] != 0) found_.corner[n] = one.corner[n], found_.has_corner[n] = 1;
    if (one.best[n].is_found == 0) continue;
    nest::Point at{};
    std::copy_n(one.best[n].at, nest::most_coordinates, at.begin());
    nest::offer(found_.best[n], spec.nest->arrays[n].type, spec.kept[n].best, at, one.best[n].value);
  }
  if (one.failure.kind == nest::NestFailure::none || !fault_.empty()) return;
  fault_ = nest::in_words(*spec.nest, one.failure);
  faulty_ = one.failure.statement;
}

Place NestTally::fault_place() const {
  return faulty_ < 0 ? Place{} : plan_.definition().places[static_cast<std::size_t>(faulty_)];
}

std::string NestTally::save() const {
  // Words are kept by their bits.
  nlohmann::json arrays = nlohmann::json::array();
  for (std::size_t n = 0; n < plan_.spec().nest->arrays.size(); ++n) {
    const BestElement& best = found_.best[n];
    arrays.push_back({best.value.whole, best.at, best.is_found, found_.corner[n].whole, found_.has_corner[n]});
  }
  return nlohmann::json{{"arrays", arrays}, {"fault", text_json(fault_)}, {"statement", faulty_}}.dump();
}

void NestTally::load(const std::string& state) {
  const nlohmann::json all = nlohmann::json::parse(state);
  found_ = {};
  for (std::size_t n = 0; n < plan_.spec().nest->arrays.size(); ++n) {
    const nlohmann::json& one = all.at("arrays").at(n);
    BestElement& best = found_.best[n];
    best.value.whole = one.at(0);
    for (std::size_t axis = 0; axis < nest::most_coordinates; ++axis) best.at[axis] = one.at(1).at(axis);
    best.is_found = one.at(2);
    found_.corner[n].whole = one.at(3);
    found_.has_corner[n] = one.at(4);
  }
  fault_ = text_from(all.at("fault"));
  faulty_ = all.value("statement", -1);
}

}  // namespace terrace::stages
