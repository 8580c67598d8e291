#include "pipeline/run/run_plan.hpp"

namespace terrace::run {

bool is_on_cpu(const nlohmann::json& choices) { return choices.value("backend", "") == "cpu"; }

std::size_t host_budget_in(const nlohmann::json& choices) {
  return choices.value("host_budget", std::numeric_limits<std::size_t>::max());
}

bool lies_in_scratch(const PlannedStage& stage, const ArraySpec& array) {
  return array.role == Role::result && (stage.temporary || array.found);
}

std::string backend_of(const PlannedStage& stage, const RunPlan& plan) {
  const bool by_host = stage.stage->plan().devices(1) == 0;
  return stage.on_cpu || by_host ? "cpu" : plan.fixed.value("backend", "");
}

std::vector<LargeDataset> large_datasets(const RunPlan& plan) {
  std::vector<LargeDataset> datasets;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    if (plan.stages[s].temporary) continue;
    const auto& arrays = plan.stages[s].stage->plan().arrays();
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      if (arrays[a].role != Role::result) continue;
      io::DatasetSpec spec = plan.stages[s].stage->dataset(static_cast<int>(a));
      spec.type = arrays[a].type;
      spec.shape = arrays[a].shape;
      if (arrays[a].found) spec.shape[0] = 0;
      datasets.push_back({s, a, std::move(spec)});
    }
  }
  return datasets;
}

}  // namespace terrace::run
