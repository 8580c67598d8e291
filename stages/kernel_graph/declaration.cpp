// The declaration of the stage `kernel_graph`.
#include <algorithm>
#include <deque>
#include <set>

#include "kernels/graph/methods.hpp"
#include "kernels/graph/operators.hpp"
#include "stages/cell_compiler.hpp"
#include "stages/kernel_graph/iteration_text.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/kernel_graph/problems.hpp"
#include "stages/kernel_graph/same_formulas.hpp"
#include "stages/kernel_graph/stage.hpp"
#include "stages/kernel_graph/verify.hpp"
#include "stages/stage_kind.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

/// The problem of a stage that names none.
constexpr const char* graph_of_nodes = "graph";

/// Texts that live as long as the program.
const char* lasting(const std::string& text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(text).c_str();
}

/// The keys of the nodes of one map: operators, the operands that have a key of their own, parameters of operators.
class NodeKeys {
 public:
  enum class Of : std::uint8_t { graph, iteration };  // whose nodes know no numbers
  /// @param prefix of the keys: "nodes.*."
  NodeKeys(const std::string& prefix, Of of, std::vector<Parameter>& keys)
      : prefix_(prefix), has_numbers_(of == Of::graph), keys_(keys) {}

  void add_operator(const graph::OperatorInfo& info) {
    const std::string operands =
        info.operands == 1 ? "of an array: " : "of " + std::to_string(info.operands) + " arrays: ";
    if (info.own_key == graph::OwnKey::arrays) add(info.name, kind_of(info.operands), operands + info.help);
    if (info.own_key == graph::OwnKey::formula) add(info.name, ParameterKind::text, info.help);
  }
  void add_parameters(const graph::OperatorInfo& info) {
    if (info.more > 0) add(info.more_key, kind_of(info.more), info.more_help);
    for (const Parameter& parameter : info.parameters) add(parameter.name, parameter.kind, parameter.help, parameter);
    if (std::string(info.number_key).empty() || !has_numbers_) return;
    const std::string name = prefix_ + info.number_key;
    keys_.push_back(
        {lasting(name + ".of"), ParameterKind::text, "the node of `reduce` whose number is taken", nullptr});
    keys_.push_back({lasting(name + ".times"), ParameterKind::number, "the number is multiplied by it", "1"});
  }
  void add_others() {
    add("operands", ParameterKind::names, "the arrays that a `formula` reads, by their names there");
    add("operands.*", ParameterKind::text, "an input or another node");
    add("boundary", ParameterKind::choice, "values outside of the node's operands; left out: `boundary` of the graph",
        {"", ParameterKind::choice, "", nullptr, boundary_words});
    keys_.push_back(
        {lasting(prefix_ + "boundary.value"), ParameterKind::number, "everything outside has this value", nullptr});
  }

 private:
  static ParameterKind kind_of(int operands) { return operands == 1 ? ParameterKind::text : ParameterKind::texts; }
  void add(const char* key, ParameterKind kind, const std::string& help, const Parameter& like = {}) {
    if (!known_.insert(key).second) return;
    keys_.push_back({lasting(prefix_ + key), kind, lasting(help), kind == ParameterKind::items ? "[]" : "",
                     like.choices, like.minimum, like.maximum});
  }

  std::string prefix_;
  bool has_numbers_;
  std::vector<Parameter>& keys_;
  std::set<std::string> known_;
};

void add_node_keys(std::vector<Parameter>& keys) {
  NodeKeys nodes("nodes.*.", NodeKeys::Of::graph, keys);
  NodeKeys iterated("nodes.*.iterate.nodes.*.", NodeKeys::Of::iteration, keys);
  for (const graph::OperatorInfo& info : graph::operators()) nodes.add_operator(info);
  for (const graph::OperatorInfo& info : graph::operators()) nodes.add_parameters(info);
  nodes.add_others();
  const std::vector<Parameter> iteration = {
      {"nodes.*.iterate.state", ParameterKind::names,
       "the arrays that `iterate` makes again and again, by names of your choice; after it STATE of node NODE is "
       "NODE/STATE, and NODE_STATE as a dataset",
       nullptr, nullptr, 1, static_cast<double>(graph::most_kept)},
      {"nodes.*.iterate.state.*", ParameterKind::text, "the node or input that has its first values"},
      {"nodes.*.iterate.next", ParameterKind::names, "what each state is after a step"},
      {"nodes.*.iterate.next.*", ParameterKind::text, "a node of the step, or a state"},
      {"nodes.*.times", ParameterKind::integer, "the number of steps of `iterate`", "", nullptr, 0, 1e9},
      {"nodes.*.iterate.nodes", ParameterKind::names,
       "the nodes of a step, of states, of each other, and of nodes and inputs outside", nullptr, nullptr, 1,
       static_cast<double>(graph::most_nodes)}};
  keys.insert(keys.end(), iteration.begin(), iteration.end());
  const auto add_iterated = [&](auto add) {
    for (const graph::OperatorInfo& info : graph::operators()) {
      if (graph::may_iterate(info)) (iterated.*add)(info);
    }
  };
  add_iterated(&NodeKeys::add_operator);
  add_iterated(&NodeKeys::add_parameters);
  iterated.add_others();
}

/// The keys of a graph that a job writes.
std::vector<Parameter> parameters_of_graph() {
  std::vector<Parameter> keys = {
      {"nodes", ParameterKind::names,
       "the nodes by names of your choice, each one operator of inputs and other nodes, in any order", nullptr,
       nullptr, 1, static_cast<double>(graph::most_nodes)}};
  add_node_keys(keys);
  const std::vector<Parameter> others = {
      {"nodes.*.type", ParameterKind::choice,
       "the type of a kept node in the result: in u8 and u16 its values times 255 or 65535, rounded to the nearest "
       "and "
       "clamped; left out: that of the graph",
       "", "f32, f64, u8, u16"},
      {"keep", ParameterKind::texts, "the nodes that become datasets, at most 16"},
      {"inputs", ParameterKind::names,
       "arrays that nodes read, by names of your choice; inputs of the job that they name need no entry", "{}"},
      {"inputs.*", ParameterKind::array, "an input, or what an earlier stage wrote"}};
  keys.insert(keys.end(), others.begin(), others.end());
  add_boundary_parameters(keys);
  return keys;
}

/// The keys of every graph.
std::vector<Parameter> parameters_of_all() {
  return {
      {"type", ParameterKind::choice,
       "the type in which all nodes are computed, each operation rounded once; auto: f64 if an input has it, else "
       "f32",
       "auto", "auto, f32, f64"},
      {"arithmetic", ParameterKind::choice,
       "exact: each problem by the operations that define it; fast: horn_schunck divides the derivatives by the root "
       "of "
       "their divisor before it iterates, and not in each step, which changes the flow in its last digits. Either "
       "gives "
       "the same bits on every back end",
       "exact", "exact, fast"},
      {"schedule", ParameterKind::choice,
       "how nodes are computed; plain: one after another over slabs of rows; on a GPU also fused: nodes of one "
       "shape, "
       "or some steps of an `iterate`, by one kernel, values between them in registers; streamed: the same, but an "
       "`iterate` of formulas of radius 1 makes more steps at once; and ktiler: nodes, and steps of an `iterate`, in "
       "turn over strips of rows that stay in the L2 cache. auto takes the cheapest of these, on a GPU for each "
       "`iterate`",
       "auto", "auto, plain, streamed, fused, ktiler"}};
}

/// The kept nodes with that operator among the settings; "": with none of these.
std::vector<std::string> kept_of(const Settings& settings, const std::string& op) {
  std::vector<std::string> found;
  for (const std::string& name : settings.names("keep")) {
    const auto has = [&](const char* key) { return settings.has("nodes." + name + "." + key); };
    std::string own;
    for (const graph::OperatorInfo& info : graph::operators()) {
      if (info.is_reduction && has(info.name)) own = info.name;
    }
    if (own == op) found.push_back(dataset_name(name));
  }
  return found;
}

job::OutputDeclaration output(const char* word, const char* shape, const char* meaning, const std::string& op) {
  job::OutputDeclaration declared{word, shape, meaning, job::Ties::none};
  declared.when = std::string(word) + " is in `keep`";
  declared.written = [op](const Settings& settings) { return !kept_of(settings, op).empty(); };
  declared.names = [op](const Settings& settings) { return kept_of(settings, op); };
  return declared;
}

job::ProblemDeclaration written_graph() {
  job::ProblemDeclaration declared;
  declared.name = graph_of_nodes;
  declared.summary = "a graph of nodes, each one operator of images; `problem` may be left out";
  declared.group = "graphs";
  declared.parameters = parameters_of_graph();
  job::OutputDeclaration positions =
      output("POSITIONS", "positions x 2", "the rows and columns of a kept `positions`, i64", graph::Positions::name);
  positions.has_found_length = positions.written;
  declared.outputs = {output("NODE", "rows x columns of the node", "the values of a kept node", ""),
                      output("NUMBER", "one value", "the number of a kept `reduce`, f64", graph::Reduce::name),
                      output("COUNTS", "bins", "the counts of a kept `histogram`, i64", graph::Histogram::name),
                      positions};
  declared.example = {
      "image: {generate: uniform, shape: [40, 60], type: f32, seed: 1}, other: {generate: uniform, shape: [40, 60], "
      "type: f32, seed: 2}, shift: {generate: uniform, shape: [40, 60], type: f32, seed: 3}",
      {"{nodes: {gx: {sobel: image, axis: x}, gy: {sobel: image, axis: y}, xx: {product: [gx, gx]}, xy: {product: "
       "[gx, "
       "gy]}, yy: {product: [gy, gy]}, sxx: {box_sum: xx, radius: 1}, sxy: {box_sum: xy, radius: 1}, syy: {box_sum: "
       "yy, "
       "radius: 1}, response: {harris: [sxx, sxy, syy], k: 0.04}, top: {reduce: response, with: maximum}, corners: "
       "{threshold: response, below: {of: top, times: 0.01}, type: f64}, counts: {histogram: image, bins: 16, range: "
       "[0, 1]}, largest: {peaks: corners}, found: {positions: largest, most: 600}}, "
       "keep: [response, corners, top, counts, found], boundary: edge, type: f64}",
       "{nodes: {small: {pyramid_down: image}, back: {pyramid_up: small, like: image}, detail: {subtract: [image, "
       "back]}, sharp: {add: [image, detail], type: u8}}, keep: sharp, boundary: {value: 0}, schedule: plain}",
       "{inputs: {a: image}, nodes: {half: {downscale: a}, back: {upscale: half}, mixed: {mix: [a, back], mask: "
       "other}, "
       "dark: {scale: mixed, factor: 0.5, offset: 0.1}, moved: {warp: dark, by: [shift, other]}}, keep: moved}",
       "{nodes: {none: {constant: 0, like: image}, flow: {iterate: {state: {u: none, v: none}, nodes: {mean: "
       "{stencil: "
       "u, coefficients: [[0, 0.25, 0], [0.25, 0, 0.25], [0, 0.25, 0]], boundary: edge}, wide: {stencil: v, rows: "
       "[1], "
       "columns: [0.25, 0.5, 0.25], boundary: {value: 0}}, gx: {sobel: u, axis: x}, sum: {box_sum: wide, radius: 1}, "
       "all: {add: [mean, gx]}, less: {subtract: [sum, gx]}, both: {product: [all, less]}, half: {scale: both, "
       "factor: "
       "0.5, offset: 0.1}, mixed: {mix: [half, all], mask: image}, cut: {threshold: mixed, below: 0.01}, corner: "
       "{harris: [cut, less, all], k: 0.04}, peak: {peaks: corner}, next: {formula: \"x[0,0] + 0.25*(a - y)\", "
       "operands: {x: u, a: image, "
       "y: peak}}}, next: {u: next, v: cut}}, times: 3}, change: {formula: \"abs(u[-1,0] - u[1,0])/2\", operands: "
       "{u: flow/u}}, weight: {add: [change, flow/v]}}, keep: [flow/u, weight]}",
       "{nodes: {smooth: {stencil: image, rows: [0.25, 0.5, 0.25], columns: [0.25, 0.5, 0.25], boundary: reflect}, "
       "edges: "
       "{stencil: smooth, coefficients: [[0, -1, 0], [-1, 4, -1], [0, -1, 0]], boundary: {value: 0}}}, keep: "
       "edges}"}};
  declared.in_words_of = node_formulas_in_words_of;
  return declared;
}

bool has_formulas(const std::vector<NodeText>& nodes) {
  return std::ranges::any_of(nodes, [](const NodeText& node) {
    return node.formula || (node.iteration && has_formulas(node.iteration->body.nodes));
  });
}

/// The reason why only the CPU computes a graph: its formulas, or its clusters, cannot be compiled.
std::optional<CpuAlone> cpu_alone(const Request& request) {
  const job::Stage& stage = request.stage;
  const bool compiles = request.resources.compiles;
  if (stage.settings.text("schedule") == "fused") {
    std::optional<CpuAlone> alone = cpu_alone_without_compiler("clusters of nodes", compiles);
    if (alone) alone->parameter = "schedule";
    return alone;
  }
  const GraphProblem* problem = find_graph_problem(stage.problem);
  if (problem != nullptr ? !has_formulas(stage.settings, *problem)
                         : !has_formulas(read_nodes(stage.settings).nodes)) {
    return std::nullopt;
  }
  std::optional<CpuAlone> alone = cpu_alone_without_compiler("formulas", compiles);
  if (alone) alone->parameter = problem != nullptr ? "problem" : "nodes";
  return alone;
}

}  // namespace

StageKind kernel_graph_stage() {
  StageKind kind;
  kind.declaration.name = "kernel_graph";
  kind.declaration.help = "graphs of operators over images: filters, gradients, pyramids, warps, blends";
  kind.declaration.parameters = parameters_of_all();
  kind.declaration.problem_if_absent = graph_of_nodes;
  kind.declaration.problems = {written_graph()};
  for (const GraphProblem& problem : graph_problems()) kind.declaration.problems.push_back(problem.declaration);
  kind.declaration.find_inputs = find_inputs_of_graph;
  kind.declaration.check = [](const std::string& problem, const Settings& settings) {
    return problem == graph_of_nodes ? read_nodes(settings).findings : std::vector<job::Finding>{};
  };
  kind.make = make_kernel_graph;
  kind.deals = always_deals;
  kind.small_by_inputs = true;
  kind.verify = verify_kernel_graph;
  kind.cpu_alone = cpu_alone;
  kind.methods = [] { return stage_methods(graph::graph_methods()); };
  return kind;
}

}  // namespace terrace::stages
