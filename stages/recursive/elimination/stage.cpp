#include "stages/recursive/elimination/stage.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/recursive/problems.hpp"
#include "stages/recursive/blas_choice.hpp"
#include "stages/recursive/elimination/program.hpp"
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
  EliminationStage(const Request& request, std::unique_ptr<EliminationProgram> program)
      : name_(request.stage.name), resources_(request.resources), program_(std::move(program)) {}

  run::Program& program() override { return *program_; }
  io::DatasetSpec dataset(int) const override {
    return {"/" + name_ + "/lu", {}, {},
            {"row", "column"},   "", "U, and below its diagonal L, whose own diagonal is 1"};
  }
  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    const EliminationPlan& plan = program_->plan();
    const auto n = static_cast<double>(plan.rows), element = static_cast<double>(size_of(plan.spec.value));
    run::Prediction p;
    p.blocks = program_->updates();
    p.operations = n * n * n / 3;
    p.unit = "multiplication";
    set_product_rates(p, plan.spec, resources_);
    if (resources_.cuda) p.operations_per_second = plan.spec.value == ElementType::f32 ? 9e12 : 5.8e12;  // of an H200
    const double across = std::ceil(n / static_cast<double>(plan.tile));
    UpdatedTable table{n * n * element, static_cast<double>(block_bytes(plan.spec, plan.tile)),
                       static_cast<std::int64_t>(across), plan.ways};
    table.share = static_cast<double>(p.blocks) / std::max(1.0, across * across * across);
    set_traffic(p, table, {table.bytes, table.bytes}, resources_);
    set_blocks(p, plan.spec, plan.tile, resources_);
    return p;
  }

  nlohmann::json choices() const override {
    const EliminationPlan& plan = program_->plan();
    nlohmann::json choices = {{"tile", plan.tile}, {"rows", plan.rows}, {"ways", plan.ways}};
    note_blas(choices, plan.spec, resources_);
    return choices;
  }

 private:
  std::string name_;
  Resources resources_;
  std::unique_ptr<EliminationProgram> program_;
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
  EliminationPlan plan;
  plan.spec.semiring = recursive::find_problem(request.stage.problem)->semiring;
  plan.spec.value = type != "input"               ? *element_type_from(type)
                    : is_floating(matrix->type()) ? matrix->type()
                                                  : ElementType::f64;
  plan.rows = matrix->shape()[0];
  choose_blas(plan.spec, request);
  if (request.choices != nullptr) {
    plan.tile = request.choices->at("tile");
    plan.ways = request.choices->at("ways").get<std::vector<std::int64_t>>();
  } else {
    plan.tile = choose_tile(plan.rows, plan.spec, request.resources);
    plan.ways = choose_ways(settings.text("schedule"), (plan.rows + plan.tile - 1) / plan.tile, plan.tile,
                            static_cast<std::int64_t>(size_of(plan.spec.value)), request.resources);
  }
  auto source = weights(matrix, plan.spec.value, rules);
  return std::make_unique<EliminationStage>(
      request, std::make_unique<EliminationProgram>(std::move(plan), std::move(source), rules.label.array));
}

}  // namespace terrace::stages
