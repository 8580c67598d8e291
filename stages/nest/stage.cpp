#include "stages/nest/stage.hpp"

#include <algorithm>
#include <utility>

#include "kernels/nest/elements.hpp"
#include "stages/cell_compiler.hpp"
#include "stages/nest/analysis.hpp"
#include "stages/nest/cut.hpp"
#include "stages/nest/definition.hpp"
#include "stages/nest/plan.hpp"
#include "stages/nest/sweeps.hpp"
#include "stages/nest/swept_stage.hpp"
#include "stages/nest/tally.hpp"
#include "stages/nest/words.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

using nest::Array;

class NestStage : public run::Stage {
 public:
  /// @param sweeps that do not compute it
  NestStage(const Request& request, NestDefinition definition, NestSweeps sweeps, std::vector<std::int64_t> sides,
            const nest::NestMethod& method, Dealing dealing)
      : name_(request.stage.name),
        settings_(request.stage.settings),
        resources_(request.resources),
        sweeps_(std::move(sweeps)),
        plan_(std::move(definition), std::move(sides), method, std::move(dealing)),
        tally_(plan_) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int number) const override {
    const NestDataset* dataset = plan_.dataset(number);
    if (dataset == nullptr) return {};
    const Array& array = array_of(*dataset);
    const std::string keep = dataset->is_table ? "table" : "last";
    const auto rank = static_cast<std::size_t>(plan_.arrays()[static_cast<std::size_t>(number)].shape.rank());
    std::vector<std::string> dimensions;
    for (std::size_t axis = dataset->box.size() - rank; axis < dataset->box.size(); ++axis) {
      dimensions.push_back(array.name + "_" + plan_.spec().nest->loops[array.first_loop + axis].name);
    }
    return {path(dataset_of(settings_, array.name, keep)),
            {},
            {},
            dimensions,
            "",
            dataset->is_table      ? "all elements of " + array.name
            : array.first_loop > 0 ? array.name + " after all iterations"
                                   : "last slice of " + array.name};
  }

  std::vector<io::SmallDataset> small() const override {
    std::vector<io::SmallDataset> all;
    for (std::size_t n = 0; n < plan_.spec().nest->arrays.size(); ++n) {
      const Array& array = plan_.spec().nest->arrays[n];
      const nest::Kept& kept = plan_.spec().kept[n];
      if (kept.corner) all.push_back(one_value(array, array.name + "_corner", tally_.corner(n), "last element of "));
      if (kept.best == 0) continue;
      const nest::BestElement& best = tally_.best(n);
      all.push_back(one_value(array, array.name + "_best", best.value,
                              kept.best > 0 ? "largest element of " : "least element of "));
      const std::vector<std::int64_t> at(best.at, best.at + array.box.size());
      all.push_back(
          io::small_dataset<std::int64_t>(path(array.name + "_best_at"), {static_cast<std::int64_t>(at.size())},
                                          {array.name + "_dimension"}, at, "", "subscripts of the best element"));
    }
    return all;
  }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    const nest::NestSpec& spec = plan_.spec();
    run::Prediction p;
    p.blocks = plan_.blocks();
    p.unit = "cell";
    p.operations = spec.nest->cells();
    p.operations_per_second = 1 / method().cost(spec, resources_.device).seconds;
    if (const int devices = plan_.devices(resources_.devices); devices > 1) {
      p.operations_per_second = p.operations / dealt_nest_seconds(plan_, resources_, devices);
    }
    for (const run::ArraySpec& array : plan_.arrays()) {
      double bytes = static_cast<double>(size_of(array.type));
      for (const std::int64_t extent : array.shape) bytes *= static_cast<double>(extent);
      if (array.role == run::Role::input) p.bytes_read += bytes;
      if (array.role == run::Role::result) p.bytes_written += bytes;
    }
    for (const std::int64_t side : plan_.sides())
      p.block_shape += (p.block_shape.empty() ? "" : " x ") + std::to_string(side);
    p.block_bytes = static_cast<std::size_t>(plan_.block_memory().block);
    p.workspace_bytes = method().workspace(spec, resources_.device);
    return p;
  }

  std::vector<run::StageMethod> methods() const override {
    return nest_methods_for(plan_.definition(), sweeps_, &method(), resources_);
  }

  std::vector<std::string> warnings() const override { return plan_.compiled_method().warnings(name_); }

  std::vector<std::string> analysis() const override {
    const bool is_balanced = plan_.spec().skew.is_balanced;
    return nest_analysis(plan_.definition(), std::string("wavefronts along ") +
                                                 (is_balanced ? "the first row" : "the sum of the rows") +
                                                 ", the last row is marched");
  }

  nlohmann::json choices() const override {
    return {{"method", run::method_of(*this)}, {"sides", plan_.sides()}, {"devices", plan_.dealing().devices}};
  }

 private:
  std::string path(const std::string& name) const { return "/" + name_ + "/" + name; }
  const Array& array_of(const NestDataset& dataset) const {
    return plan_.spec().nest->arrays[static_cast<std::size_t>(dataset.array)];
  }
  const nest::NestMethod& method() const { return plan_.method(); }
  io::SmallDataset one_value(const Array& array, const std::string& name, const nest::Word& word,
                             const std::string& meaning) const {
    return dispatch(array.type, [&](auto zero) {
      using T = decltype(zero);
      const T value = std::is_floating_point_v<T> ? static_cast<T>(word.real) : static_cast<T>(word.whole);
      return io::small_scalar<T>(path(name), value, "", meaning + array.name);
    });
  }

  std::string name_;
  Settings settings_;
  Resources resources_;
  NestSweeps sweeps_;
  NestPlan plan_;
  NestTally tally_;
};

}  // namespace

std::unique_ptr<run::Stage> make_nest(const Request& request) {
  NestDefinition definition = define_nest(request);
  definition.spec.compiler = cell_compiler(request.resources);
  const nest::NestMethod& method = method_for(request, nest::nest_methods(), "auto", definition.spec);
  NestSweeps sweeps = sweeps_of_nest(request, definition);
  if (takes_sweeps(request, definition, sweeps, method)) {
    return make_swept_nest(request, std::move(definition), std::move(sweeps));
  }
  std::vector<std::int64_t> sides;
  Dealing dealing;
  if (request.choices != nullptr) {
    sides = request.choices->at("sides").get<std::vector<std::int64_t>>();
    dealing.devices = request.choices->value("devices", std::int64_t{1});
  } else {
    sides = choose_nest_sides(request, definition, method);
    dealing = deal_nest(request.resources, definition, method, sides);
  }
  return std::make_unique<NestStage>(request, std::move(definition), std::move(sweeps), std::move(sides), method,
                                     std::move(dealing));
}

}  // namespace terrace::stages
