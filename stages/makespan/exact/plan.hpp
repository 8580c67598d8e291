// The search for the least makespan as a plan of blocks: a round of the search is a phase of one block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/makespan/task.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/makespan/exact/definition.hpp"

namespace terrace::stages {

/// The work of a phase.
enum class ExactStep : std::int64_t {
  round,   // searches for a while
  report,  // reports the machines of the best schedule's jobs, some a block
};

/// The value of a phase.
struct ExactPhase {
  std::int64_t step, rounds;  // that were made before it
  std::int64_t nanoseconds;   // of a round, at most about so many

  ExactStep what() const { return static_cast<ExactStep>(step); }
};

/// Phases depend on results: rounds until the best schedule is proved to be the best one or the time limit is
/// reached, then the report. What a round leaves open is an array, so checkpoints keep it.
class ExactPlan : public run::Plan {
 public:
  /// The seconds of a round.
  static constexpr double round_seconds = 0.5;

  explicit ExactPlan(ExactDefinition definition);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t) const override { return true; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  std::size_t descriptor_bytes() const override { return sizeof(makespan::SearchTask); }
  std::size_t result_bytes() const override { return sizeof(makespan::SearchResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  makespan::SearchTask task(const run::Phase& phase, const run::BlockView& view) const;

  const ExactDefinition& definition() const { return definition_; }
  /// The number of machines that a block of a report has.
  std::int64_t reported(std::int64_t index) const;

 private:
  ExactDefinition definition_;
  std::vector<run::ArraySpec> arrays_;
};

}  // namespace terrace::stages
