#include "stages/dp_table/stage.hpp"

#include <algorithm>
#include <utility>

#include "kernels/dp_table/methods.hpp"
#include "stages/dp_table/bounded/stage.hpp"
#include "stages/dp_table/cut.hpp"
#include "stages/dp_table/dealing.hpp"
#include "stages/dp_table/definition.hpp"
#include "stages/dp_table/plan.hpp"
#include "stages/dp_table/seconds.hpp"
#include "stages/dp_table/tally.hpp"
#include "stages/dp_table/values.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

std::int64_t workspace_of(const dp_table::Table& table, const Resources& resources) {
  const dp_table::TableSpec spec{table, false};
  return static_cast<std::int64_t>(
      table_method(spec, resources.backend(), resources.device).workspace(spec, resources.device));
}

class DpTableStage : public run::Stage {
 public:
  DpTableStage(const Request& request, TableDefinition definition, Dealing dealing)
      : name_(request.stage.name),
        type_place_(place_of(request.stage, "type")),
        resources_(request.resources),
        plan_(std::move(definition), std::move(dealing)),
        tally_(plan_) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int array) const override {
    const run::ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(array)];
    std::vector<std::string> dimensions;
    for (int d = 0; d < spec.shape.rank(); ++d) dimensions.push_back("dimension_" + std::to_string(d));
    const bool choice = spec.name == "choice";
    return {path(spec.name),
            {},
            {},
            dimensions,
            "",
            choice ? "number of the first best step of each cell; -1: none" : "values of the cells",
            choice ? std::optional<std::int64_t>(-1) : std::nullopt};
  }

  std::vector<io::SmallDataset> small() const override {
    const TableFindings& found = tally_.findings();
    const std::vector<std::int32_t> solution(found.walked.rbegin(), found.walked.rend());
    return value_datasets(name_, plan_.definition(), found, solution);
  }
  std::vector<io::Attribute> attributes() const override { return {}; }

  std::vector<std::string> warnings() const override {
    return value_warnings(name_, type_place_, plan_.definition(), tally_.findings());
  }

  run::Prediction prediction() const override {
    const dp_table::Table& table = plan_.table();
    const auto element = static_cast<double>(size_of(table.type));
    const auto cells = static_cast<double>(*dp_table::cells_of(table.extents));
    // Passes over the cells, and steps that a cell takes in one.
    const bool by_steps = table.order == dp_table::Order::unordered;
    const auto passes = static_cast<double>(std::max<std::int64_t>(1, std::ssize(plan_.passes())));
    const auto steps = by_steps ? 1 : static_cast<double>(std::max<std::int64_t>(1, table.steps.count()));
    const dp_table::Tiles& tiles = plan_.tiles();
    const double stored = cells * element;
    const double live = stored * static_cast<double>(plan_.live_tiles()) / static_cast<double>(tiles.count());
    run::Prediction p;
    p.blocks = tiles.count() * (1 + std::ssize(plan_.passes()));
    p.unit = "cell";
    p.operations = cells * passes;
    const bool choice = plan_.definition().keeps_choice;
    const int devices = plan_.devices(resources_.devices);
    p.operations_per_second = p.operations / (devices > 1 ? dealt_table_seconds(table, choice, resources_, devices)
                                                          : table_seconds(table, choice, resources_));
    const double kept =
        (plan_.definition().keeps_table ? stored : 0) + (plan_.definition().keeps_choice ? 4 * cells : 0);
    // Several devices have memory together, through which the host's is spared.
    const double of_devices = devices > 1 ? devices * static_cast<double>(resources_.device_budget) : 0;
    const bool stays = live <= std::max(static_cast<double>(resources_.host_budget), of_devices);
    // A step reads each tile, and as much of others.
    const double read = by_steps ? 2 * passes * stored : read_of_other_tiles() * element;
    const double written = by_steps ? passes * stored : plan_.definition().keeps_table ? 0 : stored;
    p.bytes_read = stays ? 0 : read;
    p.bytes_written = kept + (stays ? 0 : written);
    if (resources_.cuda) {
      const bool stays_there = live <= std::max(static_cast<double>(resources_.device_budget), of_devices);
      p.bytes_up = stays_there ? 0 : read;
      p.bytes_down = stays_there ? kept : kept + passes * stored;
    }
    p.block_shape = to_string(tiles.shape());
    if (tiles.count() > 1) {
      const std::string last = std::to_string(table.cut.whole);
      p.block_shape += table.cut.whole == 0 ? ", cut along dimension 0" : ", cut along dimensions 0 to " + last;
      p.block_shape += devices > 1 ? " for several devices" : " to fit memory with what it reads";
    }
    p.block_bytes = static_cast<std::size_t>(table_block_bytes(table, plan_.definition().keeps_choice));
    p.workspace_bytes = static_cast<std::size_t>(workspace_of(table, resources_));
    p.link_waits = tiles.count() > 1 && 2 * p.block_bytes + p.workspace_bytes > resources_.device_budget;
    p.limit = devices * dp_table::look_up_limit(table.type, resources_.backend(), resources_.device) / steps;
    p.limit_kind = p.limit <= 0 ? "" : resources_.cuda ? "look-ups" : "operations";
    return p;
  }

  std::vector<run::StageMethod> methods() const override {
    const dp_table::TableSpec spec{plan_.table(), plan_.definition().keeps_choice};
    return stage_methods(dp_table::table_methods(), table_method(spec, resources_.backend(), resources_.device), spec,
                         resources_.device);
  }

  nlohmann::json choices() const override {
    const dp_table::Table& table = plan_.table();
    return {{"method", run::method_of(*this)},
            {"whole", table.cut.whole},
            {"rows", table.cut.rows},
            {"devices", plan_.dealing().devices},
            {"type", name_of(table.type)}};
  }

 private:
  std::string path(const std::string& name) const { return "/" + name_ + "/" + name; }

  /// Cells that blocks read of other tiles, if none of them stays in memory; the inner tiles stand for all.
  double read_of_other_tiles() const {
    const dp_table::Table& table = plan_.table();
    const dp_table::Tiles& tiles = plan_.tiles();
    if (tiles.count() == 1) return 0;
    double cells = 0;
    const std::int64_t sample = std::min<std::int64_t>(tiles.count(), 4096);
    const auto sources = dp_table::sources_of(table);
    for (std::int64_t number = 0; number < sample; ++number) {
      const std::int64_t tile = number * (tiles.count() / sample);
      for (std::size_t source = 0; source < sources.size(); ++source) {
        cells += static_cast<double>(volume(tiles.read(tile, sources[source], source == 0).shape()));
      }
    }
    return cells * static_cast<double>(tiles.count()) / static_cast<double>(sample);
  }

  std::string name_;
  Place type_place_;
  Resources resources_;
  TablePlan plan_;
  TableTally tally_;
};

}  // namespace

std::unique_ptr<run::Stage> make_dp_table(const Request& request) {
  TableDefinition definition = define_table(request);
  if (definition.table.steps.is_bounded()) return make_bounded_table(request, std::move(definition));
  dp_table::Table& table = definition.table;
  Dealing dealing;
  if (request.choices != nullptr) {
    table.cut.whole = request.choices->at("whole");
    table.cut.rows = request.choices->at("rows");
    table.type = *element_type_from(request.choices->at("type").get<std::string>());
    dealing.devices = request.choices->value("devices", std::int64_t{1});
  } else {
    const auto workspace = [&](const dp_table::Table& cut) { return workspace_of(cut, request.resources); };
    choose_table_cut(table, definition.keeps_choice, request.resources, workspace);
    dealing = deal_table_tiles(table, definition.keeps_choice, request.resources, workspace);
  }
  return std::make_unique<DpTableStage>(request, std::move(definition), std::move(dealing));
}

}  // namespace terrace::stages
