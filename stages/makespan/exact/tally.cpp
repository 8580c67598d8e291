#include "stages/makespan/exact/tally.hpp"

#include <cstring>

#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

ExactTally::ExactTally(const ExactPlan& plan) : plan_(plan) {
  findings_.lower = plan.definition().begin.lower;
  findings_.upper = plan.definition().begin.upper;
}

void ExactTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  makespan::SearchResult result;
  std::memcpy(&result, folded, sizeof result);
  if (phase.value.as<ExactPhase>().what() == ExactStep::report) {
    findings_.machines.insert(findings_.machines.end(), result.machines, result.machines + plan_.reported(index));
    return;
  }
  findings_.lower = result.lower, findings_.upper = result.upper;
  findings_.nanoseconds += result.nanoseconds;
  ++findings_.rounds;
}

std::string ExactTally::save() const {
  return nlohmann::json{{"lower", findings_.lower},
                        {"upper", findings_.upper},
                        {"rounds", findings_.rounds},
                        {"nanoseconds", findings_.nanoseconds},
                        {"machines", findings_.machines}}
      .dump();
}

void ExactTally::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  findings_ = {state.at("lower"), state.at("upper"), state.at("rounds"), state.at("nanoseconds"),
               state.at("machines").get<makespan::Machines>()};
}

}  // namespace terrace::stages
