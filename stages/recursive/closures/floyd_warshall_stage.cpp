#include "stages/recursive/closures/floyd_warshall_stage.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "io/inputs/graph.hpp"
#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/semiring.hpp"
#include "stages/recursive/closures/program.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/recursive/tiles.hpp"
#include "stages/refuse.hpp"
#include "stages/rounded_inputs.hpp"

namespace terrace::stages {
namespace {

// Relaxations of distances in the time of one with its path.
constexpr double cpu_paths_cost = 6, cuda_paths_cost = 1.7;

/// Of a distance and, where there are paths, the trail beside it.
std::int64_t element_bytes(const recursive::TileSpec& spec) {
  const std::size_t trail = recursive::has_trails(spec.table) ? size_of(recursive::trail_type(spec.table)) : 0;
  return static_cast<std::int64_t>(size_of(spec.value) + trail);
}

class FloydWarshallStage : public run::Stage {
 public:
  /// @param zeros what of the matrix was read; null: it says what is no edge
  /// @param whole whether the weights are whole numbers by their type
  FloydWarshallStage(const Request& request, std::unique_ptr<ClosureProgram> program,
                     std::shared_ptr<ZeroCount> zeros, bool whole)
      : name_(request.stage.name),
        type_place_(place_of(request.stage, "type")),
        matrix_(label_of(request.stage, "matrix")),
        resources_(request.resources),
        program_(std::move(program)),
        zeros_(std::move(zeros)),
        whole_(whole) {}

  run::Program& program() override { return *program_; }

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
    const std::optional<std::int64_t> no_path = no_path_of(program_->plan().spec.value);
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
    const ClosurePlan& plan = program_->plan();
    const bool paths = recursive::has_trails(plan.spec.table);
    const auto n = static_cast<double>(plan.nodes), element = static_cast<double>(element_bytes(plan.spec));
    run::Prediction p;
    p.blocks = program_->updates();
    p.operations = n * n * n;
    p.unit = "relaxation";
    // With paths a GPU computes distances of 16 bits in 32.
    const bool wider = paths && resources_.cuda && plan.spec.value == ElementType::i16;
    set_rates(p, wider ? ElementType::i32 : plan.spec.value, resources_);
    if (paths) p.operations_per_second /= resources_.cuda ? cuda_paths_cost : cpu_paths_cost;
    const auto block = static_cast<double>(block_bytes(plan.spec, plan.tile));
    const UpdatedTable table{n * n * element, block, program_->across(), plan.ways};
    set_traffic(p, table, {table.bytes, table.bytes + (paths ? 4 * n * n : 0)}, resources_);
    const double matrix = n * n * static_cast<double>(size_of(plan.spec.value));
    p.bytes_read += inspected_again(plan.spec.value, matrix, resources_.host_budget);
    if (resources_.cuda) p.bytes_up += inspected_again(plan.spec.value, matrix, resources_.device_budget);
    set_blocks(p, plan.spec, plan.tile, resources_);
    return p;
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings;
    for (const std::string& warning : {warning_of_zeros(), warning_of_f32()}) {
      if (!warning.empty()) warnings.push_back(warning);
    }
    return warnings;
  }

  nlohmann::json choices() const override {
    const ClosurePlan& plan = program_->plan();
    return {{"tile", plan.tile}, {"nodes", plan.nodes}, {"value", name_of(plan.spec.value)}, {"ways", plan.ways}};
  }

 private:
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
    if (!whole_ || program_->plan().spec.value != ElementType::f32) return "";
    return warning_of_f32_results(type_place_, name_, program_->farthest());
  }

  std::string name_;
  Place type_place_;  // where the job gives the type, else the stage
  io::DataLabel matrix_;
  Resources resources_;
  std::unique_ptr<ClosureProgram> program_;
  std::shared_ptr<ZeroCount> zeros_;
  bool whole_;
};

ElementType choose_type(const Request& request, io::Source& matrix, const WeightRules& rules) {
  const std::string& type = request.stage.settings.text("type");
  if (type == "input" || (type == "auto" && is_floating(matrix.type()))) return distance_type(matrix.type());
  if (type != "auto") return *element_type_from(type);
  WeightRange range;
  if (request.resources.to_run) {
    read_values(request.stage, "matrix", [&] { range = scan_weights(matrix, rules); });
  }
  for (const ElementType narrow : {ElementType::i16, ElementType::i32, ElementType::i64}) {
    if (holds_distances(narrow, range, matrix.shape()[0])) return narrow;
  }
  refuse(
      request.stage, "matrix",
      "distances of '" + rules.label.array +
          "' may leave every integer type: say `type: f64`, or `type: input`, whose distances are proved once they "
          "are computed");
}

}  // namespace

std::unique_ptr<run::Stage> make_floyd_warshall(const Request& request) {
  const Settings& settings = request.stage.settings;
  const std::shared_ptr<io::Source> matrix = open_square_matrix(request);
  WeightRules rules = distance_rules(request, *matrix, settings.text("diagonal") == "zero");
  // In a graph 0 is a weight as any other.
  if (!settings.has("no_edge") && !io::is_graph(*matrix)) rules.zeros = std::make_shared<ZeroCount>();
  rules.rounded = rounded_of(request, "matrix");
  ClosurePlan plan;
  plan.spec.semiring = recursive::find_problem(request.stage.problem)->semiring;
  plan.nodes = matrix->shape()[0];
  plan.loops = !rules.zero_diagonal;
  const auto set_table = [&] {
    if (settings.flag("paths")) plan.spec.table = recursive::paths_table(plan.spec.value, plan.nodes);
  };
  if (request.choices != nullptr) {
    plan.spec.value = *element_type_from(request.choices->at("value").get<std::string>());
    set_table();
    plan.tile = request.choices->at("tile");
    plan.ways = request.choices->at("ways").get<std::vector<std::int64_t>>();
  } else {
    plan.spec.value = choose_type(request, *matrix, rules);
    set_table();
    plan.tile = choose_tile(plan.nodes, plan.spec, request.resources);
    const std::int64_t across = (plan.nodes + plan.tile - 1) / plan.tile;
    plan.ways =
        choose_ways(settings.text("schedule"), across, plan.tile, element_bytes(plan.spec), request.resources);
  }
  auto source = weights(matrix, plan.spec.value, rules);
  return std::make_unique<FloydWarshallStage>(
      request, std::make_unique<ClosureProgram>(std::move(plan), std::move(source), rules.label.array), rules.zeros,
      !is_floating(matrix->type()));
}

}  // namespace terrace::stages
