#include "stages/recursive/triangles/tally.hpp"

#include <cstring>

#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

void TriangleTally::fold(const run::Phase&, std::int64_t index, const void* folded) {
  const TrianglePlan::Place place = plan_.place_of(index);
  recursive::IntervalResult result;
  std::memcpy(&result, folded, sizeof result);
  if (result.lost != 0) {
    throw ComputeError("the table of splits does not split what begins at node " + std::to_string(result.lost - 1) +
                       ": an input, the disk or the memory has changed since it was computed; start over with "
                       "--fresh=all");
  }
  if (plan_.completes(index)) {
    findings_.whole = result.whole;
    findings_.real = result.real;
  } else if (place.step == recursive::IntervalStep::report) {
    const auto [begin, end] = plan_.reported(place.number);
    const std::int64_t count = end - begin;
    findings_.opens.insert(findings_.opens.end(), result.opens, result.opens + count);
    findings_.closes.insert(findings_.closes.end(), result.closes, result.closes + count);
  }
}

std::string TriangleTally::save() const {
  return nlohmann::json{{"whole", findings_.whole},
                        {"real", number_json(findings_.real)},
                        {"opens", findings_.opens},
                        {"closes", findings_.closes}}
      .dump();
}

void TriangleTally::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  findings_.whole = state.at("whole");
  findings_.real = number_from(state.at("real"));
  findings_.opens = state.at("opens").get<std::vector<std::int32_t>>();
  findings_.closes = state.at("closes").get<std::vector<std::int32_t>>();
}

}  // namespace terrace::stages
