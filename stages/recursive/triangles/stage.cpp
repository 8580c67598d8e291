#include "stages/recursive/triangles/stage.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/recursive/interval_rules.hpp"
#include "kernels/recursive/problems.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/tiles.hpp"
#include "stages/recursive/triangles/brackets.hpp"
#include "stages/recursive/triangles/inputs.hpp"
#include "stages/recursive/triangles/tally.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

recursive::TriangleSpec triangle_of(const TriangleCut& cut, std::int64_t side) { return {cut.spec, side}; }

std::size_t workspace_of(const TriangleCut& cut, std::int64_t side, const Resources& resources) {
  const recursive::TriangleSpec triangle = triangle_of(cut, side);
  const auto backend = resources.backend();
  return triangle_method(triangle, backend, resources.device).workspace(triangle, resources.device);
}

/// Bytes of the tiles of the largest block: x, its two factors and neighbours, and its splits.
std::int64_t block_bytes(const TriangleCut& cut, std::int64_t side) {
  const auto element = static_cast<std::int64_t>(size_of(cut.spec.value));
  return (cut.pairs ? 6 : 3) * whole_pages(side * side * element) +
         (cut.spec.splits ? whole_pages(side * side * 4) : 0);
}

/// Bytes, in addition to the tiles, of the vectors that every block reads, of their source, and of counts by nodes.
std::int64_t vector_bytes(const TriangleCut& cut) {
  const auto element = static_cast<std::int64_t>(size_of(cut.spec.value));
  return 3 * cut.nodes * (2 * element + (cut.spec.splits ? 4 : 0)) + 2 * 4096;
}

class TriangleStage : public run::Stage {
 public:
  TriangleStage(const Request& request, bool whole, std::unique_ptr<TrianglePlan> plan)
      : name_(request.stage.name),
        problem_(request.stage.problem),
        whole_(whole),
        resources_(request.resources),
        plan_(std::move(plan)),
        tally_(*plan_) {}

  const run::Plan& plan() const override { return *plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int array) const override {
    const std::string& name = plan_->arrays()[static_cast<std::size_t>(array)].name;
    const bool split = name == "split";
    return {"/" + name_ + "/" + name,
            {},
            {},
            {"begin", "end"},
            "",
            split ? "where the items [begin, end) are split; -1: nowhere; begin: the first pairs with the last"
            : plan_->cut().chord > 0 ? "of the vertices [begin, end], and the length of the chord between them"
                                     : "of the items [begin, end)",
            split ? std::optional<std::int64_t>(-1) : std::nullopt};
  }

  std::vector<io::SmallDataset> small() const override {
    const TriangleFindings& found = tally_.findings();
    const TriangleCut& cut = plan_->cut();
    const bool pairs = cut.pairs;
    const std::string group = "/" + name_ + "/", name = group + (pairs ? "score" : "cost");
    const std::string meaning = pairs ? "pairs" : "least cost";
    std::vector<io::SmallDataset> datasets;
    if (!whole_) datasets.push_back(io::small_scalar(name, found.real - cut.chord, "", meaning));
    else if (!is_floating(cut.spec.value)) datasets.push_back(io::small_scalar(name, found.whole, "", meaning));
    else datasets.push_back(io::small_scalar(name, std::llround(found.real), "", meaning));
    if (!cut.spec.splits) return datasets;
    const std::int64_t items = cut.nodes - 1;
    const std::string text = brackets_of(problem_, found.opens, found.closes, items);
    if (pairs) datasets.push_back(io::small_text(group + "structure", text, "pairs in brackets"));
    else
      datasets.push_back(io::small_text(
          group + "expression", text,
          problem_ == "optimal_bst" ? "keys, each tree in brackets" : "items, those put together in brackets"));
    return datasets;
  }

  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    const TriangleCut& cut = plan_->cut();
    const auto n = static_cast<double>(cut.nodes), element = static_cast<double>(size_of(cut.spec.value));
    run::Prediction p;
    p.blocks = plan_->blocks();
    p.operations = n * n * n / 6;
    p.unit = "split";
    const auto backend = resources_.backend();
    const recursive::TriangleSpec spec = triangle_of(cut, cut.tile);
    const recursive::TriangleMethod& method = triangle_method(spec, backend, resources_.device);
    // A split is an update of min_plus, or of max_plus.
    const recursive::TileSpec updates{recursive::find_semiring("min_plus"), cut.spec.value};
    set_rates(p, method.cost(spec, resources_.device), updates, resources_);
    const double split = cut.spec.splits ? 4 : 0, half = n * n / 2;
    const auto block = static_cast<double>(block_bytes(cut, cut.tile) + vector_bytes(cut));
    const std::int64_t across = (cut.nodes + cut.tile - 1) / cut.tile;
    // Three squares a part of the triangle: half as many as of a square of so many bytes.
    const UpdatedTable triangle{half * (element + split), block, across, cut.ways, 0.5};
    set_traffic(p, triangle, {half * split, n * n * ((cut.table ? element : 0) + split)}, plan_->lines(), resources_);
    set_devices(p, plan_->lines(), resources_);
    p.workspace_bytes = workspace_of(cut, cut.tile, resources_);
    p.block_shape = cube_shape(cut.tile);
    p.block_bytes = static_cast<std::size_t>(block_bytes(cut, cut.tile));
    return p;
  }

  std::vector<run::StageMethod> methods() const override {
    return methods_of(triangle_of(plan_->cut(), plan_->cut().tile), resources_);
  }

  nlohmann::json choices() const override {
    const TriangleCut& cut = plan_->cut();
    return {{"method", run::method_of(*this)},
            {"tile", cut.tile},
            {"nodes", cut.nodes},
            {"value", name_of(cut.spec.value)},
            {"ways", cut.ways}};
  }

 private:
  std::string name_, problem_;
  bool whole_;
  Resources resources_;
  std::unique_ptr<TrianglePlan> plan_;
  TriangleTally tally_;
};

/// The resources that remain for tiles.
Resources beside_vectors(Resources resources, const TriangleCut& cut) {
  const auto bytes = static_cast<std::size_t>(vector_bytes(cut));
  const auto less = [&](std::size_t budget) { return budget > bytes ? budget - bytes : 0; };
  resources.host_budget = less(resources.host_budget);
  resources.device_budget = less(resources.device_budget);
  resources.input_memory += bytes;
  resources.device_beside += bytes;
  return resources;
}

/// @throws JobError if an earlier attempt computed in another type than the one that the numbers ask for now
void check_value(const Request& request, ElementType value) {
  const std::string before = request.choices->at("value");
  if (before == name_of(value)) return;
  throw JobError("stage '" + request.stage.name + "' was begun with numbers that " + before +
                 " holds, and its inputs now ask for " + std::string(name_of(value)) +
                 ": put them back, or start over with --fresh=all");
}

job::Example example_of(const std::string& problem) {
  if (problem == "nussinov") return {"rna: {generate: dna, length: 200, seed: 7}", {"{sequence: rna}"}};
  if (problem == "optimal_bst") {
    return {"often: {values: [15, 10, 5, 10, 20]}, between: {values: [5, 10, 5, 5, 5, 10]}",
            {"{keys: often}", "gaps: between"}};
  }
  if (problem == "polygon_triangulation") return {"corners: {values: [3, 7, 4, 5, 2, 6]}", {"{vertices: corners}"}};
  return {"sizes: {values: [30, 35, 15, 5, 10, 20, 25]}", {"{dimensions: sizes}"}};
}

}  // namespace

void declare_intervals(const recursive::ProblemInfo& problem, job::ProblemDeclaration& declaration) {
  const bool pairs = std::string(problem.name) == "nussinov";
  declaration.group = "intervals";
  declaration.example = example_of(problem.name);
  if (std::string(problem.name) == "polygon_triangulation") {
    declaration.results = 2;  // 1: any points were taken for a convex polygon
    declaration.results_change = "points that are no convex polygon are an error";
  }
  declaration.parameters = {
      pairs ? Parameter{"type", ParameterKind::choice, "type of the scores; auto: the narrower that holds them",
                        "auto", "auto, i16, i32"}
            : Parameter{"type", ParameterKind::choice,
                        "type of the costs; auto: of whole numbers the fastest that is sure to be exact, else f64",
                        "auto", "auto, i32, i64, f64"},
      {"keep", ParameterKind::choice, "what is kept: the best of all items, or the best of every interval", "cost",
       "cost, table"},
      {"splits", ParameterKind::flag, "whether to keep where intervals are split, and what that makes of all items",
       "false"},
  };
  if (pairs) declaration.outputs = {{"score", "one value", "pairs", job::Ties::none}};
  else declaration.outputs = {{"cost", "one value", "the least cost", job::Ties::none}};
  declaration.outputs.push_back({"table", "(items + 1) x (items + 1)",
                                 "of the items [row, column); zeros below the diagonal", job::Ties::none,
                                 "keep: table"});
  declaration.outputs.push_back(
      {"split", "(items + 1) x (items + 1)",
       std::string("the first node that the items [row, column) are best split at; -1: none") +
           (pairs ? "; row: the first base pairs with the last" : ""),
       job::Ties::none, "splits"});
  if (pairs)
    declaration.outputs.push_back(
        {"structure", "one string", "dots and brackets: bases, and pairs", job::Ties::none, "splits"});
  else
    declaration.outputs.push_back({"expression", "one string", "the items in order, what is put together in brackets",
                                   job::Ties::none, "splits"});
}

std::unique_ptr<run::Stage> make_triangle(const Request& request) {
  const Settings& settings = request.stage.settings;
  const recursive::ProblemInfo& problem = *recursive::find_problem(request.stage.problem);
  const IntervalInputs inputs = read_intervals(request);
  TriangleCut cut;
  cut.spec.rule = inputs.points ? recursive::Rules::index<recursive::PerimeterRule>() : problem.rule;
  if (inputs.points) {
    cut.chord = std::hypot(static_cast<double>(inputs.first.front() - inputs.first.back()),
                           static_cast<double>(inputs.second.front() - inputs.second.back()));
  }
  cut.spec.splits = settings.flag("splits");
  cut.nodes = inputs.nodes;
  cut.table = settings.text("keep") == "table";
  if (request.stage.problem == "nussinov") {
    cut.pairs = true;
    cut.least_inside = settings.integer("minimum_loop");
    cut.wobble = settings.flag("wobble");
  }
  cut.spec.value = interval_type(request, inputs);
  if (request.choices != nullptr) {
    check_value(request, cut.spec.value);
    cut.tile = request.choices->at("tile");
    cut.ways = request.choices->at("ways").get<std::vector<std::int64_t>>();
  } else {
    const Resources resources = beside_vectors(request.resources, cut);
    TileNeeds needs;
    needs.block = [&](std::int64_t side) { return block_bytes(cut, side); };
    needs.workspace = [&](std::int64_t side) {
      return static_cast<std::int64_t>(workspace_of(cut, side, resources));
    };
    needs.most = resources.cuda ? 2048 : 1024;  // larger ones leave too much to closing tiles
    cut.tile = choose_tile(cut.nodes, needs, resources);
    const std::int64_t across = (cut.nodes + cut.tile - 1) / cut.tile;
    cut.ways = choose_ways(settings.text("schedule"), across, cut.tile,
                           static_cast<std::int64_t>(size_of(cut.spec.value)), resources);
  }
  auto terms = interval_terms(inputs, cut.spec.value);
  return std::make_unique<TriangleStage>(request, inputs.whole,
                                         std::make_unique<TrianglePlan>(std::move(cut), std::move(terms)));
}

}  // namespace terrace::stages
