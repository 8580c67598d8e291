#include "stages/wavefront/alignment/stage.hpp"

#include "kernels/wavefront/methods.hpp"
#include "kernels/wavefront/tile_sizes.hpp"
#include "stages/wavefront/alignment/bit_tally.hpp"
#include "stages/wavefront/alignment/bit_worker.hpp"
#include "stages/wavefront/alignment/tally.hpp"
#include "stages/wavefront/alignment/worker.hpp"
#include "stages/wavefront/costs.hpp"
#include "stages/wavefront/results.hpp"
#include "stages/wavefront/stage.hpp"
#include "stages/wavefront/types.hpp"

namespace terrace::stages {
namespace {

using wavefront::SweepSpec;

nlohmann::json json_of(const AlignmentLevels& levels) {
  nlohmann::json json = nlohmann::json::array();
  for (const AlignmentLevel& level : levels) {
    json.push_back(
        {level.rows, level.columns, level.cell_rows, level.cell_columns, level.block_rows, level.block_columns});
  }
  return json;
}

AlignmentLevels levels_from(const nlohmann::json& json) {
  AlignmentLevels levels;
  for (const auto& level : json) {
    levels.push_back({level.at(0), level.at(1), level.at(2), level.at(3), level.at(4), level.at(5)});
  }
  return levels;
}

std::size_t workspace_bytes(const Resources& resources, const SweepSpec& spec, const AlignmentLevels& levels) {
  if (!resources.cuda) return 0;
  const AlignmentWorkspace workspace = alignment_workspace(spec, levels, resources.device);
  return workspace.sweep + workspace.walk;
}

/// Results that all alignments have. @tparam Tally has alignment()
template <class Tally>
class PathStage : public WavefrontStage {
 public:
  PathStage(const Request& request, std::unique_ptr<WavefrontPlan> plan, std::unique_ptr<Tally> tally)
      : WavefrontStage(request, std::move(plan), std::move(tally)),
        resources_(request.resources),
        rows_(sequence_name(request, "rows")),
        columns_(sequence_name(request, "columns")) {}

  std::vector<io::SmallDataset> small() const override {
    std::vector<io::SmallDataset> results = WavefrontStage::small();
    const std::vector<io::SmallDataset> more = alignment_results(name(), spec(), problem(), folded().score(),
                                                                 static_cast<const Tally&>(folded()).alignment());
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
  std::string rows_, columns_;
};

class AlignmentStage : public PathStage<AlignmentTally> {
 public:
  AlignmentStage(const Request& request, std::unique_ptr<AlignmentPlan> plan, std::unique_ptr<AlignmentTally> tally,
                 AlignmentLevels levels)
      : PathStage(request, std::move(plan), std::move(tally)), levels_(std::move(levels)) {}

  run::Prediction prediction() const override {
    run::Prediction prediction = WavefrontStage::prediction();
    add_way_back(way_back(levels_), resources().cuda, prediction);
    prediction.block_bytes = static_cast<std::size_t>(block_bytes(table_need(spec(), resources().cuda), levels_));
    prediction.workspace_bytes = workspace_bytes(resources(), spec(), levels_);
    return prediction;
  }

  nlohmann::json choices() const override {
    nlohmann::json choices = WavefrontStage::choices();
    choices["levels"] = json_of(levels_);
    return choices;
  }

 private:
  AlignmentLevels levels_;
};

/// With lines that are kept in differences.
class BitAlignmentStage : public PathStage<BitAlignmentTally> {
 public:
  BitAlignmentStage(const Request& request, std::unique_ptr<BitAlignmentPlan> plan,
                    std::unique_ptr<BitAlignmentTally> tally, const BitAlignmentCut& cut)
      : PathStage(request, std::move(plan), std::move(tally)), cut_(cut) {}

  run::Prediction prediction() const override {
    const bool cuda = resources().cuda;
    const TableNeed need = table_need(spec(), cuda);
    run::Prediction prediction = WavefrontStage::prediction();
    add_bit_way_back(way_back(need, cut_, cuda), cuda, prediction);
    const std::size_t walk = bit_walk_bytes(spec(), cut_, cuda);
    prediction.block_bytes = static_cast<std::size_t>(block_bytes(need, cut_));
    (cuda ? prediction.workspace_bytes : prediction.block_bytes) += walk;
    return prediction;
  }

  nlohmann::json choices() const override {
    nlohmann::json choices = WavefrontStage::choices();
    choices["cells"] = {cut_.cell_rows, cut_.cell_columns};
    return choices;
  }

 private:
  BitAlignmentCut cut_;
};

std::unique_ptr<run::Stage> make_bit_alignment(const Request& request, const SweepSpec& whole,
                                               const WavefrontInputs& inputs) {
  const Resources& resources = request.resources;
  BitAlignmentCut cut;
  if (const nlohmann::json* made = request.choices) {
    cut = {made->at("cells")[0], made->at("cells")[1], made->at("block_rows"), made->at("block_columns")};
  } else {
    cut = choose_bit_cut(table_need(whole, resources.cuda), resources, [&](const BitAlignmentCut& tried) {
      std::size_t bytes = bit_walk_bytes(whole, tried, resources.cuda);
      if (resources.cuda) {
        bytes += wavefront::sweep_workspace_bytes(bit_sweep(whole, tried), device::Backend::cuda, resources.device);
      }
      return static_cast<std::int64_t>(bytes);
    });
  }
  const SweepSpec spec = bit_sweep(whole, cut);
  auto plan = std::make_unique<BitAlignmentPlan>(spec, inputs, Widening::least_of(spec, resources));
  auto tally = std::make_unique<BitAlignmentTally>(*plan);
  return std::make_unique<BitAlignmentStage>(request, std::move(plan), std::move(tally), cut);
}

/// Deals the sweep over the table to several devices, in blocks that are whole cells of the first level.
Dealing deal_table(const Request& request, const SweepSpec& spec, AlignmentLevels& levels) {
  const Resources& resources = request.resources;
  const TableNeed need = table_need(spec, resources.cuda);
  const AlignmentLevel& first = levels.front();
  const auto cut = [&](const SweepSpec& strips) {
    AlignmentLevels made = levels;
    made.front().block_rows = strips.block_rows;
    made.front().block_columns = strips.block_columns;
    return made;
  };
  SweepSpec strips = table_sweep(spec, levels);
  strips.cell_rows = first.cell_rows < first.rows ? first.cell_rows : 0;
  strips.cell_columns = first.cell_columns < first.columns ? first.cell_columns : 0;
  const StripUnits units{first.cell_rows, first.cell_columns};
  const Dealing dealing = deal_strips(strips, units, resources, [&](const SweepSpec& tried) {
    const AlignmentLevels made = cut(tried);
    const std::int64_t bytes = strips_bytes(need, made);
    const auto beside = static_cast<std::int64_t>(workspace_bytes(resources, tried, made));
    return blocks_are_grids(made) && bytes + beside <= static_cast<std::int64_t>(resources.device_budget) &&
           bytes <= static_cast<std::int64_t>(resources.host_budget);
  });
  if (dealing.devices > 1) levels = cut(strips);
  return dealing;
}

}  // namespace

std::unique_ptr<run::Stage> make_alignment(const Request& request, SweepSpec spec, const WavefrontInputs& inputs) {
  const auto problem = wavefront::description_of(spec);
  if (!problem->traceable) {
    refuse(request.stage, "keep", "the paths of " + spec.problem + " cannot be followed: say `keep: score`");
  }
  if (!wavefront::in_tiles(spec) && problem->bits) {
    return make_bit_alignment(request, spec, inputs);
  }
  AlignmentLevels levels;
  if (request.choices != nullptr) {
    levels = levels_from(request.choices->at("levels"));
  } else {
    const bool inside = !wavefront::in_tiles(spec);
    levels = choose_levels(table_need(spec, request.resources.cuda), request.resources, inside,
                           [&](const AlignmentLevels& tried) {
                             return static_cast<std::int64_t>(workspace_bytes(request.resources, spec, tried));
                           });
  }
  WavefrontInputs dealt = inputs;
  if (request.choices == nullptr) dealt.dealing = deal_table(request, spec, levels);
  else dealt.dealing.devices = request.choices->value("devices", std::int64_t{1});
  spec.by_strips = dealt.dealing.devices > 1;
  auto plan = std::make_unique<AlignmentPlan>(table_sweep(std::move(spec), levels), dealt, levels);
  auto tally = std::make_unique<AlignmentTally>(*plan);
  return std::make_unique<AlignmentStage>(request, std::move(plan), std::move(tally), std::move(levels));
}

}  // namespace terrace::stages
