// The corners of Harris and Stephens, "A combined corner and edge detector", 1988.
#include "stages/kernel_graph/problems.hpp"

namespace terrace::stages {
namespace {

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
  graph.keep(graph.add("response", "harris", {xx, xy, yy}, {graph.settings().number("k")}));
}

}  // namespace

GraphProblem harris_problem() {
  job::ProblemDeclaration declared;
  declared.name = "harris";
  declared.summary = "the response of corners by Harris and Stephens";
  declared.group = "images";
  declared.parameters = {{"source", ParameterKind::array, "the image"},
                         {"k", ParameterKind::number,
                          "the weight of the trace: a*b - c*c - k*(a + b)^2 of the summed products", "0.04"}};
  declared.outputs = {{"response", "rows x columns",
                       "gradients by `sobel`, their products summed over 3 x 3, and of these the response",
                       job::Ties::none}};
  declared.example = {"image: {generate: uniform, shape: [40, 60], type: u8, minimum: 0, maximum: 255, seed: 1}",
                      {"{source: image, k: 0.05}", "boundary: {value: 0.5}"}};
  return {declared, build_harris};
}

}  // namespace terrace::stages
