// The declaration of the stage `kernel_graph`.
#include <deque>
#include <set>

#include "kernels/graph/methods.hpp"
#include "kernels/graph/operators.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/kernel_graph/stage.hpp"
#include "stages/stage_kind.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

constexpr const char* boundaries = "symmetric, edge, reflect, periodic";

/// Texts that live as long as the program.
const char* lasting(const std::string& text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(text).c_str();
}

/// The keys of a node: its operator, the operands that have a key of their own, the parameters of operators.
void add_node_keys(std::vector<Parameter>& keys) {
  std::set<std::string> known;
  const auto add = [&](const char* key, ParameterKind kind, const std::string& help, const Parameter& like = {}) {
    if (!known.insert(key).second) return;
    keys.push_back({lasting(std::string("nodes.*.") + key), kind, lasting(help),
                    kind == ParameterKind::items ? "[]" : "", like.choices, like.minimum, like.maximum});
  };
  const auto kind_of = [](int operands) { return operands == 1 ? ParameterKind::text : ParameterKind::texts; };
  for (const graph::OperatorInfo& info : graph::operators()) {
    const std::string operands =
        info.operands == 1 ? "of an array: " : "of " + std::to_string(info.operands) + " arrays: ";
    add(info.name, kind_of(info.operands), operands + info.help);
  }
  for (const graph::OperatorInfo& info : graph::operators()) {
    if (info.more > 0) add(info.more_key, kind_of(info.more), info.more_help);
    for (const Parameter& parameter : info.parameters) add(parameter.name, parameter.kind, parameter.help, parameter);
    if (std::string(info.number_key).empty()) continue;
    const std::string name = std::string("nodes.*.") + info.number_key;
    keys.push_back(
        {lasting(name + ".of"), ParameterKind::text, "the node of `reduce` whose number is taken", nullptr});
    keys.push_back({lasting(name + ".times"), ParameterKind::number, "the number is multiplied by it", "1"});
  }
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> keys = {
      {"nodes", ParameterKind::names,
       "the nodes by names of your choice, each one operator of inputs and other nodes, in any order", nullptr,
       nullptr, 1, static_cast<double>(graph::most_nodes)}};
  add_node_keys(keys);
  const std::vector<Parameter> others = {
      {"nodes.*.like", ParameterKind::text,
       "the node or input whose size the result of `upscale` and `pyramid_up` has; left out: twice that of the "
       "operand",
       ""},
      {"nodes.*.boundary", ParameterKind::choice,
       "values outside of the node's operands; left out: `boundary` of the graph", "", boundaries},
      {"nodes.*.boundary.value", ParameterKind::number, "everything outside has this value", nullptr},
      {"nodes.*.type", ParameterKind::choice,
       "the type of a kept node in the result: in u8 and u16 its values times 255 or 65535, rounded to the nearest "
       "and "
       "clamped; left out: that of the graph",
       "", "f32, f64, u8, u16"},
      {"keep", ParameterKind::texts, "the nodes that become datasets, at most 16"},
      {"inputs", ParameterKind::names,
       "arrays that nodes read, by names of your choice; inputs of the job that they name need no entry", "{}"},
      {"inputs.*", ParameterKind::array, "an input, or what an earlier stage wrote"},
      {"boundary", ParameterKind::choice,
       "values outside of arrays, as NumPy pads them (periodic: `wrap`); {value: x} is one value", "symmetric",
       boundaries},
      {"boundary.value", ParameterKind::number, "everything outside has this value", nullptr},
      {"type", ParameterKind::choice,
       "the type in which all nodes are computed, each operation rounded once; auto: f64 if an input has it, else "
       "f32",
       "auto", "auto, f32, f64"},
      {"schedule", ParameterKind::choice, "how nodes are computed; plain: one after another over slabs of rows",
       "auto", "auto, plain"}};
  keys.insert(keys.end(), others.begin(), others.end());
  return keys;
}

/// The kept nodes with that operator among the settings; "": with none of these.
std::vector<std::string> kept_of(const Settings& settings, const std::string& op) {
  std::vector<std::string> found;
  for (const std::string& name : settings.names("keep")) {
    const auto has = [&](const char* key) { return settings.has("nodes." + name + "." + key); };
    const std::string own = has(graph::Reduce::name)      ? graph::Reduce::name
                            : has(graph::Histogram::name) ? graph::Histogram::name
                                                          : "";
    if (own == op) found.push_back(name);
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

/// The reason why only the CPU computes a graph: an operator of its nodes.
std::optional<CpuAlone> cpu_alone(const job::Stage& stage, bool) {
  for (const NodeText& node : read_nodes(stage.settings).nodes) {
    if (node.op < 0 || graph::is_on_cuda(node.op)) continue;
    const std::string name = graph::operators()[static_cast<std::size_t>(node.op)].name;
    return CpuAlone{"nodes", "graphs with `" + name + "` are computed on the CPU only; give `backend: cpu`"};
  }
  return std::nullopt;
}

}  // namespace

StageKind kernel_graph_stage() {
  StageKind kind;
  kind.declaration.name = "kernel_graph";
  kind.declaration.help = "graphs of operators over images: filters, gradients, pyramids, warps, blends";
  kind.declaration.parameters = parameters();
  kind.declaration.outputs = {
      output("NODE", "rows x columns of the node", "the values of a kept node", ""),
      output("NUMBER", "one value", "the number of a kept `reduce`, f64", graph::Reduce::name),
      output("COUNTS", "bins", "the counts of a kept `histogram`, i64", graph::Histogram::name)};
  kind.declaration.example = {
      "image: {generate: uniform, shape: [40, 60], type: f32, seed: 1}, other: {generate: uniform, shape: [40, 60], "
      "type: f32, seed: 2}, shift: {generate: uniform, shape: [40, 60], type: f32, seed: 3}",
      {"{nodes: {gx: {sobel: image, axis: x}, gy: {sobel: image, axis: y}, xx: {product: [gx, gx]}, xy: {product: "
       "[gx, "
       "gy]}, yy: {product: [gy, gy]}, sxx: {box_sum: xx, radius: 1}, sxy: {box_sum: xy, radius: 1}, syy: {box_sum: "
       "yy, "
       "radius: 1}, response: {harris: [sxx, sxy, syy], k: 0.04}, top: {reduce: response, with: maximum}, corners: "
       "{threshold: response, below: {of: top, times: 0.01}, type: f64}, counts: {histogram: image, bins: 16}}, "
       "keep: [response, corners, top, counts], boundary: edge, type: f64}",
       "{nodes: {small: {pyramid_down: image}, back: {pyramid_up: small, like: image}, detail: {subtract: [image, "
       "back]}, sharp: {add: [image, detail], type: u8}}, keep: sharp, boundary: {value: 0}, schedule: plain}",
       "{inputs: {a: image}, nodes: {half: {downscale: a}, back: {upscale: half}, mixed: {mix: [a, back], mask: "
       "other}, "
       "dark: {scale: mixed, factor: 0.5, offset: 0.1}, moved: {warp: dark, by: [shift, other]}}, keep: moved}",
       "{nodes: {smooth: {stencil: image, rows: [0.25, 0.5, 0.25], columns: [0.25, 0.5, 0.25], boundary: reflect}, "
       "edges: "
       "{stencil: smooth, coefficients: [[0, -1, 0], [-1, 4, -1], [0, -1, 0]], boundary: {value: 0}}}, keep: "
       "edges}"}};
  kind.declaration.find_inputs = find_inputs_of_graph;
  kind.declaration.check = [](const std::string&, const Settings& settings) { return read_nodes(settings).findings; };
  kind.make = make_kernel_graph;
  kind.cpu_alone = cpu_alone;
  kind.methods = [] { return stage_methods(graph::graph_methods()); };
  return kind;
}

}  // namespace terrace::stages
