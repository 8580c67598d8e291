#include "stages/recursive/elimination/stage.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/recursive/problems.hpp"
#include "stages/recursive/blas_choice.hpp"
#include "stages/recursive/elimination/plan.hpp"
#include "stages/recursive/measured.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/recursive/tiles.hpp"
#include "stages/recursive/weights.hpp"
#include "stages/refuse.hpp"
#include "stages/rounded_inputs.hpp"

namespace terrace::stages {
namespace {

class EliminationStage : public run::Stage {
 public:
  EliminationStage(const Request& request, std::unique_ptr<EliminationPlan> plan)
      : name_(request.stage.name), resources_(request.resources), plan_(std::move(plan)), tally_(*plan_) {}

  const run::Plan& plan() const override { return *plan_; }
  run::Tally& tally() override { return tally_; }
  io::DatasetSpec dataset(int) const override {
    return {"/" + name_ + "/lu", {}, {},
            {"row", "column"},   "", "U, and below its diagonal L, whose own diagonal is 1"};
  }
  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    const EliminationCut& cut = plan_->cut();
    const auto n = static_cast<double>(cut.rows), element = static_cast<double>(size_of(cut.spec.value));
    run::Prediction p;
    p.blocks = plan_->updates();
    p.operations = n * n * n / 3;
    p.unit = "multiplication";
    set_product_rates(p, updates(), resources_);
    const double across = std::ceil(n / static_cast<double>(cut.tile));
    UpdatedTable table{n * n * element, static_cast<double>(block_bytes(cut.spec, cut.tile)),
                       static_cast<std::int64_t>(across), cut.ways};
    table.share = static_cast<double>(p.blocks) / std::max(1.0, across * across * across);
    set_traffic(p, table, {table.bytes, table.bytes}, plan_->lines(), resources_);
    set_devices(p, plan_->lines(), resources_);
    set_blocks(p, cut.spec, cut.tile, resources_);
    return p;
  }

  std::vector<run::StageMethod> methods() const override { return methods_of(updates(), resources_); }

  nlohmann::json choices() const override {
    const EliminationCut& cut = plan_->cut();
    nlohmann::json choices = {
        {"method", run::method_of(*this)}, {"tile", cut.tile}, {"rows", cut.rows}, {"ways", cut.ways}};
    note_blas(choices, cut.spec, resources_);
    return choices;
  }

 private:
  recursive::UpdateSpec updates() const {
    return {plan_->cut().spec, recursive::Form::elimination, plan_->cut().tile};
  }

  std::string name_;
  Resources resources_;
  std::unique_ptr<EliminationPlan> plan_;
  EliminationTally tally_;
};

}  // namespace

WeightRules elimination_rules(const Request& request) {
  WeightRules rules;
  rules.label = label_of(request.stage, "matrix");
  rules.zero_diagonal = false;
  rules.nothing = recursive::Nothing::zero;
  return rules;
}

std::unique_ptr<run::Stage> make_elimination(const Request& request) {
  const Settings& settings = request.stage.settings;
  const std::shared_ptr<io::Source> matrix = open_square_matrix(request);
  WeightRules rules = elimination_rules(request);
  rules.rounded = rounded_of(request, "matrix");
  const std::string& type = settings.text("type");
  EliminationCut cut;
  cut.spec.semiring = recursive::find_problem(request.stage.problem)->semiring;
  cut.spec.value = type != "input"               ? *element_type_from(type)
                   : is_floating(matrix->type()) ? matrix->type()
                                                 : ElementType::f64;
  cut.rows = matrix->shape()[0];
  choose_blas(cut.spec, request);
  if (request.choices != nullptr) {
    cut.tile = request.choices->at("tile");
    cut.ways = request.choices->at("ways").get<std::vector<std::int64_t>>();
  } else {
    cut.tile = choose_tile(cut.rows, cut.spec, request.resources);
    cut.ways = choose_ways(settings.text("schedule"), (cut.rows + cut.tile - 1) / cut.tile, cut.tile,
                           static_cast<std::int64_t>(size_of(cut.spec.value)), request.resources);
  }
  auto source = weights(matrix, cut.spec.value, rules);
  return std::make_unique<EliminationStage>(
      request, std::make_unique<EliminationPlan>(std::move(cut), std::move(source), rules.label.array));
}

}  // namespace terrace::stages
