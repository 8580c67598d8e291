#include "stages/recursive/searches/stage.hpp"

#include <unistd.h>

#include <algorithm>

#include "pipeline/base/rounding.hpp"
#include "pipeline/base/units.hpp"
#include "stages/recursive/histogram.hpp"
#include "stages/recursive/measured.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/searches/compressed.hpp"
#include "stages/recursive/searches/expected.hpp"
#include "stages/recursive/searches/sources.hpp"
#include "stages/recursive/searches/tally.hpp"
#include "stages/refuse.hpp"
#include "stages/rounded_inputs.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

/// Bytes of a row of the table, with the nodes beside it.
std::int64_t row_bytes(const recursive::SearchSpec& spec) {
  const std::size_t beside = spec.beside != recursive::Beside::none ? sizeof(std::int32_t) : 0;
  return std::max<std::int64_t>(1, spec.graph->nodes) * static_cast<std::int64_t>(size_of(spec.value) + beside);
}

/// Bytes of the reductions of a row, at most.
constexpr std::int64_t reduced_bytes = 24;

/// Bytes in addition to tiles: the graph, and what searches work in.
std::int64_t workspace_bytes(const recursive::SearchSpec& spec, const Resources& resources) {
  const std::size_t searches = search_method(spec, resources.device).workspace(spec, resources.device);
  return static_cast<std::int64_t>(searches + spec.graph->memory());
}

class SearchStage : public run::Stage {
 public:
  SearchStage(const Request& request, std::unique_ptr<SearchPlan> plan, bool whole)
      : name_(request.stage.name),
        type_place_(place_of(request.stage, "type")),
        resources_(request.resources),
        plan_(std::move(plan)),
        tally_(*plan_),
        whole_(whole) {}

  const run::Plan& plan() const override { return *plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int array) const override {
    const std::vector<std::string> axes = {spec().sources ? "source" : "from", "to"};
    const std::optional<std::int64_t> no_path = no_path_of(spec().value);
    const std::string& name = plan_->arrays()[static_cast<std::size_t>(array)].name;
    const auto of = [&](const std::vector<std::string>& dimensions, const std::string& meaning,
                        std::optional<std::int64_t> no_value) {
      return io::DatasetSpec{"/" + name_ + "/" + name, {}, {}, dimensions, "", meaning, no_value};
    };
    if (name == "histogram") return histogram_dataset(name_);
    if (name == "eccentricity") return of({axes[0]}, "largest finite distance from each node to another", no_path);
    if (name == "sum") return of({axes[0]}, "sum of the finite distances from each node to others", std::nullopt);
    if (name == "reached") return of({axes[0]}, "other nodes to which each node has a path", std::nullopt);
    if (name == "previous") return of(axes, "the node before `to` on a shortest path; -1: none", -1);
    if (name == "next") return of(axes, "the node after `from` on a shortest path; -1: none", -1);
    return of(axes, "distance of nodes; " + (no_path ? std::to_string(*no_path) : "inf") + ": no path", no_path);
  }

  std::vector<io::SmallDataset> small() const override {
    std::vector<io::SmallDataset> found;
    if (spec().sources) found.push_back(source_names());
    if (!spec().bins) return found;
    for (io::SmallDataset& dataset : histogram_small(name_, *spec().bins, tally_.uncounted())) {
      found.push_back(std::move(dataset));
    }
    return found;
  }
  std::shared_ptr<const std::vector<std::int64_t>> sources() const override {
    if (!spec().sources) return nullptr;
    return std::make_shared<std::vector<std::int64_t>>(spec().sources->begin(), spec().sources->end());
  }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    run::Prediction p;
    p.blocks = plan_->blocks() + (plan_->has_potentials() ? 1 : 0);
    p.operations = static_cast<double>(spec().rows()) * static_cast<double>(spec().graph->edges());
    p.unit = "edge";
    p.operations_per_second = 1 / search_method(spec(), resources_.device).cost(spec(), resources_.device).seconds;
    const std::int64_t row = plan_->cut().reduces ? reduced_bytes : row_bytes(spec());
    p.bytes_written = static_cast<double>(spec().rows()) * static_cast<double>(row);
    p.block_shape = std::to_string(plan_->cut().rows) + " x " + std::to_string(spec().graph->nodes);
    p.block_bytes = static_cast<std::size_t>(plan_->cut().rows * row + histogram_bytes(spec().bins));
    p.workspace_bytes = static_cast<std::size_t>(workspace_bytes(spec(), resources_));
    return p;
  }

  std::vector<std::string> analysis() const override {
    return {in_words(expected_seconds(spec(), resources_.device, resources_), *spec().graph)};
  }

  std::vector<run::StageMethod> methods() const override {
    return stage_methods(recursive::search_methods(), search_method(spec(), resources_.device), spec(),
                         resources_.device);
  }

  std::vector<std::string> warnings() const override {
    if (!whole_ || spec().value != ElementType::f32) return {};
    const std::string warning = warning_of_f32_results(type_place_, name_, tally_.farthest());
    if (warning.empty()) return {};
    return {warning};
  }

  nlohmann::json choices() const override {
    return {{"method", run::method_of(*this)},
            {"rows", plan_->cut().rows},
            {"nodes", spec().graph->nodes},
            {"value", name_of(spec().value)},
            {"words", spec().words}};
  }

 private:
  io::SmallDataset source_names() const {
    const auto& sources = *spec().sources;
    const io::NodeNames::List names = plan_->nodes()->names({sources.begin(), sources.end()});
    const std::string path = "/" + name_ + "/" + io::source_dataset,
                      meaning = "nodes from which distances are found, row by row";
    const auto count = static_cast<std::int64_t>(sources.size());
    if (const auto* texts = std::get_if<io::NodeNames::Texts>(&names)) {
      return {{path, ElementType::i64, {count}, {"source"}, "", meaning}, *texts};
    }
    const auto& ids = std::get<io::NodeNames::Numbers>(names);
    return io::small_dataset<std::int64_t>(path, {count}, {"source"}, ids, "", meaning);
  }
  const recursive::SearchSpec& spec() const { return plan_->cut().spec; }

  std::string name_;
  Place type_place_;  // place of the type in the job, else of the stage
  Resources resources_;
  std::unique_ptr<SearchPlan> plan_;
  SearchTally tally_;
  bool whole_;  // the weights are whole numbers by their type
};

/// The most rows of a block for which the budgets hold `count` blocks; 0: none.
std::int64_t rows_within(const RowSearches& cut, std::int64_t count, const Resources& resources) {
  const std::int64_t kept = cut.reduces ? reduced_bytes : row_bytes(cut.spec);
  const std::int64_t histogram = histogram_bytes(cut.spec.bins);
  const std::int64_t host =
      static_cast<std::int64_t>(resources.host_budget) - workspace_bytes(cut.spec, resources) - histogram;
  const std::int64_t budget =
      std::min((host - page_bytes) / count, static_cast<std::int64_t>(resources.device_budget) - histogram);
  // Each array's tile is a number of whole pages.
  const std::int64_t within = (budget - 4 * page_bytes) / kept;
  const std::int64_t good = measured::search_band_bytes / row_bytes(cut.spec);
  const std::int64_t most = cut.reduces ? std::max(good, measured::search_rows) : good;
  std::int64_t rows = std::min(within, std::max<std::int64_t>(1, most));
  if (rows > measured::search_rows) rows -= rows % measured::search_rows;
  return std::clamp<std::int64_t>(rows, 0, std::max<std::int64_t>(1, cut.spec.rows()));
}

/// Chooses rows of a block, and how many nodes are searched from at once. @throws JobError naming the least budgets
void choose_cut(RowSearches& cut, const Resources& resources) {
  constexpr std::int64_t blocks_at_once = 3;  // one is computed, others are written
  for (cut.spec.words = 8; cut.spec.words > 0; cut.spec.words /= 2) {
    cut.rows = rows_within(cut, blocks_at_once, resources);
    if (cut.rows >= std::min<std::int64_t>(cut.spec.rows(), std::int64_t{64} * cut.spec.words)) return;
  }
  cut.spec.words = 1;
  if (cut.rows == 0) cut.rows = rows_within(cut, 1, resources);
  if (cut.rows > 0) return;
  const std::int64_t block =
      (cut.reduces ? reduced_bytes : row_bytes(cut.spec)) + 4 * page_bytes + histogram_bytes(cut.spec.bins);
  refuse_budgets(resources, {block, workspace_bytes(cut.spec, resources)});
}

/// Refuses a graph of which the memory does not even hold where the edges of each node begin.
void refuse_too_many_nodes(const Request& request, std::int64_t nodes) {
  const std::int64_t bytes = nodes * static_cast<std::int64_t>(sizeof(device::i64));
  const auto budget = static_cast<std::int64_t>(request.resources.host_budget);
  const std::int64_t machine = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
  if (bytes <= std::min(budget, machine)) return;
  const std::string takes = "'" + request.stage.settings.text("matrix") + "' has " + std::to_string(nodes) +
                            " nodes: searches take " + format_size(static_cast<double>(bytes)) +
                            " of memory and more for its edges, and ";
  refuse(request.stage, "matrix",
         takes + (budget < machine ? "memory.host leaves " : "this machine has ") +
             format_size(static_cast<double>(std::min(budget, machine))) +
             "; nodes without an edge are left out by `nodes: used` of the input");
}

}  // namespace

bool makes_histogram(const Settings& settings) { return settings.has("bins") || settings.has("range"); }

bool has_searched(const nlohmann::json& choices) { return choices.contains("words"); }

std::unique_ptr<run::Stage> make_searches(const Request& request, const io::Source& matrix, const WeightRules& rules,
                                          ElementType value) {
  refuse_too_many_nodes(request, matrix.shape()[0]);
  RowSearches cut;
  read_values(request.stage, "matrix", [&] {
    Compressed compressed = compress(matrix, value, rules);
    cut.spec.graph = std::move(compressed.graph);
    cut.weights = compressed.found;
  });
  cut.spec.value = value;
  cut.spec.loops = !rules.zero_diagonal;
  cut.spec.sources = sources_of(request, matrix);
  const Settings& settings = request.stage.settings;
  cut.reduces = settings.text("keep") == "reductions";
  if (cut.reduces && makes_histogram(settings)) cut.spec.bins = bins_of(settings);
  if (settings.flag("paths")) {
    cut.spec.beside = cut.spec.sources ? recursive::Beside::previous : recursive::Beside::next;
  }
  if (request.choices != nullptr) {
    cut.rows = request.choices->at("rows");
    cut.spec.words = request.choices->at("words");
  } else {
    choose_cut(cut, request.resources);
  }
  auto plan = std::make_unique<SearchPlan>(std::move(cut), rules.label.array, matrix.nodes());
  return std::make_unique<SearchStage>(request, std::move(plan), !is_floating(matrix.type()));
}

}  // namespace terrace::stages
