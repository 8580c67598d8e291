#include "stages/wavefront/wavefront_stage.hpp"

#include <algorithm>

#include "kernels/wavefront/window.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"
#include "stages/wavefront/costs.hpp"
#include "stages/wavefront/results.hpp"

namespace terrace::stages {

using wavefront::Items;
using wavefront::SweepSpec;

TableNeed table_need(const SweepSpec& spec, bool cuda) {
  const auto problem = wavefront::description_of(spec);
  TableNeed need;
  need.rows = spec.rows;
  need.columns = spec.columns;
  if (spec.table) need.table_bytes = static_cast<std::int64_t>(size_of(*spec.table));
  if (problem->items == Items::grid) need.grid_bytes = static_cast<std::int64_t>(size_of(spec.grid));
  if (problem->items == Items::values) need.item_bytes = static_cast<std::int64_t>(size_of(spec.value));
  const std::int64_t planes = std::max(problem->row_planes, problem->column_planes);
  need.border_bytes = planes * static_cast<std::int64_t>(size_of(spec.border));
  if (spec.kept) {
    need.every = spec.kept->every;
    need.in_parts = !cuda;
    need.kept_bytes = planes * static_cast<std::int64_t>(size_of(spec.kept->type));
  }
  return need;
}

WavefrontStage::WavefrontStage(const Request& request, std::unique_ptr<WavefrontPlan> plan,
                               std::unique_ptr<WavefrontTally> tally)
    : name_(request.stage.name),
      type_place_(place_of(request.stage, "type")),
      alphabet_place_(place_of(request.stage, "alphabet")),
      resources_(request.resources),
      need_(table_need(plan->spec(), request.resources.cuda)),
      plan_(std::move(plan)),
      tally_(std::move(tally)) {}

io::DatasetSpec WavefrontStage::dataset(int array) const {
  if (spec().kept) return kept_dataset(name_, problem(), plan_->arrays()[static_cast<std::size_t>(array)].name);
  std::vector<std::string> dimensions{"row", "column"};
  if (problem().counts) dimensions.insert(dimensions.begin(), "bin");
  return {"/" + name_ + "/table", {}, {}, dimensions, "", long_name(problem(), "table")};
}

std::vector<io::SmallDataset> WavefrontStage::small() const {
  if (problem().counts) return {edge_results(name_, spec())};
  if (problem().items == Items::grid) return {};
  std::vector<io::SmallDataset> results = score_results(name_, spec(), problem(), tally_->score());
  if (spec().kept) add_kept_lines(results, name_, spec());
  return results;
}

run::Prediction WavefrontStage::prediction() const {
  run::Prediction p = predict(spec(), plan_->blocks(), need_, resources_);
  if (const int devices = plan_->devices(resources_.devices); spec().by_strips && devices > 1) {
    p.limit *= devices;
    p.operations_per_second =
        p.operations / strip_seconds(spec(), 1 / p.operations_per_second, devices, resources_.device);
  }
  return p;
}

/// Every cell of the window, once.
double WavefrontStage::whole() const {
  return static_cast<double>(spec().layers) *
         wavefront::cells_in_window(problem().window, 0, spec().rows, 0, spec().columns);
}

std::vector<std::string> WavefrontStage::warnings() const {
  std::vector<std::string> warnings;
  for (const std::string& warning :
       {warning_of_letters(alphabet_place_, name_, plan_->letters()), warning_of_f32()}) {
    if (!warning.empty()) warnings.push_back(warning);
  }
  return warnings;
}

std::string WavefrontStage::warning_of_f32() const {
  const bool sums = problem().items == Items::grid && !problem().counts;
  if (!sums || spec().value != ElementType::f32 || is_floating(spec().grid)) return "";
  const double largest =
      static_cast<double>(spec().rows) * static_cast<double>(spec().columns) * largest_magnitude(spec().grid);
  return warning_of_f32_results(type_place_, name_, largest);
}

const wavefront::SweepMethod& WavefrontStage::method() const {
  const auto backend = resources_.backend();
  return wavefront::choose_sweep_method(spec(), backend, resources_.device);
}

std::vector<run::StageMethod> WavefrontStage::methods() const {
  return stage_methods(wavefront::wavefront_methods(), method(), spec(), resources_.device);
}

nlohmann::json WavefrontStage::choices() const {
  return {{"method", method().name},
          {"devices", plan_->dealing().devices},
          {"seed_limits", plan_->seed_limits()},
          {"block_rows", spec().block_rows},
          {"block_columns", spec().block_columns},
          {"rows", spec().rows},
          {"columns", spec().columns},
          {"value", name_of(spec().value)},
          {"border", name_of(spec().border)},
          {"table", spec().table ? nlohmann::json(name_of(*spec().table)) : nlohmann::json(nullptr)},
          {"schedule", wavefront::name_of(spec().schedule)}};
}

}  // namespace terrace::stages
