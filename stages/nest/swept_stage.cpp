#include "stages/nest/swept_stage.hpp"

#include <utility>

#include "stages/in_place/plan.hpp"
#include "stages/in_place/prediction.hpp"
#include "stages/in_place/tally.hpp"
#include "stages/nest/analysis.hpp"
#include "stages/nest/words.hpp"

namespace terrace::stages {
namespace {

class SweptNestStage final : public run::Stage {
 public:
  SweptNestStage(const Request& request, NestDefinition definition, NestSweeps sweeps)
      : resources_(request.resources),
        definition_(std::move(definition)),
        sweeps_(std::move(sweeps)),
        plan_(*sweeps_.method, sweeps_.spec, sweeps_.sweeps, sweeps_.grid, sweeps_.why_not),
        path_("/" + request.stage.name + "/" + dataset_of(request.stage.settings, array().name, "last")) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int) const override {
    std::vector<std::string> dimensions;
    for (std::size_t loop = array().first_loop; loop < definition_.spec.nest->depth(); ++loop)
      dimensions.push_back(array().name + "_" + definition_.spec.nest->loops[loop].name);
    return {path_, {}, {}, dimensions, "", array().name + " after all iterations"};
  }
  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override { return predict_in_place(plan_, resources_); }
  std::vector<run::StageMethod> methods() const override {
    return nest_methods_for(definition_, sweeps_, nullptr, resources_);
  }
  std::vector<std::string> analysis() const override {
    return nest_analysis(definition_, "swept in place, bands of rows behind one another");
  }
  nlohmann::json choices() const override {
    nlohmann::json all = plan_.choices();
    all["method"] = run::method_of(*this);
    return all;
  }

 private:
  const nest::Array& array() const { return definition_.spec.nest->arrays.front(); }

  Resources resources_;
  NestDefinition definition_;
  NestSweeps sweeps_;
  InPlacePlan plan_;
  std::string path_;
  InPlaceTally tally_;
};

}  // namespace

std::unique_ptr<run::Stage> make_swept_nest(const Request& request, NestDefinition definition, NestSweeps sweeps) {
  return std::make_unique<SweptNestStage>(request, std::move(definition), std::move(sweeps));
}

}  // namespace terrace::stages
