#include "stages/wavefront/tally.hpp"

#include <cstring>

#include "kernels/wavefront/report.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {

WavefrontTally::WavefrontTally(const WavefrontPlan& plan) : plan_(plan) {
  const wavefront::SweepSpec& spec = plan.spec();
  score_ = wavefront::border_report(plan.problem(), spec.rows, spec.columns);
}

void WavefrontTally::failed(const run::Phase&, std::int64_t index, int) {
  const ElementType value = plan_.spec().value;
  const bool widest = value == ElementType::i64;
  throw ComputeError("a sum in " + to_string(plan_.cells_of(index)) + " (rows x columns) of " + plan_.problem().name +
                     " does not fit type " + std::string(name_of(value)) + ": say " +
                     (widest ? "`type: f64`, which rounds" : "`type: i64`") +
                     ", or `overflow: wrap` to count modulo 2^" + std::to_string(8 * size_of(value)));
}

void WavefrontTally::fold_score(std::int64_t index, const void* result) {
  wavefront::BlockResult found;
  std::memcpy(&found, result, sizeof found);
  const wavefront::Description& problem = plan_.problem();
  wavefront::add_report(problem.items, problem.report, found, index + 1 == plan_.blocks(), score_);
}

}  // namespace terrace::stages
