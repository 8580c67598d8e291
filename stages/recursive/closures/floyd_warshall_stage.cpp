#include "stages/recursive/closures/floyd_warshall_stage.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "io/inputs/graph.hpp"
#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/semiring.hpp"
#include "stages/recursive/closures/distance_type.hpp"
#include "stages/recursive/closures/tally.hpp"
#include "stages/recursive/measured.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/searches/choice.hpp"
#include "stages/recursive/searches/sources.hpp"
#include "stages/recursive/searches/stage.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/recursive/stated_weights.hpp"
#include "stages/recursive/tiles.hpp"
#include "stages/refuse.hpp"
#include "stages/rounded_inputs.hpp"

namespace terrace::stages {
namespace {

/// Bytes of a distance and, if there are paths, of the trail next to it.
std::int64_t element_bytes(const recursive::TileSpec& spec) {
  const std::size_t trail = recursive::has_trails(spec.table) ? size_of(recursive::trail_type(spec.table)) : 0;
  return static_cast<std::int64_t>(size_of(spec.value) + trail);
}

class FloydWarshallStage : public run::Stage {
 public:
  /// @param rules by which the plan's matrix is read
  /// @param whole whether the weights are whole numbers by their type
  FloydWarshallStage(const Request& request, std::unique_ptr<ClosurePlan> plan, const WeightRules& rules, bool whole)
      : name_(request.stage.name),
        type_place_(place_of(request.stage, "type")),
        matrix_(label_of(request.stage, "matrix")),
        resources_(request.resources),
        plan_(std::move(plan)),
        tally_(*plan_),
        zeros_(rules.zeros),
        stated_(rules.stated),
        whole_(whole) {}

  const run::Plan& plan() const override { return *plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int array) const override {
    if (array > 1) {
      return {"/" + name_ + "/next",
              {},
              {},
              {"from", "to"},
              "",
              "the node after `from` on a shortest path; -1: none",
              -1};
    }
    const std::optional<std::int64_t> no_path = no_path_of(plan_->cut().spec.value);
    return {"/" + name_ + "/distance",
            {},
            {},
            {"from", "to"},
            "",
            "distance of nodes; " + (no_path ? std::to_string(*no_path) : "inf") + ": no path",
            no_path};
  }

  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    const ClosureCut& cut = plan_->cut();
    const bool paths = recursive::has_trails(cut.spec.table);
    const auto n = static_cast<double>(cut.nodes), element = static_cast<double>(element_bytes(cut.spec));
    run::Prediction p;
    p.blocks = plan_->updates();
    p.operations = n * n * n;
    p.unit = "relaxation";
    // With paths a GPU computes distances of 16 bits in 32.
    recursive::TileSpec computed = cut.spec;
    if (paths && resources_.cuda && cut.spec.value == ElementType::i16) computed.value = ElementType::i32;
    set_rates(p, cost_of(updates(), resources_), computed, resources_);
    const auto block = static_cast<double>(block_bytes(cut.spec, cut.tile));
    const UpdatedTable table{n * n * element, block, plan_->across(), cut.ways};
    set_traffic(p, table, {table.bytes, table.bytes + (paths ? 4 * n * n : 0)}, plan_->lines(), resources_);
    set_devices(p, plan_->lines(), resources_);
    const double matrix = plan_->inspects() ? n * n * static_cast<double>(size_of(cut.spec.value)) : 0;
    p.bytes_read += inspected_again(cut.spec.value, matrix, resources_.host_budget);
    if (resources_.cuda) p.bytes_up += inspected_again(cut.spec.value, matrix, resources_.device_budget);
    set_blocks(p, cut.spec, cut.tile, resources_);
    return p;
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings;
    for (const std::string& warning : {warning_of_zeros(), warning_of_f32()}) {
      if (!warning.empty()) warnings.push_back(warning);
    }
    return warnings;
  }

  std::vector<run::StageMethod> methods() const override { return methods_of(updates(), resources_); }

  nlohmann::json choices() const override {
    const ClosureCut& cut = plan_->cut();
    nlohmann::json choices = {{"method", run::method_of(*this)},
                              {"tile", cut.tile},
                              {"nodes", cut.nodes},
                              {"value", name_of(cut.spec.value)},
                              {"ways", cut.ways}};
    if (stated_) choices["stated"] = stated_->json();
    return choices;
  }

 private:
  recursive::UpdateSpec updates() const {
    return {plan_->cut().spec, recursive::Form::shortest_paths, plan_->cut().tile};
  }

  /// A matrix of 0 and 1 that says who is whose neighbour is taken by its word: all edges of length 0.
  std::string warning_of_zeros() const {
    if (!zeros_ || 2 * zeros_->zero <= zeros_->all) return "";
    const double share = 100 * static_cast<double>(zeros_->zero) / static_cast<double>(zeros_->all);
    char text[16];
    std::snprintf(text, sizeof text, "%.0f%%", std::floor(share));
    return message_at(matrix_.place, "stage '" + name_ + "': " + text + " of the elements of '" + matrix_.array +
                                         "' off the diagonal are 0, which is an edge of length 0: where it means no "
                                         "edge say `no_edge: 0`");
  }

  /// Once the distances are known.
  std::string warning_of_f32() const {
    if (!whole_ || plan_->cut().spec.value != ElementType::f32) return "";
    return warning_of_f32_results(type_place_, name_, tally_.farthest());
  }

  std::string name_;
  Place type_place_;  // place of the type in the job, else of the stage
  io::DataLabel matrix_;
  Resources resources_;
  std::unique_ptr<ClosurePlan> plan_;
  ClosureTally tally_;
  std::shared_ptr<ZeroCount> zeros_;  // what of the matrix was read; null: it says what is no edge
  std::optional<StatedWeights> stated_;
  bool whole_;
};

/// The matrix of a step, and the rules by which it is read.
struct Weighted {
  std::shared_ptr<io::Source> matrix;
  WeightRules rules;
};

Weighted open_weighted(const Request& request) {
  const Settings& settings = request.stage.settings;
  std::shared_ptr<io::Source> matrix = open_square_matrix(request, made_by_searches(settings));
  WeightRules rules = distance_rules(request, *matrix, settings.text("diagonal") == "zero");
  matrix = with_no_edge(std::move(matrix), rules);
  // In a graph 0 is a weight as any other.
  if (!settings.has("no_edge") && !io::is_graph(*matrix)) rules.zeros = std::make_shared<ZeroCount>();
  rules.rounded = rounded_of(request, "matrix");
  return {std::move(matrix), std::move(rules)};
}

/// The type that was chosen for the attempt to resume, or is chosen now.
ChosenType type_of(const Request& request, Weighted& weighted) {
  if (request.choices == nullptr) return choose_distance_type(request, *weighted.matrix, weighted.rules);
  ChosenType chosen{*element_type_from(request.choices->at("value").get<std::string>()), std::nullopt};
  if (request.choices->contains("stated")) chosen.stated = StatedWeights::from(request.choices->at("stated"));
  return chosen;
}

}  // namespace

std::optional<CpuAlone> searches_alone(const Request& request) {
  const std::string& schedule = request.stage.settings.text("schedule");
  if (request.stage.settings.has("sources")) {
    return CpuAlone{"sources", "distances from some nodes are searched on the CPU only; say `backend: cpu`"};
  }
  if (request.stage.settings.text("keep") == "reductions") {
    return CpuAlone{"keep", "rows that are not kept are searched on the CPU only; say `backend: cpu`"};
  }
  if (schedule == "searches") {
    return CpuAlone{"schedule", "`schedule: searches` is computed on the CPU only; give another, or `backend: cpu`"};
  }
  if (schedule != "auto" || !request.resources.leaves_choice) return std::nullopt;
  Weighted weighted = open_weighted(request);
  if (!io::is_graph(*weighted.matrix)) return std::nullopt;
  const ElementType value = choose_distance_type(request, *weighted.matrix, weighted.rules).value;
  if (!is_searched(request, *weighted.matrix, weighted.rules, value, request.resources.cpu)) return std::nullopt;
  return CpuAlone{"matrix", "searches over the edges of '" + weighted.rules.label.array +
                                "' on the CPU are expected to take less time than updates of all pairs on the GPU; "
                                "`schedule: two_way` has these"};
}

std::unique_ptr<run::Stage> make_floyd_warshall(const Request& request) {
  const Settings& settings = request.stage.settings;
  Weighted weighted = open_weighted(request);
  const std::shared_ptr<io::Source>& matrix = weighted.matrix;
  WeightRules& rules = weighted.rules;
  const ChosenType chosen = type_of(request, weighted);
  const bool searched = request.choices != nullptr
                            ? has_searched(*request.choices)
                            : is_searched(request, *matrix, rules, chosen.value, request.resources.device);
  if (searched) return make_searches(request, *matrix, rules, chosen.value);
  ClosureCut cut;
  cut.spec.semiring = recursive::find_problem(request.stage.problem)->semiring;
  cut.spec.value = chosen.value;
  cut.nodes = matrix->shape()[0];
  cut.loops = !rules.zero_diagonal;
  if (settings.flag("paths")) cut.spec.table = recursive::paths_table(cut.spec.value, cut.nodes);
  if (request.choices != nullptr) {
    cut.tile = request.choices->at("tile");
    cut.ways = request.choices->at("ways").get<std::vector<std::int64_t>>();
    rules.stated = chosen.stated;
  } else {
    if (chosen.stated && suffices(*chosen.stated, cut.spec.value, cut.nodes)) rules.stated = chosen.stated;
    cut.tile = choose_tile(cut.nodes, cut.spec, request.resources);
    const std::int64_t across = (cut.nodes + cut.tile - 1) / cut.tile;
    cut.ways = choose_ways(settings.text("schedule"), across, cut.tile, element_bytes(cut.spec), request.resources);
  }
  if (rules.stated) cut.stated = rules.stated->range;
  auto source = weights(matrix, cut.spec.value, rules);
  return std::make_unique<FloydWarshallStage>(
      request, std::make_unique<ClosurePlan>(std::move(cut), std::move(source), rules.label.array, matrix->nodes()),
      rules, !is_floating(matrix->type()));
}

}  // namespace terrace::stages
