#include "stages/wavefront/alignment/stage.hpp"

#include "io/record_name.hpp"
#include "kernels/wavefront/tile_sizes.hpp"
#include "stages/wavefront/alignment/bit_program.hpp"
#include "stages/wavefront/alignment/program.hpp"
#include "stages/wavefront/costs.hpp"
#include "stages/wavefront/results.hpp"
#include "stages/wavefront/types.hpp"

namespace terrace::stages {
namespace {

using wavefront::ProblemInfo;
using wavefront::SweepSpec;

nlohmann::json json_of(const AlignmentPlan& plan) {
  nlohmann::json levels = nlohmann::json::array();
  for (const AlignmentLevel& level : plan.levels) {
    levels.push_back(
        {level.rows, level.columns, level.cell_rows, level.cell_columns, level.block_rows, level.block_columns});
  }
  return levels;
}

AlignmentPlan plan_from(const nlohmann::json& levels) {
  AlignmentPlan plan;
  for (const auto& level : levels) {
    plan.levels.push_back({level.at(0), level.at(1), level.at(2), level.at(3), level.at(4), level.at(5)});
  }
  return plan;
}

/// What the file calls the sequence, else what the job does.
std::string name_of(const Request& request, const std::string& parameter) {
  const std::string& input = request.stage.settings.text(parameter);
  const std::string name = io::record_name(*request.array(input));
  return name.empty() ? input : name;
}

std::size_t workspace_bytes(const Resources& resources, const SweepSpec& spec, const AlignmentPlan& plan) {
  if (!resources.cuda) return 0;
  const AlignmentWorkspace workspace = alignment_workspace(spec, plan, resources.device);
  return workspace.sweep + workspace.walk;
}

/// Results that all alignments have. @tparam Program has alignment()
template <class Program>
class PathStage : public WavefrontStage {
 public:
  PathStage(const Request& request, std::unique_ptr<Program> program)
      : WavefrontStage(request, std::unique_ptr<WavefrontProgram>(program.get())),
        resources_(request.resources),
        program_(*program.release()),
        rows_(name_of(request, "rows")),
        columns_(name_of(request, "columns")) {}

  std::vector<io::SmallDataset> small() const override {
    std::vector<io::SmallDataset> results = WavefrontStage::small();
    const std::vector<io::SmallDataset> more =
        alignment_results(name(), spec(), problem(), program_.score(), program_.alignment());
    results.insert(results.end(), more.begin(), more.end());
    return results;
  }

  std::vector<io::Attribute> attributes() const override {
    // The tag of a score in SAM and PAF: NM counts the letters that differ, AS is a score of an aligner's own.
    const bool distance = std::string_view(problem().name) == "edit_distance";
    return {{"/" + name(), "rows", rows_},
            {"/" + name(), "columns", columns_},
            {"/" + name(), "score_tag", std::string(distance ? "NM" : "AS")}};
  }

 protected:
  const Resources& resources() const { return resources_; }

 private:
  Resources resources_;
  Program& program_;
  std::string rows_, columns_;
};

class AlignmentStage : public PathStage<AlignmentProgram> {
 public:
  AlignmentStage(const Request& request, std::unique_ptr<AlignmentProgram> program, AlignmentPlan plan)
      : PathStage(request, std::move(program)), plan_(std::move(plan)) {}

  run::Prediction prediction() const override {
    run::Prediction prediction = WavefrontStage::prediction();
    add_way_back(way_back(plan_), resources().cuda, prediction);
    prediction.block_bytes =
        static_cast<std::size_t>(block_bytes(table_need(spec(), problem(), resources().cuda), plan_));
    prediction.workspace_bytes = workspace_bytes(resources(), spec(), plan_);
    return prediction;
  }

  nlohmann::json choices() const override {
    nlohmann::json choices = WavefrontStage::choices();
    choices["levels"] = json_of(plan_);
    return choices;
  }

 private:
  AlignmentPlan plan_;
};

/// With lines that are kept in differences.
class BitAlignmentStage : public PathStage<BitAlignmentProgram> {
 public:
  BitAlignmentStage(const Request& request, std::unique_ptr<BitAlignmentProgram> program,
                    const BitAlignmentPlan& plan)
      : PathStage(request, std::move(program)), plan_(plan) {}

  run::Prediction prediction() const override {
    const bool cuda = resources().cuda;
    const TableNeed need = table_need(spec(), problem(), cuda);
    run::Prediction prediction = WavefrontStage::prediction();
    add_bit_way_back(way_back(need, plan_, cuda), cuda, prediction);
    const std::size_t walk = bit_walk_bytes(spec(), plan_, cuda);
    prediction.block_bytes = static_cast<std::size_t>(block_bytes(need, plan_));
    (cuda ? prediction.workspace_bytes : prediction.block_bytes) += walk;
    return prediction;
  }

  nlohmann::json choices() const override {
    nlohmann::json choices = WavefrontStage::choices();
    choices["cells"] = {plan_.cell_rows, plan_.cell_columns};
    return choices;
  }

 private:
  BitAlignmentPlan plan_;
};

std::unique_ptr<run::Stage> make_bit_alignment(const Request& request, const SweepSpec& whole,
                                               const ProblemInfo& problem, const WavefrontInputs& inputs) {
  const Resources& resources = request.resources;
  BitAlignmentPlan plan;
  if (const nlohmann::json* made = request.choices) {
    plan = {made->at("cells")[0], made->at("cells")[1], made->at("block_rows"), made->at("block_columns")};
  } else {
    plan =
        plan_bit_alignment(table_need(whole, problem, resources.cuda), resources, [&](const BitAlignmentPlan& tried) {
          std::size_t bytes = bit_walk_bytes(whole, tried, resources.cuda);
          if (resources.cuda) bytes += wavefront::cuda_workspace_bytes(bit_sweep(whole, tried), resources.device);
          return static_cast<std::int64_t>(bytes);
        });
  }
  const SweepSpec spec = bit_sweep(whole, plan);
  auto program = std::make_unique<BitAlignmentProgram>(spec, problem, inputs, Widening::least_of(spec, resources));
  return std::make_unique<BitAlignmentStage>(request, std::move(program), plan);
}

}  // namespace

std::unique_ptr<run::Stage> make_alignment(const Request& request, SweepSpec spec, const ProblemInfo& problem,
                                           const WavefrontInputs& inputs) {
  if (!wavefront::is_traceable(spec.problem, spec.settings)) {
    refuse(request.stage, "keep", "the paths of " + spec.problem + " cannot be followed: say `keep: score`");
  }
  if (!wavefront::in_tiles(spec) && wavefront::has_bits(spec.problem, spec.settings)) {
    return make_bit_alignment(request, spec, problem, inputs);
  }
  AlignmentPlan plan;
  if (request.choices != nullptr) {
    plan = plan_from(request.choices->at("levels"));
  } else {
    const bool inside = !wavefront::in_tiles(spec);
    plan = plan_alignment(table_need(spec, problem, request.resources.cuda), request.resources, inside,
                          [&](const AlignmentPlan& tried) {
                            return static_cast<std::int64_t>(workspace_bytes(request.resources, spec, tried));
                          });
  }
  spec = table_sweep(std::move(spec), plan);
  auto program = std::make_unique<AlignmentProgram>(std::move(spec), problem, inputs, plan);
  return std::make_unique<AlignmentStage>(request, std::move(program), std::move(plan));
}

}  // namespace terrace::stages
