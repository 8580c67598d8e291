// The corners of Harris and Stephens, "A combined corner and edge detector", 1988.
#include "stages/kernel_graph/problems.hpp"

namespace terrace::stages {
namespace {

/// Positive responses that reach the threshold and have no larger neighbour. Pixels outside of the image are none,
/// but of a periodic one.
void add_corners(ProblemGraph& graph, int response) {
  graph::Reduction top;
  top.name = "top";
  top.value = response;
  top.measure = graph::Measure::maximum;
  graph::NodeSettings below = graph.plain();
  below.numbers = {0};
  below.known = {{0, graph.reduce(top), graph.settings().number("threshold")}};
  const int strong = graph.add("strong", "threshold", {response}, below);
  graph::NodeSettings around = graph.plain();
  if (around.boundary != graph::Boundary::periodic) around.boundary = graph::Boundary::edge;
  graph::Reduction corners;
  corners.name = "corners";
  corners.value = graph.add("peaks", "peaks", {strong}, around);
  corners.makes = graph::Makes::positions;
  corners.positions.most = graph.settings().integer("most");
  graph.limit(graph.reduce(corners), "most");
}

void build_harris(ProblemGraph& graph) {
  const int source = graph.input("source");
  const auto gradient = [&](const char* name, int axis) {
    graph::NodeSettings settings = graph.plain();
    settings.axis = axis;
    return graph.add(name, "sobel", {source}, settings);
  };
  const int gx = gradient("gx", 1), gy = gradient("gy", 0);
  const auto summed = [&](const std::string& name, int a, int b) {
    const int product = graph.add(name, "product", {a, b});
    graph::NodeSettings settings = graph.plain();
    settings.row_radius = settings.column_radius = 1;
    return graph.add("sum_" + name, "box_sum", {product}, settings);
  };
  const int xx = summed("xx", gx, gx), xy = summed("xy", gx, gy), yy = summed("yy", gy, gy);
  const int response = graph.add("response", "harris", {xx, xy, yy}, {graph.settings().number("k")});
  graph.keep(response);
  add_corners(graph, response);
}

}  // namespace

GraphProblem harris_problem() {
  job::ProblemDeclaration declared;
  declared.name = "harris";
  declared.summary = "corners by Harris and Stephens: the response, and the pixels that are corners";
  declared.group = "images";
  declared.parameters = {
      {"source", ParameterKind::array, "the image"},
      {"k", ParameterKind::number, "the weight of the trace: a*b - c*c - k*(a + b)^2 of the summed products", "0.04"},
      {"threshold", ParameterKind::number, "the least response of a corner, times the largest response of the image",
       "0.01", nullptr, 0, 1},
      {"most", ParameterKind::integer,
       "the most corners, each 16 bytes of memory; more are an error that names their number", "262144", nullptr, 1,
       1e9}};
  add_boundary_parameters(declared.parameters);
  declared.outputs = {
      {"response", "rows x columns",
       "gradients by `sobel`, their products summed over 3 x 3, and of these the response", job::Ties::none},
      {"corners", "corners x 2",
       "rows and columns, i64, of the pixels whose response is above 0, at least `threshold` times the "
       "largest one, and not below any of their 3 x 3 neighbourhood, in row-major order; of equal "
       "neighbours all are corners",
       job::Ties::none, "", nullptr, [](const Settings&) { return true; }}};
  declared.example = {"image: {generate: uniform, shape: [40, 60], type: u8, minimum: 0, maximum: 255, seed: 1}",
                      {"{source: image, k: 0.05, threshold: 0.1, most: 1000}", "boundary: {value: 0.5}"}};
  return {declared, build_harris};
}

}  // namespace terrace::stages
