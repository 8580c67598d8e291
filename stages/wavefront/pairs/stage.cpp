#include "stages/wavefront/pairs/stage.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "kernels/pairs/methods.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"
#include "stages/wavefront/pairs/aligned_plan.hpp"
#include "stages/wavefront/pairs/definition.hpp"
#include "stages/wavefront/pairs/plan.hpp"
#include "stages/wavefront/pairs/results.hpp"
#include "stages/wavefront/pairs/tally.hpp"
#include "stages/wavefront/pairs/worker.hpp"
#include "stages/wavefront/stage.hpp"

namespace terrace::stages {
namespace {

constexpr double seconds_of_block = 0.5;          // of a block of several pairs
constexpr double blocks_of_device = 4;            // of each of several devices, at least. Not measured
constexpr std::int64_t most_swept_together = 64;  // long pairs of a block. Not measured

/// The processor that runs methods of a back end.
const device::Limits& limits_for(device::Backend backend, const Resources& resources) {
  return backend == device::Backend::cpu && resources.cuda ? resources.cpu : resources.device;
}

double seconds_of(const pairs::PairsMethod& method, const pairs::PairsSpec& spec, const Resources& resources) {
  return method.cost(spec, limits_for(method.backend, resources)).seconds;
}

/// Memory of blocks: of the host, and of the device if that computes.
std::size_t budget_of(device::Backend backend, const Resources& resources) {
  const bool beside = backend == device::Backend::cpu && resources.cuda;
  return beside ? resources.host_budget : std::min(resources.host_budget, resources.device_budget);
}

/// The cheapest method of a back end that leaves half of the memory to blocks, or else that which takes the least;
/// null if none computes the spec.
const pairs::PairsMethod* method_on(device::Backend backend, const Resources& resources,
                                    const pairs::PairsSpec& spec) {
  const device::Limits& limits = limits_for(backend, resources);
  const std::size_t budget = budget_of(backend, resources) / 2;
  const pairs::PairsMethod *best = nullptr, *smallest = nullptr;
  double least = 0;
  for (const auto& rated : device::rate_methods(pairs::pairs_methods(), backend, spec, limits)) {
    if (!rated.unfit.empty()) continue;
    const auto bytes = [&](const pairs::PairsMethod* method) { return method->workspace(spec, limits); };
    if (smallest == nullptr || bytes(rated.method) < bytes(smallest)) smallest = rated.method;
    if (bytes(rated.method) > budget || (best != nullptr && rated.cost.seconds >= least)) continue;
    best = rated.method;
    least = rated.cost.seconds;
  }
  return best != nullptr ? best : smallest;
}

/// The method of the attempt to resume, or the cheapest one. The CPU computes what no method of CUDA does, and what
/// it computes faster if the job leaves the choice.
const pairs::PairsMethod& method_for(const Request& request, const pairs::PairsSpec& spec) {
  using device::Backend;
  const Resources& resources = request.resources;
  if (request.choices != nullptr) {
    const std::string name = request.choices->at("method");
    const bool cuda = request.choices->value("computes", name_of(resources.backend())) == name_of(Backend::cuda);
    const Backend backend = cuda ? Backend::cuda : Backend::cpu;
    if (const auto* method = device::find_method(pairs::pairs_methods(), backend, name)) return *method;
  }
  const pairs::PairsMethod* cuda = resources.cuda ? method_on(Backend::cuda, resources, spec) : nullptr;
  const pairs::PairsMethod* cpu = method_on(Backend::cpu, resources, spec);
  if (cuda == nullptr && cpu == nullptr) {
    return pairs::choose_pairs_method(spec, Backend::cpu, limits_for(Backend::cpu, resources));
  }
  if (cuda == nullptr || cpu == nullptr) return cuda == nullptr ? *cpu : *cuda;
  const bool faster = seconds_of(*cpu, spec, resources) < seconds_of(*cuda, spec, resources) / resources.devices;
  return resources.leaves_choice && faster ? *cpu : *cuda;
}

/// Bytes of results of a pair.
std::size_t result_bytes(const pairs::KeptSpec& spec) {
  if (spec.best > 0) return 0;
  return size_of(spec.stored) + (spec.pairs.ends ? sizeof(pairs::End) : 0);
}

/// Bytes in which alignments are computed.
std::size_t alignment_bytes(const PairsDefinition& definition, const Resources& resources) {
  if (!definition.aligns) return 0;
  const device::Limits& limits = limits_for(device::Backend::cpu, resources);
  return pairs::alignments_bytes(definition.whole, std::max(1, limits.processors));
}

/// Bytes of the method's kernel, beside blocks.
std::size_t kernel_bytes(const PairsDefinition& definition, const pairs::PairsSpec& spec,
                         const Resources& resources) {
  const std::size_t begins = definition.on_device() ? begins_bytes(definition.sides) : 0;
  const device::Limits& limits = limits_for(definition.method->backend, resources);
  const std::size_t sweeps =
      definition.sweeps != nullptr ? definition.sweeps->workspace(definition.whole, limits) : 0;
  return definition.method->workspace(spec, limits) + sweeps + begins;
}

/// Bytes of a pair between the steps of a block that a device computes.
std::size_t step_bytes(const PairsDefinition& definition) {
  const bool apart = definition.sweeps != nullptr;
  if (!definition.on_device()) return apart ? pairs::known_pair_bytes : 0;
  const std::size_t scores = apart || pairs::keeps_part(definition.spec) ? size_of(definition.spec.pairs.value) : 0,
                    known = apart ? sizeof(pairs::i64) + (definition.spec.pairs.ends ? sizeof(pairs::End) : 0) : 0;
  return scores + known + (definition.entries.is_matrix() ? 0 : 2 * sizeof(pairs::i64));
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
  need.aligned_bytes = pairs::most_cigar_bytes(definition.whole.longest_row, definition.whole.longest_column) +
                       static_cast<std::int64_t>(9 * sizeof(pairs::i64));
  need.workspace += static_cast<std::int64_t>(alignment_bytes(definition, resources));
}

/// Cells of all pairs.
double all_cells(const PairsDefinition& definition) {
  return definition.whole.pair_cells * static_cast<double>(definition.entries.count());
}

/// The part of long pairs in what blocks need.
void add_long(const PairsDefinition& definition, const Resources& resources, PairsNeed& need) {
  need.longest_row = definition.spec.pairs.longest_row;
  need.longest_column = definition.spec.pairs.longest_column;
  if (definition.sweeps == nullptr) return;
  // A block reads the scores of each of its rows apart.
  need.most_rows = std::min<std::int64_t>(need.most_rows, pairs::most_counted_rows);
  need.known_bytes =
      static_cast<std::int64_t>(size_of(definition.whole.value) + (definition.whole.ends ? sizeof(pairs::End) : 0));
  const double pair = static_cast<double>(definition.whole.longest_row) *
                      static_cast<double>(definition.whole.longest_column),
               cells = seconds_of_block / seconds_of(*definition.sweeps, definition.whole, resources);
  const auto most = static_cast<std::int64_t>(std::min(cells / pair, static_cast<double>(most_swept_together)));
  need.most_swept = std::clamp<std::int64_t>(most, 1, definition.long_pairs.count());
  if (definition.on_device()) {
    const auto blocks = static_cast<std::int64_t>(blocks_of_device) * resources.devices;
    need.most_swept = std::min(need.most_swept, ceiling(definition.long_pairs.count(), blocks));
  }
}

PairsNeed need_of(const PairsDefinition& definition, const Resources& resources) {
  const pairs::KeptSpec& spec = definition.spec;
  PairsNeed need{definition.sides, definition.entries, definition.long_pairs};
  need.on_device = definition.on_device();
  need.budget = static_cast<std::int64_t>(budget_of(definition.method->backend, resources));
  need.row_bytes = hit_bytes(spec);
  need.most_rows = spec.counts ? pairs::most_counted_rows : definition.sides.rows.count();
  need.pair_bytes =
      static_cast<std::int64_t>(result_bytes(spec) + pairs::kept_bytes(spec, 1) + step_bytes(definition));
  need.kernel_bytes = [&definition, &resources, of_block = spec.pairs](std::int64_t pairs) mutable {
    of_block.most_pairs = pairs;
    return static_cast<std::int64_t>(kernel_bytes(definition, of_block, resources));
  };
  need.workspace = static_cast<std::int64_t>(definition.entries.memory() + definition.long_pairs.memory());
  if (definition.aligns) add_alignments(definition, resources, need);
  need.most_cells = seconds_of_block / seconds_of(*definition.method, spec.pairs, resources);
  if (definition.on_device() && resources.devices > 1) {
    need.most_cells = std::min(need.most_cells, all_cells(definition) / (resources.devices * blocks_of_device));
  }
  add_long(definition, resources, need);
  return need;
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
    p.blocks = plan_->blocks() + plan_->swept_blocks();
    p.unit = "cell";
    p.operations = cells_;
    const int devices = std::max(1, plan_->devices(resources_.devices));
    p.operations_per_second = devices * cells_ / std::max(seconds(), std::numeric_limits<double>::min());
    p.bytes_read = bytes(plan_->sides().rows) + bytes(plan_->sides().columns);
    // The pairs of a list are counted by the run.
    const double written = spec().counts ? 0 : static_cast<double>(result_bytes(spec()));
    p.bytes_written = static_cast<double>(plan_->pairs().count()) * written +
                      static_cast<double>(plan_->sides().rows.count()) * static_cast<double>(hit_bytes(spec()));
    p.block_shape = matrix ? std::to_string(cut.rows) + " x " + std::to_string(cut.columns) + " pairs"
                           : std::to_string(cut.entries) + " pairs";
    p.block_bytes = static_cast<std::size_t>(block_bytes(need_of(plan_->definition(), resources_), cut));
    if (plan_->definition().on_device()) {
      p.bytes_up = devices * p.bytes_read;
      p.bytes_down = static_cast<double>(plan_->pairs().count()) *
                     static_cast<double>(size_of(spec().pairs.value) + (spec().pairs.ends ? sizeof(pairs::End) : 0));
    }
    const std::size_t kernel = kernel_bytes(plan_->definition(), spec().pairs, resources_),
                      alignments = alignment_bytes(plan_->definition(), resources_);
    const bool beside = resources_.cuda;  // the host computes beside devices
    p.workspace_bytes = plan_->definition().on_device() ? kernel : beside ? 0 : kernel + alignments;
    p.host_workspace_bytes = !beside ? 0 : alignments + (plan_->definition().on_device() ? 0 : kernel);
    return p;
  }

  std::vector<run::StageMethod> methods() const override {
    std::vector<run::StageMethod> all;
    const pairs::PairsMethod* sweeps = plan_->definition().sweeps;
    for (const device::Backend backend : {device::Backend::cuda, device::Backend::cpu}) {
      if (backend == device::Backend::cuda && !resources_.cuda) continue;
      const device::Limits& limits = limits_for(backend, resources_);
      const auto some = stage_methods(pairs::pairs_methods(), backend, method(), spec().pairs, limits);
      all.insert(all.end(), some.begin(), some.end());
      if (sweeps == nullptr || sweeps->backend != backend) continue;
      // It computes the long pairs beside the other one.
      const auto swept = stage_methods(pairs::pairs_methods(), backend, *sweeps, plan_->definition().whole, limits);
      for (std::size_t at = 0; at < swept.size(); ++at) {
        if (swept[at].chosen) all[all.size() - swept.size() + at] = swept[at];
      }
    }
    return all;
  }

  std::vector<std::string> analysis() const override {
    std::vector<std::string> found = analysis_of_device();
    const PairsDefinition& definition = plan_->definition();
    if (definition.sweeps == nullptr) return found;
    const bool letters = spec().pairs.description->items == wavefront::Items::letters;
    found.push_back(counted(definition.long_pairs.count(), "pair") + " with an item of more than 65,535 " +
                    (letters ? "letters" : "values") + " are swept one after another");
    return found;
  }

  nlohmann::json choices() const override {
    const PairsCut& cut = plan_->cut();
    return {{"method", method().name},
            {"computes", name_of(method().backend)},
            {"rows", cut.rows},
            {"columns", cut.columns},
            {"entries", cut.entries},
            {"aligned", cut.aligned},
            {"swept", cut.swept},
            {"list_tile", cut.list_tile},
            {"row_tile", cut.row_tile},
            {"column_tile", cut.column_tile},
            {"value", name_of(spec().pairs.value)}};
  }

 private:
  /// Expected seconds of all pairs on one device.
  double seconds() const {
    const PairsDefinition& definition = plan_->definition();
    const double others = spec().pairs.pair_cells *
                          static_cast<double>(plan_->pairs().count() - definition.long_pairs.count()),
                 swept = std::max(0.0, cells_ - others);
    const double of_sweeps =
        definition.sweeps == nullptr ? 0 : swept * seconds_of(*definition.sweeps, definition.whole, resources_);
    return others * seconds_of(method(), spec().pairs, resources_) + of_sweeps;
  }
  /// The part of the step that a device computes, if there is one, or the reason why it computes none.
  std::vector<std::string> analysis_of_device() const {
    if (!resources_.cuda) return {};
    if (plan_->definition().on_device()) {
      if (!plan_->definition().aligns) return {};
      return {"the device computes scores, the CPU aligns"};
    }
    std::string why = "its kernels are faster here";
    for (const run::StageMethod& method : methods()) {
      if (method.backend != name_of(device::Backend::cuda) || !method.automatic) continue;
      if (!method.unfit.empty()) why = method.unfit;
    }
    return {"computed on the CPU: " + why};
  }

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
  // Runs of earlier versions have no pairs apart.
  if (request.choices == nullptr || request.choices->contains("swept")) set_long_apart(definition);
  definition.method = &method_for(request, definition.spec.pairs);
  if (definition.long_pairs.count() > 0) {
    definition.sweeps = device::find_method(pairs::pairs_methods(), definition.method->backend, pairs::sweeps_name);
  }
  PairsCut cut;
  if (request.choices != nullptr) {
    const nlohmann::json& choices = *request.choices;
    cut = {choices.at("rows"),        choices.at("columns"),   choices.at("entries"),  choices.at("aligned"),
           choices.value("swept", 1), choices.at("list_tile"), choices.at("row_tile"), choices.at("column_tile")};
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
