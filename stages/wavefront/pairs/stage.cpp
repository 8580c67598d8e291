#include "stages/wavefront/pairs/stage.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/pairs/methods.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"
#include "stages/wavefront/pairs/aligned_plan.hpp"
#include "stages/wavefront/pairs/definition.hpp"
#include "stages/wavefront/pairs/plan.hpp"
#include "stages/wavefront/pairs/results.hpp"
#include "stages/wavefront/pairs/tally.hpp"
#include "stages/wavefront/stage.hpp"

namespace terrace::stages {
namespace {

constexpr double seconds_of_block = 0.5;  // of a block of several pairs

/// The cheapest method that leaves half of the memory to blocks, or else that which takes the least.
const pairs::PairsMethod& method_for(const Request& request, const pairs::PairsSpec& spec) {
  const Resources& resources = request.resources;
  if (request.choices != nullptr) {
    const std::string name = request.choices->at("method");
    if (const auto* method = device::find_method(pairs::pairs_methods(), resources.backend(), name)) return *method;
  }
  const std::size_t budget = std::min(resources.host_budget, resources.device_budget) / 2;
  const pairs::PairsMethod *best = nullptr, *smallest = nullptr;
  double least = 0;
  for (const auto& rated :
       device::rate_methods(pairs::pairs_methods(), resources.backend(), spec, resources.device)) {
    if (!rated.unfit.empty()) continue;
    const auto bytes = [&](const pairs::PairsMethod* method) { return method->workspace(spec, resources.device); };
    if (smallest == nullptr || bytes(rated.method) < bytes(smallest)) smallest = rated.method;
    if (bytes(rated.method) > budget || (best != nullptr && rated.cost.seconds >= least)) continue;
    best = rated.method;
    least = rated.cost.seconds;
  }
  if (smallest == nullptr) return pairs::choose_pairs_method(spec, resources.backend(), resources.device);
  return best != nullptr ? *best : *smallest;
}

/// Bytes of results of a pair.
std::size_t result_bytes(const pairs::KeptSpec& spec) {
  if (spec.best > 0) return 0;
  return size_of(spec.stored) + (spec.pairs.ends ? sizeof(pairs::End) : 0);
}

/// Bytes in which alignments are computed.
std::size_t alignment_bytes(const PairsDefinition& definition, const Resources& resources) {
  if (!definition.aligns) return 0;
  return pairs::alignments_bytes(definition.spec.pairs, std::max(1, resources.device.processors));
}

/// Bytes of the hits of a row.
std::int64_t hit_bytes(const pairs::KeptSpec& spec) {
  return spec.best * static_cast<std::int64_t>(sizeof(pairs::i64) + size_of(spec.stored));
}

void add_alignments(const PairsDefinition& definition, const Resources& resources, PairsNeed& need) {
  const pairs::KeptSpec& spec = definition.spec;
  const std::int64_t rows = definition.sides.rows.count();
  need.most_aligned = std::max<std::int64_t>(1, spec.best > 0 ? rows * spec.best : definition.entries.count());
  need.aligned_together = spec.best > 0 && !definition.sides.rows.single ? spec.best : 1;
  need.aligned_bytes = pairs::most_cigar_bytes(spec.pairs.longest_row, spec.pairs.longest_column) +
                       static_cast<std::int64_t>(9 * sizeof(pairs::i64));
  need.workspace += static_cast<std::int64_t>(alignment_bytes(definition, resources));
}

PairsNeed need_of(const PairsDefinition& definition, const Resources& resources) {
  const pairs::KeptSpec& spec = definition.spec;
  const pairs::PairsMethod& method = *definition.method;
  PairsNeed need{definition.sides, definition.entries};
  need.row_bytes = hit_bytes(spec);
  need.most_rows = spec.counts ? pairs::most_counted_rows : definition.sides.rows.count();
  need.pair_bytes = static_cast<std::int64_t>(result_bytes(spec) + pairs::kept_bytes(spec, 1));
  need.kernel_bytes = [&method, &resources, of_block = spec.pairs](std::int64_t pairs) mutable {
    of_block.most_pairs = pairs;
    return static_cast<std::int64_t>(method.workspace(of_block, resources.device));
  };
  need.workspace = static_cast<std::int64_t>(definition.entries.memory());
  if (definition.aligns) add_alignments(definition, resources, need);
  need.most_cells = seconds_of_block / method.cost(spec.pairs, resources.device).seconds;
  return need;
}

/// Cells of the tables of all pairs.
double all_cells(const PairsDefinition& definition) {
  const io::ItemSet &rows = *definition.sides.rows.items, &columns = *definition.sides.columns.items;
  const Entries& entries = definition.entries;
  if (entries.is_matrix()) {
    return static_cast<double>(rows.begin(rows.count())) * static_cast<double>(columns.begin(columns.count()));
  }
  double cells = 0;
  if (entries.kind() == Entries::Kind::upper) {
    double later = static_cast<double>(columns.begin(columns.count()));
    for (std::int64_t item = 0; item < rows.count(); ++item) {
      later -= static_cast<double>(rows.length(item));
      cells += static_cast<double>(rows.length(item)) * later;
    }
    return cells;
  }
  for (std::int64_t entry = 0; entry < entries.count(); ++entry) {
    const auto [row, column] = entries.pair(entry);
    cells += static_cast<double>(rows.length(row)) * static_cast<double>(columns.length(column));
  }
  return cells;
}

class PairsStage : public run::Stage {
 public:
  PairsStage(const Request& request, std::unique_ptr<PairsPlan> plan)
      : name_(request.stage.name),
        rows_(sequence_name(request, "rows")),
        columns_(sequence_name(request, "columns")),
        alphabet_place_(place_of(request.stage, "alphabet")),
        resources_(request.resources),
        plan_(std::move(plan)),
        tally_(*plan_),
        cells_(all_cells(plan_->definition())) {}

  const run::Plan& plan() const override { return *plan_; }
  run::Tally& tally() override { return tally_; }
  io::DatasetSpec dataset(int array) const override {
    return pairs_dataset(name_, plan_->arrays()[static_cast<std::size_t>(array)].name, plan_->definition());
  }
  std::vector<io::SmallDataset> small() const override { return small_results(name_, plan_->definition()); }
  /// What lines of other formats have of it: the pairs, names of single sides, the tag of scores.
  std::vector<io::Attribute> attributes() const override {
    constexpr const char* kinds[] = {"all", "same", "upper", "given"};
    return {{"/" + name_, "pairs", std::string(kinds[static_cast<std::size_t>(plan_->pairs().kind())])},
            {"/" + name_, "rows", rows_},
            {"/" + name_, "columns", columns_},
            {"/" + name_, "score_tag", std::string(spec().least ? "NM" : "AS")}};
  }
  std::vector<std::string> warnings() const override {
    const std::string warning = warning_of_letters(alphabet_place_, name_, plan_->sides().letters);
    return warning.empty() ? std::vector<std::string>{} : std::vector<std::string>{warning};
  }

  run::Prediction prediction() const override {
    const auto bytes = [](const PairSide& side) {
      return static_cast<double>(side.items->begin(side.count())) * static_cast<double>(size_of(side.source->type()));
    };
    const PairsCut& cut = plan_->cut();
    const bool matrix = plan_->pairs().is_matrix();
    run::Prediction p;
    p.blocks = plan_->blocks();
    p.unit = "cell";
    p.operations = cells_;
    p.operations_per_second = 1 / method().cost(spec().pairs, resources_.device).seconds;
    p.bytes_read = bytes(plan_->sides().rows) + bytes(plan_->sides().columns);
    // The pairs of a list are counted by the run.
    const double written = spec().counts ? 0 : static_cast<double>(result_bytes(spec()));
    p.bytes_written = static_cast<double>(plan_->pairs().count()) * written +
                      static_cast<double>(plan_->sides().rows.count()) * static_cast<double>(hit_bytes(spec()));
    p.block_shape = matrix ? std::to_string(cut.rows) + " x " + std::to_string(cut.columns) + " pairs"
                           : std::to_string(cut.entries) + " pairs";
    p.block_bytes = static_cast<std::size_t>(block_bytes(need_of(plan_->definition(), resources_), cut));
    p.workspace_bytes =
        method().workspace(spec().pairs, resources_.device) + alignment_bytes(plan_->definition(), resources_);
    return p;
  }

  std::vector<run::StageMethod> methods() const override {
    return stage_methods(pairs::pairs_methods(), method(), spec().pairs, resources_.device);
  }

  nlohmann::json choices() const override {
    const PairsCut& cut = plan_->cut();
    return {{"method", method().name},
            {"rows", cut.rows},
            {"columns", cut.columns},
            {"entries", cut.entries},
            {"aligned", cut.aligned},
            {"list_tile", cut.list_tile},
            {"row_tile", cut.row_tile},
            {"column_tile", cut.column_tile},
            {"value", name_of(spec().pairs.value)}};
  }

 private:
  const pairs::KeptSpec& spec() const { return plan_->spec(); }
  const pairs::PairsMethod& method() const { return *plan_->definition().method; }

  std::string name_, rows_, columns_;
  Place alphabet_place_;
  Resources resources_;
  std::unique_ptr<PairsPlan> plan_;
  PairsTally tally_;
  double cells_;
};

/// Alignments of pairs that are found by the run need both sets at once.
void check_whole(const Request& request, const PairsDefinition& definition, const PairsCut& cut) {
  const PairSides& sides = definition.sides;
  const bool whole = is_whole(sides.rows, cut.row_tile) && is_whole(sides.columns, cut.column_tile);
  if (whole || (definition.spec.best == 0 && !definition.spec.counts)) return;
  refuse(request.stage, "keep",
         "alignments of hits need both sets in memory, which memory.host is too small for: give it four times the "
         "size of the sets, or align the pairs that are found in a job of their own, as `pairs`");
}

}  // namespace

std::unique_ptr<run::Stage> make_pairs(const Request& request) {
  PairsDefinition definition = define_pairs(request);
  definition.method = &method_for(request, definition.spec.pairs);
  PairsCut cut;
  if (request.choices != nullptr) {
    const nlohmann::json& choices = *request.choices;
    cut = {choices.at("rows"),      choices.at("columns"),  choices.at("entries"),    choices.at("aligned"),
           choices.at("list_tile"), choices.at("row_tile"), choices.at("column_tile")};
  } else {
    cut = choose_cut(need_of(definition, request.resources), request.resources);
  }
  std::unique_ptr<PairsPlan> plan;
  if (definition.aligns) {
    check_whole(request, definition, cut);
    plan = std::make_unique<AlignedPairsPlan>(std::move(definition), cut);
  } else {
    plan = std::make_unique<PairsPlan>(std::move(definition), cut);
  }
  return std::make_unique<PairsStage>(request, std::move(plan));
}

}  // namespace terrace::stages
