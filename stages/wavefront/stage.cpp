#include "stages/wavefront/stage.hpp"

#include <algorithm>

#include "kernels/wavefront/in_place_problems.hpp"
#include "kernels/wavefront/schedule.hpp"
#include "stages/wavefront/blocks.hpp"
#include "stages/wavefront/costs.hpp"
#include "stages/wavefront/in_place_stage.hpp"
#include "stages/wavefront/letters.hpp"
#include "stages/wavefront/results.hpp"
#include "stages/wavefront/series.hpp"
#include "stages/wavefront/sweep_program.hpp"
#include "stages/wavefront/types.hpp"

namespace terrace::stages {
namespace {

using wavefront::Items;
using wavefront::ProblemInfo;
using wavefront::SweepSpec;

std::shared_ptr<io::Source> sequence(const Request& request, const std::string& parameter, Side side) {
  const Settings& settings = request.stage.settings;
  const std::string& name = settings.text(parameter);
  std::shared_ptr<io::Source> source = request.array(name);
  if (source->type() != ElementType::u8 || source->shape().rank() != 1) {
    refuse(request.stage, parameter,
           "'" + name + "' is an array of " + std::string(name_of(source->type())) + " (" +
               to_string(source->shape()) +
               "); a sequence is a one-dimensional array of letters (u8), as from a FASTA file");
  }
  const std::string alphabet = alphabet_of(settings);
  const std::string& ambiguous = settings.text("ambiguous");
  return io::translate(std::move(source), letter_codes(alphabet, ambiguous, side), name,
                       letter_error(alphabet, ambiguous));
}

class WavefrontStage : public run::Stage {
 public:
  WavefrontStage(const Request& request, SweepSpec spec, const ProblemInfo& problem, const WavefrontInputs& inputs)
      : name_(request.stage.name),
        resources_(request.resources),
        need_(need_of(spec, problem)),
        program_(std::make_unique<SweepProgram>(std::move(spec), problem, inputs)) {}

  static TableNeed need_of(const SweepSpec& spec, const ProblemInfo& problem) {
    TableNeed need;
    need.rows = spec.rows;
    need.columns = spec.columns;
    if (spec.table) need.table_bytes = static_cast<std::int64_t>(size_of(*spec.table));
    if (problem.items == Items::grid) need.grid_bytes = static_cast<std::int64_t>(size_of(spec.grid));
    if (problem.items == Items::values) need.item_bytes = static_cast<std::int64_t>(size_of(spec.value));
    const BorderPlanes planes = border_planes(spec);
    need.border_bytes = std::max(planes.row, planes.column) * static_cast<std::int64_t>(size_of(spec.border));
    return need;
  }

  run::Program& program() override { return *program_; }

  io::DatasetSpec dataset(int) const override {
    std::vector<std::string> dimensions{"row", "column"};
    if (program_->problem().counts) dimensions.insert(dimensions.begin(), "bin");
    return {"/" + name_ + "/table", {}, {}, dimensions, "", long_name(program_->problem(), "table")};
  }

  std::vector<io::SmallDataset> small() const override {
    if (program_->problem().counts) return {edge_results(name_, program_->spec())};
    if (program_->problem().items == Items::grid) return {};
    return score_results(name_, program_->spec(), program_->problem(), program_->score());
  }

  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    return predict(program_->spec(), program_->blocks(), need_, resources_);
  }

  nlohmann::json choices() const override {
    const SweepSpec& spec = program_->spec();
    return {{"block_rows", spec.block_rows},
            {"block_columns", spec.block_columns},
            {"rows", spec.rows},
            {"columns", spec.columns},
            {"value", name_of(spec.value)},
            {"border", name_of(spec.border)},
            {"table", spec.table ? nlohmann::json(name_of(*spec.table)) : nlohmann::json(nullptr)},
            {"schedule", wavefront::name_of(spec.schedule)}};
  }

 private:
  std::string name_;
  Resources resources_;
  TableNeed need_;
  std::unique_ptr<WavefrontProgram> program_;
};

}  // namespace

std::unique_ptr<run::Stage> make_wavefront(const Request& request) {
  if (wavefront::find_in_place(request.stage.problem) != nullptr) return make_in_place(request);
  const ProblemInfo& problem = *wavefront::find_problem(request.stage.problem);
  WavefrontInputs inputs;
  SweepSpec spec;
  spec.problem = request.stage.problem;
  spec.settings = request.stage.settings;
  spec.schedule = *wavefront::schedule_from(request.stage.settings.text("schedule"));
  if (problem.items == Items::grid) {
    inputs.grid = request.array(request.stage.settings.text("grid"));
    if (inputs.grid->shape().rank() != 2) {
      refuse(request.stage, "grid",
             "'" + request.stage.settings.text("grid") + "' has " + std::to_string(inputs.grid->shape().rank()) +
                 " dimensions; a grid has two (rows and columns)");
    }
    spec.rows = inputs.grid->shape()[0];
    spec.columns = inputs.grid->shape()[1];
    spec.grid = inputs.grid->type();
    if (problem.counts) choose_count_types(request, spec);
    else choose_sum_types(request, spec);
  } else if (problem.items == Items::values) {
    const SeriesPair series = open_series(request, spec);
    inputs.rows = series.rows;
    inputs.columns = series.columns;
  } else {
    inputs.rows = sequence(request, "rows", Side::rows);
    inputs.columns = sequence(request, "columns", Side::columns);
    spec.rows = inputs.rows->shape()[0];
    spec.columns = inputs.columns->shape()[0];
    choose_score_types(request, spec);
  }
  spec.block_rows = std::max<std::int64_t>(1, spec.rows);
  spec.block_columns = std::max<std::int64_t>(1, spec.columns);
  if (request.choices != nullptr) {
    spec.block_rows = request.choices->at("block_rows");
    spec.block_columns = request.choices->at("block_columns");
    spec.value = *element_type_from(request.choices->at("value").get<std::string>());
    spec.border = *element_type_from(request.choices->at("border").get<std::string>());
  } else {
    const TableNeed need = WavefrontStage::need_of(spec, problem);
    const auto workspace = [&](const BlockShape& block) -> std::int64_t {
      if (!request.resources.cuda) return 0;
      SweepSpec cut = spec;
      cut.block_rows = block.rows;
      cut.block_columns = block.columns;
      return static_cast<std::int64_t>(wavefront::cuda_workspace_bytes(cut, request.resources.device));
    };
    const BlockShape shape = choose_blocks(need, request.resources, workspace);
    spec.block_rows = shape.rows;
    spec.block_columns = shape.columns;
  }
  return std::make_unique<WavefrontStage>(request, std::move(spec), problem, inputs);
}

}  // namespace terrace::stages
