#include "stages/dp_table/bounded/stage.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/units.hpp"
#include "stages/dp_table/bounded/plan.hpp"
#include "stages/dp_table/bounded/sizes.hpp"
#include "stages/dp_table/bounded/tally.hpp"
#include "stages/dp_table/values.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

class BoundedStage : public run::Stage {
 public:
  BoundedStage(const Request& request, TableDefinition definition, const BoundedSizes& sizes)
      : name_(request.stage.name),
        type_place_(place_of(request.stage, "type")),
        resources_(request.resources),
        plan_(std::move(definition), sizes),
        tally_(plan_) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int array) const override {
    std::vector<std::string> dimensions;
    for (int d = 0; d < plan_.definition().table.extents.rank(); ++d) {
      dimensions.push_back("dimension_" + std::to_string(d));
    }
    const std::string& name = plan_.arrays()[static_cast<std::size_t>(array)].name;
    return {"/" + name_ + "/" + name, {}, {}, dimensions, "", "values of the cells", std::nullopt};
  }
  std::vector<io::SmallDataset> small() const override {
    return value_datasets(name_, plan_.definition(), tally_.values(), tally_.solution());
  }
  std::vector<io::Attribute> attributes() const override { return {}; }
  std::vector<std::string> warnings() const override {
    return value_warnings(name_, type_place_, plan_.definition(), tally_.values());
  }

  run::Prediction prediction() const override {
    const dp_table::BoundedTable& table = plan_.table();
    const auto passes = static_cast<double>(table.passes.size());
    const auto phases = std::ceil(passes / static_cast<double>(plan_.sizes().passes));
    const auto bytes = static_cast<double>(table.elements) * static_cast<double>(size_of(table.stored));
    const double taken =
        plan_.definition().keeps_solution ? passes * static_cast<double>(table.taken_words()) * 8 : 0;
    const auto cells = static_cast<double>(table.elements * table.packed());
    run::Prediction p;
    p.unit = "cell";
    // The passes of a level are taken anew for the cells before the way back, for about half of all.
    const double times = 1 + static_cast<double>(plan_.sizes().way.levels) / 2;
    p.blocks = plan_.tiles() * (1 + static_cast<std::int64_t>(times * phases));
    p.operations = cells * passes * times;
    p.operations_per_second = 1 / method().cost(plan_.spec(), resources_.device).seconds;
    const bool stays = bytes + taken <= static_cast<double>(resources_.host_budget);
    const double kept = plan_.definition().keeps_table ? cells_bytes() : 0;
    p.bytes_read = stays ? 0 : phases * bytes;
    p.bytes_written = kept + (stays ? 0 : phases * bytes + taken);
    if (resources_.cuda) {
      const bool stays_there = bytes <= static_cast<double>(resources_.device_budget);
      p.bytes_up = stays_there ? 0 : phases * bytes;
      p.bytes_down = kept + taken + (stays_there ? 0 : phases * bytes);
    }
    p.block_shape = std::to_string(plan_.sizes().elements * table.packed()) + " cells, " +
                    std::to_string(plan_.sizes().passes) + " of " + std::to_string(table.passes.size()) +
                    " passes at a time";
    p.block_bytes = static_cast<std::size_t>(bounded_block_bytes(table, plan_.sizes(), plan_.definition()));
    p.workspace_bytes = method().workspace(plan_.spec(), resources_.device);
    return p;
  }

  std::vector<std::string> analysis() const override {
    if (!plan_.definition().keeps_solution) return {};
    const dp_table::BoundedTable& table = plan_.table();
    const BoundedSizes& sizes = plan_.sizes();
    const std::string bits = format_size(static_cast<double>(all_bits_bytes(table, sizes)));
    if (sizes.way.levels == 0)
      return {"the solution is found by a bit for each cell and pass: " + bits + " of scratch"};
    const std::int64_t kept = std::min<std::int64_t>(std::ssize(table.passes), sizes.way.leaf * sizes.passes);
    return {"the solution is found by divide and conquer, since scratch does not hold the " + bits +
            " of a bit for each cell and pass: bits of " + std::to_string(kept) + " of " +
            std::to_string(table.passes.size()) + " passes are kept at a time, and passes are taken up to " +
            std::to_string(sizes.way.levels + 1) + " times"};
  }
  std::vector<run::StageMethod> methods() const override {
    return stage_methods(dp_table::bounded_methods(), method(), plan_.spec(), resources_.device);
  }
  nlohmann::json choices() const override {
    const BoundedSizes& sizes = plan_.sizes();
    return {{"method", run::method_of(*this)}, {"type", name_of(plan_.definition().table.type)},
            {"elements", sizes.elements},      {"passes", sizes.passes},
            {"whole", sizes.cut.whole},        {"rows", sizes.cut.rows},
            {"way_levels", sizes.way.levels},  {"way_parts", sizes.way.parts},
            {"way_leaf", sizes.way.leaf}};
  }

 private:
  const dp_table::BoundedMethod& method() const { return bounded_method(plan_.spec(), resources_); }
  double cells_bytes() const {
    const dp_table::Table& table = plan_.definition().table;
    return static_cast<double>(*dp_table::cells_of(table.extents)) * static_cast<double>(size_of(table.type));
  }

  std::string name_;
  Place type_place_;
  Resources resources_;
  BoundedPlan plan_;
  BoundedTally tally_;
};

}  // namespace

std::unique_ptr<run::Stage> make_bounded_table(const Request& request, TableDefinition definition) {
  BoundedSizes sizes;
  if (request.choices != nullptr) {
    const nlohmann::json& choices = *request.choices;
    definition.table.type = *element_type_from(choices.at("type").get<std::string>());
    sizes = {choices.at("elements"),
             choices.at("passes"),
             {choices.at("whole"), choices.at("rows")},
             {choices.at("way_levels"), choices.at("way_parts"), choices.at("way_leaf")}};
  } else {
    sizes = choose_bounded_sizes(dp_table::BoundedTable(definition.table), definition, request.resources);
  }
  return std::make_unique<BoundedStage>(request, std::move(definition), sizes);
}

}  // namespace terrace::stages
