#include "stages/recursive/closures/transitive_closure_stage.hpp"

#include <algorithm>

#include "kernels/recursive/problems.hpp"
#include "stages/recursive/closures/edges.hpp"
#include "stages/recursive/closures/tally.hpp"
#include "stages/recursive/measured.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/recursive/tiles.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

class TransitiveClosureStage : public run::Stage {
 public:
  TransitiveClosureStage(const Request& request, std::unique_ptr<ClosurePlan> plan)
      : name_(request.stage.name), resources_(request.resources), plan_(std::move(plan)), tally_(*plan_) {}

  const run::Plan& plan() const override { return *plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int) const override {
    const bool packed = plan_->cut().spec.table == recursive::Table::packed_bits;
    return {"/" + name_ + "/closure",
            {},
            {},
            {"from", packed ? "byte" : "to"},
            "",
            packed ? "bit j % 8 of byte j / 8 says whether node j is reached" : "1: the node is reached"};
  }

  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    const ClosureCut& cut = plan_->cut();
    const auto n = static_cast<double>(cut.nodes);
    run::Prediction p;
    p.blocks = plan_->updates();
    p.operations = n * n * n;
    p.unit = "cell";
    set_rates(p, cost_of(updates(), resources_), cut.spec, resources_);
    const double table = n * n / 8, closure = cut.spec.table == recursive::Table::bits ? n * n : table;
    const auto block = static_cast<double>(block_bytes(cut.spec, cut.tile));
    set_traffic(p, {table, block, plan_->across(), cut.ways}, {table, closure}, plan_->lines(), resources_);
    set_devices(p, plan_->lines(), resources_);
    set_blocks(p, cut.spec, cut.tile, resources_);
    return p;
  }

  std::vector<run::StageMethod> methods() const override { return methods_of(updates(), resources_); }

  nlohmann::json choices() const override {
    const ClosureCut& cut = plan_->cut();
    return {{"method", run::method_of(*this)}, {"tile", cut.tile}, {"nodes", cut.nodes}, {"ways", cut.ways}};
  }

 private:
  recursive::UpdateSpec updates() const {
    return {plan_->cut().spec, recursive::Form::transitive_closure, plan_->cut().tile};
  }

  std::string name_;
  Resources resources_;
  std::unique_ptr<ClosurePlan> plan_;
  ClosureTally tally_;
};

}  // namespace

std::unique_ptr<run::Stage> make_transitive_closure(const Request& request) {
  const Settings& settings = request.stage.settings;
  const std::string& name = settings.text("matrix");
  const std::shared_ptr<io::Source> matrix = open_square_matrix(request);
  ClosureCut cut;
  cut.spec.semiring = recursive::find_problem(request.stage.problem)->semiring;
  cut.spec.value = ElementType::u32;
  cut.spec.table = settings.flag("packed") ? recursive::Table::packed_bits : recursive::Table::bits;
  cut.nodes = matrix->shape()[0];
  if (request.choices != nullptr) {
    cut.tile = request.choices->at("tile");
    cut.ways = request.choices->at("ways").get<std::vector<std::int64_t>>();
  } else {
    cut.tile = choose_tile(cut.nodes, cut.spec, request.resources);
    const std::int64_t across = (cut.nodes + cut.tile - 1) / cut.tile;
    cut.ways = choose_ways(settings.text("schedule"), across, cut.tile, 1, request.resources);
  }
  auto bits = edge_bits(matrix, label_of(request.stage, "matrix"), no_edge_of(request, *matrix));
  return std::make_unique<TransitiveClosureStage>(
      request, std::make_unique<ClosurePlan>(std::move(cut), std::move(bits), name));
}

}  // namespace terrace::stages
