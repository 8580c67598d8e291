// The declaration of the stage `recursive`, made from the list of problems.
#include <iterator>

#include "kernels/recursive/problems.hpp"
#include "stages/recursive/closures/floyd_warshall_stage.hpp"
#include "stages/recursive/closures/transitive_closure_stage.hpp"
#include "stages/recursive/elimination/stage.hpp"
#include "stages/recursive/histogram.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/products/stage.hpp"
#include "stages/recursive/searches/stage.hpp"
#include "stages/recursive/triangles/stage.hpp"
#include "stages/recursive/verify.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {
namespace {

const std::vector<Parameter> closure_parameters = {
    {"matrix", ParameterKind::array,
     "a graph, or the square matrix of which row i has the weights of the edges from node i to all nodes"},
    {"type", ParameterKind::choice,
     "type of the distances; input: that of the matrix; auto: of integers the narrowest that is sure to hold them; "
     "left "
     "out: auto for a graph, input for a matrix",
     "", "auto, input, i16, i32, i64, f32, f64"},
};

const Parameter path_parameters[] = {
    {"sources", ParameterKind::texts,
     "of a graph: the nodes from which distances are found, by their names or ids, fewer than all; `previous` then "
     "takes "
     "the place of `next`; left out: all nodes",
     ""},
    {"keep", ParameterKind::choice,
     "table: all distances; reductions: of a graph's, of each node as its row is made, the largest, the sum and the "
     "number of those to other nodes, so that no table is stored; with `bins` or `range` also a histogram",
     "table", "table, reductions"}};

const std::vector<Parameter> elimination_parameters = {
    {"type", ParameterKind::choice, "type of the numbers; input: that of the matrix, of whole numbers f64", "input",
     "input, f32, f64"},
};

const std::vector<Parameter> product_parameters = {
    {"type", ParameterKind::choice,
     "type of the product; input: one that holds the elements of all matrices; or_and: u8, 0 and 1; count: i32",
     "input", "input, i16, i32, i64, f32, f64"},
};

using recursive::Form;

constexpr const char* weights_example =
    "roads: {graph: roads.txt}, weights: {generate: uniform, shape: [50, 50], type: i32, minimum: 1, maximum: 100, "
    "seed: 1}";
constexpr const char* edges_example =
    "edges: {generate: uniform, shape: [50, 50], type: u8, minimum: 0, maximum: 1, seed: 1}";
constexpr const char* numbers_example =
    "numbers: {generate: uniform, shape: [40, 40], minimum: -1, maximum: 1, seed: 4}";
constexpr const char* factors_example =
    "a: {generate: uniform, shape: [30, 40], seed: 1}, b: {generate: uniform, shape: [40, 20], seed: 2}, "
    "c: {generate: uniform, shape: [30, 20], seed: 3}";

/// The heading of a form's problems, the parameters that all of them have, their outputs and their example.
struct FormDeclaration {
  const char* group;
  std::vector<Parameter> parameters;
  std::vector<job::OutputDeclaration> outputs;
  job::Example example;
};

std::vector<Parameter> parameters_of_paths() {
  std::vector<Parameter> parameters = closure_parameters;
  parameters.insert(parameters.end(), std::begin(path_parameters), std::end(path_parameters));
  parameters.insert(parameters.end(), std::begin(histogram_parameters), std::end(histogram_parameters));
  return parameters;
}

bool keeps_next(const Settings& settings) { return settings.flag("paths") && !settings.has("sources"); }
bool keeps_previous(const Settings& settings) { return settings.flag("paths") && settings.has("sources"); }

std::vector<job::OutputDeclaration> outputs_of_paths() {
  std::vector<job::OutputDeclaration> outputs = {
      {"distance", "nodes x nodes, or sources x nodes",
       "from each node to each; no path: infinity, in integers half the largest value", job::Ties::none,
       "keep: table"},
      {"next", "nodes x nodes", "the node after the first on a shortest path; -1: no path", job::Ties::open,
       "paths, without sources", keeps_next},
      {"previous", "sources x nodes", "the node before the last on a shortest path; -1: no path", job::Ties::open,
       "paths, with sources", keeps_previous},
      {"source", "sources", "the nodes from which distances are found", job::Ties::none, "sources"},
      {"eccentricity", "nodes, or sources",
       "the largest distance from each node to another; where none is finite that of no path", job::Ties::none,
       "keep: reductions"},
      {"sum", "nodes, or sources", "of the finite distances from each node to others", job::Ties::none,
       "keep: reductions"},
      {"reached", "nodes, or sources", "the number of other nodes to which each has a path", job::Ties::none,
       "keep: reductions"}};
  for (job::OutputDeclaration& output : histogram_outputs("keep: reductions, with bins or range", makes_histogram)) {
    outputs.push_back(std::move(output));
  }
  return outputs;
}

FormDeclaration declaration_of(Form form) {
  switch (form) {
    case Form::shortest_paths:
      return {"closures",
              parameters_of_paths(),
              outputs_of_paths(),
              {weights_example,
               {"{matrix: weights}", "no_edge: 100", "{matrix: roads, sources: [1, 3], paths: true}",
                "{matrix: roads, keep: reductions, bins: 64, range: [0, 64]}"}}};
    case Form::transitive_closure:
      return {"closures",
              {},
              {{"closure", "nodes x nodes, or nodes x bytes", "whether there is a path from each node to each",
                job::Ties::none}},
              {edges_example, {"{matrix: edges}"}}};
    case Form::elimination:
      return {"elimination",
              elimination_parameters,
              {{"lu", "rows x rows", "U, and below its diagonal L, whose own diagonal is 1", job::Ties::none}},
              {numbers_example, {"{matrix: numbers}"}}};
    default:
      return {"products",
              product_parameters,
              {{"product", "rows of left x columns of right", "the product", job::Ties::none}},
              {factors_example, {"{left: a, right: b}", "accumulate: c", "type: f32"}}};
  }
}

job::ProblemDeclaration declare(const recursive::ProblemInfo& problem) {
  job::ProblemDeclaration declaration;
  declaration.name = problem.name;
  declaration.summary = problem.help;
  if (problem.form == Form::intervals) {
    declare_intervals(problem, declaration);
  } else {
    FormDeclaration form = declaration_of(problem.form);
    declaration.group = form.group;
    declaration.parameters = std::move(form.parameters);
    declaration.outputs = std::move(form.outputs);
    declaration.example = std::move(form.example);
    if (problem.form == Form::shortest_paths) declaration.earlier_defaults = {{"type", "input"}};
    if (problem.form == Form::transitive_closure) declaration.results = 2;  // 1: infinity was an edge
    if (problem.form == Form::product) declaration.results = 2;  // 1: of a graph infinity was true in or_and
  }
  declaration.parameters.insert(declaration.parameters.end(), problem.parameters.begin(), problem.parameters.end());
  return declaration;
}

/// Sets the type of distances: edges of a graph have none by themselves, elements of a matrix do.
void fill_in(const std::string& problem, Settings& settings, const job::KindOf& kind_of) {
  if (recursive::find_problem(problem)->form != Form::shortest_paths || settings.has("type")) return;
  settings.set("type", std::string(kind_of("matrix") == "graph" ? "auto" : "input"));
}

std::vector<job::Finding> check_together(const std::string& problem, const Settings& settings) {
  const std::string& schedule = settings.text("schedule");
  if (recursive::find_problem(problem)->form == Form::shortest_paths) {
    const bool reduces = settings.text("keep") == "reductions";
    const std::string remedy =
        reduces ? "" : "say `keep: reductions`, or ask for it by `reduce: [histogram]` of a stage `query`";
    if (auto faults = check_histogram(settings, remedy); !faults.empty()) return faults;
    if (reduces && settings.flag("paths")) {
      return {{"paths", "`keep: reductions` keeps no paths; leave one of the two out"}};
    }
    if ((!settings.has("sources") && !reduces) || schedule == "auto" || schedule == "searches") return {};
    return {{"schedule", std::string(reduces ? "rows that are not kept" : "distances from some `sources`") +
                             " are searched: leave it out, or say `schedule: searches`"}};
  }
  if (schedule != "searches") return {};
  return {{"schedule", "searches find shortest paths, of `floyd_warshall`; give another schedule, or none"}};
}

std::optional<CpuAlone> cpu_alone(const Request& request) {
  if (recursive::find_problem(request.stage.problem)->form != Form::shortest_paths) return std::nullopt;
  return searches_alone(request);
}

std::unique_ptr<run::Stage> make_recursive(const Request& request) {
  switch (recursive::find_problem(request.stage.problem)->form) {
    case Form::shortest_paths:
      return make_floyd_warshall(request);
    case Form::transitive_closure:
      return make_transitive_closure(request);
    case Form::intervals:
      return make_triangle(request);
    case Form::elimination:
      return make_elimination(request);
    default:
      return make_product(request);
  }
}

}  // namespace

StageKind recursive_stage() {
  StageKind kind;
  kind.declaration.name = "recursive";
  kind.declaration.help = "tables whose tiles are updated by other tiles, larger than memory";
  kind.declaration.parameters = {
      {"schedule", ParameterKind::choice,
       "how the recursion over tiles is cut; two_way: in two at every level; r_way: as host "
       "and device memory ask for; plain: in single tiles at once; auto: in two, but a "
       "product so that blocks of it stay in memory until they are done; searches: of `floyd_warshall`, no "
       "recursion: "
       "a search from each node over the edges of a graph, on the CPU, which auto takes for distances of whole "
       "numbers "
       "where it is quicker",
       "auto", "auto, two_way, r_way, plain, searches"}};
  for (const recursive::ProblemInfo& problem : recursive::problems()) {
    kind.declaration.problems.push_back(declare(problem));
  }
  kind.declaration.fill_in = fill_in;
  kind.declaration.check = check_together;
  kind.cpu_alone = cpu_alone;
  kind.make = make_recursive;
  kind.verify = verify_recursive;
  kind.methods = recursive_methods;
  kind.deals = always_deals;
  kind.small_by_inputs = true;
  kind.cut_decides_bits = true;
  return kind;
}

}  // namespace terrace::stages
