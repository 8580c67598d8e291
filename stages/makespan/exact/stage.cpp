#include "stages/makespan/exact/stage.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "pipeline/base/rounding.hpp"
#include "stages/makespan/exact/tally.hpp"
#include "stages/makespan/results.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t most_positions = 64, most_position_words = 1 << 22;  // of open subtrees
constexpr std::size_t most_failed_bytes = std::size_t{128} << 20;

class ExactStage : public run::Stage {
 public:
  ExactStage(const Request& request, ExactDefinition definition)
      : name_(request.stage.name), plan_(std::move(definition)), tally_(plan_) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }
  io::DatasetSpec dataset(int) const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }
  std::vector<io::SmallDataset> small() const override {
    const ExactFindings& found = tally_.findings();
    const JobSchedule schedule =
        schedule_of(plan_.definition(), found.machines.empty() ? plan_.definition().begin.best : found.machines);
    check_schedule(plan_.definition().instance, schedule);
    return schedule_datasets("/" + name_ + "/", schedule, found.lower);
  }

  std::vector<std::string> warnings() const override {
    const ExactFindings& found = tally_.findings();
    if (!is_over() || found.lower >= found.upper) return {};
    std::ostringstream text;
    text << "stage '" << name_
         << "': `time_limit` was reached: the result is the best schedule that was found, with a "
         << "makespan of " << found.upper << "; no schedule has less than " << found.lower << ", so it is at most "
         << 100 * (guarantee_of(found.upper, found.lower) - 1) << "% longer than the best one";
    return {text.str()};
  }

  std::vector<run::StageMethod> methods() const override { return exact_method.chosen(device::Backend::cpu); }

  run::Prediction prediction() const override {
    const ExactDefinition& definition = plan_.definition();
    run::Prediction p;
    p.unit = "round";
    p.block_shape = "1";
    p.leaves_out = true;
    if (definition.begin.is_optimal()) return p;
    p.operations = std::ceil(static_cast<double>(definition.nanoseconds) / (ExactPlan::round_seconds * 1e9));
    p.operations_per_second = 1 / ExactPlan::round_seconds;
    p.blocks = static_cast<std::int64_t>(p.operations);
    p.block_bytes = static_cast<std::size_t>(2 * definition.layout.words()) * sizeof(makespan::i32);
    p.workspace_bytes = definition.failed_bytes;
    return p;
  }

  nlohmann::json choices() const override {
    const ExactDefinition& definition = plan_.definition();
    return {{"positions", definition.layout.positions}, {"failed_bytes", definition.failed_bytes}};
  }

 private:
  /// True once no round follows.
  bool is_over() const { return tally_.findings().nanoseconds >= plan_.definition().nanoseconds; }

  std::string name_;
  ExactPlan plan_;
  ExactTally tally_;
};

/// As many open subtrees as the budgets hold. @throws JobError that names the least budgets
void choose_memory(const Request& request, ExactDefinition& definition) {
  makespan::StateLayout& layout = definition.layout;
  layout.positions = std::clamp<std::int64_t>(most_position_words / layout.position_words(), 1, most_positions);
  const auto memory = [&] {
    BlockMemory needed;
    needed.block = 2 * whole_pages(layout.words() * static_cast<std::int64_t>(sizeof(makespan::i32)));
    return needed;
  };
  while (layout.positions > 1 && !holds(request.resources, memory())) layout.positions /= 2;
  if (!holds(request.resources, memory())) refuse_budgets(request.resources, memory());
  definition.failed_bytes = std::min(most_failed_bytes, request.resources.host_budget / 4);
}

}  // namespace

std::unique_ptr<run::Stage> make_exact(const Request& request) {
  ExactDefinition definition = define_exact(request);
  if (request.choices != nullptr) {
    definition.layout.positions = request.choices->at("positions");
    definition.failed_bytes = request.choices->at("failed_bytes");
  } else if (!definition.begin.is_optimal()) {
    choose_memory(request, definition);
  }
  return std::make_unique<ExactStage>(request, std::move(definition));
}

}  // namespace terrace::stages
