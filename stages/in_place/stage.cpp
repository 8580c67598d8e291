#include "stages/in_place/stage.hpp"

#include <algorithm>

#include "io/convert.hpp"
#include "kernels/in_place/methods.hpp"
#include "kernels/in_place/problems.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/in_place/measured.hpp"
#include "stages/in_place/plan.hpp"
#include "stages/in_place/prediction.hpp"
#include "stages/in_place/slabs.hpp"
#include "stages/in_place/tally.hpp"
#include "stages/refuse.hpp"
#include "stages/rounded_inputs.hpp"
#include "stages/stage_methods.hpp"
#include "stages/wavefront/one_schedule.hpp"

namespace terrace::stages {
namespace {

using in_place::InPlaceInfo;
using in_place::InPlaceMethod;
using in_place::InPlaceSpec;

const std::vector<Parameter> shared_parameters = {
    one_schedule,
    {"grid", ParameterKind::array, "the two-dimensional array, of numbers of any type"},
    {"sweeps", ParameterKind::count, "how often the grid is swept", "1", nullptr, 1, 1e15},
    {"boundary", ParameterKind::choice, "the first and last row and column keep their values", "fixed", "fixed"},
    {"type", ParameterKind::choice, "type of the cells; auto: the grid's own, f64 for a grid of integers", "auto",
     "auto, f32, f64"},
};

class InPlaceStage : public run::Stage {
 public:
  InPlaceStage(const Request& request, const InPlaceMethod& method, InPlaceSpec spec, std::int64_t sweeps,
               std::shared_ptr<io::Source> grid, std::string why_not)
      : name_(request.stage.name),
        resources_(request.resources),
        plan_(method, std::move(spec), sweeps, std::move(grid), std::move(why_not)) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int) const override {
    const std::string& problem = plan_.spec().problem;
    return {"/" + name_ + "/grid",
            {},
            {},
            {"row", "column"},
            "",
            "grid after the sweeps of " + problem + ": " + in_place::find_in_place(problem)->help};
  }

  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override { return predict_in_place(plan_, resources_); }

  std::vector<run::StageMethod> methods() const override {
    return stage_methods(in_place::in_place_methods(), plan_.method(), plan_.spec(), resources_.device);
  }

  nlohmann::json choices() const override { return plan_.choices(); }

 private:
  std::string name_;
  Resources resources_;
  InPlacePlan plan_;
  InPlaceTally tally_;
};

/// The sweeps to make. The rim keeps its values: if a grid has no cell inside it, one sweep is the same as all.
std::int64_t sweeps_of(const Settings& settings, const io::Source& grid) {
  constexpr std::int64_t rims = 2;
  const bool changes = grid.shape()[0] > rims && grid.shape()[1] > rims;
  return changes ? settings.integer("sweeps") : 1;
}

/// Opens the grid, converted to the type of cells.
std::shared_ptr<io::Source> open_grid(const Request& request) {
  const Settings& settings = request.stage.settings;
  const std::string& name = settings.text("grid");
  std::shared_ptr<io::Source> grid = request.array(name);
  refuse_no_rows(request.stage, "grid", name, *grid);
  const int rank = grid->shape().rank();
  if (rank != 2) {
    refuse(request.stage, "grid",
           "'" + name + "' has " + counted(rank, "dimension") + "; a grid has two (rows and columns)" +
               remedy_for_list(*grid));
  }
  constexpr std::int64_t longest_side = std::int64_t{1} << 50;
  constexpr double most_cells = 1e15;
  const std::int64_t rows = grid->shape()[0], columns = grid->shape()[1];
  if (std::max(rows, columns) > longest_side ||
      static_cast<double>(rows) * static_cast<double>(columns) > most_cells) {
    refuse(request.stage, "grid",
           "a grid of " + std::to_string(rows) + " x " + std::to_string(columns) +
               " cells is too large for any run: it has at most 10^15");
  }
  const std::string& type = settings.text("type");
  ElementType value = is_floating(grid->type()) ? grid->type() : ElementType::f64;
  if (type != "auto") value = *element_type_from(type);
  return io::convert(std::move(grid), value, rounded_of(request, "grid"));
}

}  // namespace

std::vector<job::ProblemDeclaration> declare_in_place() {
  std::vector<job::ProblemDeclaration> declarations;
  for (const InPlaceInfo& problem : in_place::in_place_problems()) {
    job::ProblemDeclaration declaration;
    declaration.name = problem.name;
    declaration.summary = problem.help;
    declaration.group = "in place";
    declaration.parameters = shared_parameters;
    declaration.parameters.insert(declaration.parameters.end(), problem.parameters.begin(), problem.parameters.end());
    declaration.outputs = {{"grid", "rows x columns", "the grid after the sweeps", job::Ties::none}};
    declaration.example = {"start: {generate: uniform, shape: [60, 80], type: f32, seed: 3}",
                           {"{grid: start, sweeps: 10}", "schedule: auto"}};
    declarations.push_back(std::move(declaration));
  }
  return declarations;
}

bool is_long_sweep(const job::Stage& stage, const std::function<const io::Source*(const std::string&)>& input) {
  if (in_place::find_in_place(stage.problem) == nullptr) return false;
  const io::Source* grid = input(stage.settings.text("grid"));
  if (grid == nullptr || grid->shape().rank() != 2) return false;
  const double cells = static_cast<double>(grid->shape()[0]) * static_cast<double>(grid->shape()[1]);
  return cells * static_cast<double>(stage.settings.integer("sweeps")) >= measured::CudaSlabs::least_dealt_cells;
}

std::unique_ptr<run::Stage> make_in_place(const Request& request) {
  const Settings& settings = request.stage.settings;
  std::shared_ptr<io::Source> grid = open_grid(request);
  const std::int64_t sweeps = sweeps_of(settings, *grid);
  InPlaceSpec spec;
  spec.problem = request.stage.problem;
  spec.settings = settings;
  spec.rows = grid->shape()[0];
  spec.columns = grid->shape()[1];
  spec.value = grid->type();
  const InPlaceMethod& method = method_for(request, in_place::in_place_methods(), "auto", spec);
  std::string why_not;
  if (request.choices != nullptr) {
    take_choices(*request.choices, spec);
  } else {
    why_not = choose_slabs(spec, sweeps, request.resources, [&](const InPlaceSpec& cut) {
      return static_cast<std::int64_t>(method.workspace(cut, request.resources.device));
    });
  }
  return std::make_unique<InPlaceStage>(request, method, std::move(spec), sweeps, std::move(grid),
                                        std::move(why_not));
}

}  // namespace terrace::stages
