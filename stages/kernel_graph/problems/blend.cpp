// Blends by Laplacian pyramids: Burt and Adelson, "A multiresolution spline with application to image mosaics", 1983.
#include "kernels/graph/operators.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/problems.hpp"

namespace terrace::stages {
namespace {

using graph::Shape;

/// The most levels of a pyramid of that shape.
std::int64_t most_levels(Shape shape) {
  std::int64_t levels = 1;
  for (; shape.rows > 1 && shape.columns > 1; ++levels) {
    shape = {(shape.rows + 1) / 2, (shape.columns + 1) / 2};
  }
  return levels;
}

bool fits_blend(ProblemGraph& graph) {
  const Shape shape = graph.shape(graph.input("left"));
  bool fits = true;
  for (const char* other : {"right", "mask"}) {
    const Shape own = graph.shape(graph.input(other));
    if (own == shape) continue;
    graph.fault(other, quote(other) + " is " + to_string(own) + ", and 'left' " + to_string(shape) +
                           ": a blend wants images of one size");
    fits = false;
  }
  const std::int64_t most = most_levels(shape);
  if (graph.settings().integer("levels") <= most) return fits;
  graph.fault("levels", "an image of " + to_string(shape) + " has " + std::to_string(most) + " levels at most");
  return false;
}

/// The Gaussian pyramid of an input.
std::vector<int> pyramid_of(ProblemGraph& graph, const std::string& name, std::int64_t levels) {
  std::vector<int> made = {graph.input(name)};
  while (std::ssize(made) < levels) {
    made.push_back(graph.add(name + std::to_string(made.size()), "pyramid_down", {made.back()}));
  }
  return made;
}

/// From the coarsest level, which is mixed as it is, to the finest: what is mixed so far, twice as large, and the
/// mixed details of the level.
void build_blend(ProblemGraph& graph) {
  if (!fits_blend(graph)) return;
  const std::int64_t levels = graph.settings().integer("levels");
  const auto left = pyramid_of(graph, "left", levels), right = pyramid_of(graph, "right", levels),
             mask = pyramid_of(graph, "mask", levels);
  const std::size_t last = left.size() - 1;
  const auto name_at = [&](const std::string& name, std::size_t level) {
    return level == 0 && name == "image" ? name : name + "_" + std::to_string(level);
  };
  int image = graph.add(name_at("image", last), "mix", {left[last], right[last], mask[last]});
  for (std::size_t level = last; level-- > 0;) {
    const Shape shape = graph.shape(left[level]);
    const auto details = [&](const std::string& name, const std::vector<int>& pyramid) {
      const int up =
          graph.add(name_at(name + "_up", level), "pyramid_up", {pyramid[level + 1]}, graph.plain(), shape);
      return graph.add(name_at(name + "_details", level), "subtract", {pyramid[level], up});
    };
    const int left_details = details("left", left), right_details = details("right", right);
    const int mixed = graph.add(name_at("details", level), "mix", {left_details, right_details, mask[level]});
    const int up = graph.add(name_at("up", level), "pyramid_up", {image}, graph.plain(), shape);
    image = graph.add(name_at("image", level), "add", {up, mixed});
  }
  const std::string& type = graph.settings().text("stored_as");
  graph.keep(image, type == "auto" ? std::nullopt : std::optional(element_type_from(type)));
}

}  // namespace

GraphProblem blend_problem() {
  job::ProblemDeclaration declared;
  declared.name = "blend";
  declared.summary = "two images as one by Laplacian pyramids, mixed at each level by a mask";
  declared.group = "images";
  declared.parameters = {
      {"left", ParameterKind::array, "the image where the mask is 0"},
      {"right", ParameterKind::array, "the image where the mask is 1"},
      {"mask", ParameterKind::array, "the mask, between 0 and 1"},
      {"levels", ParameterKind::integer, "the levels of the pyramids; 1: the images are mixed as they are", "5",
       nullptr, 1, 32},
      {"stored_as", ParameterKind::choice,
       "the type of the image in the result: in u8 and u16 its values times 255 or 65535, rounded to the nearest and "
       "clamped; auto: that in which it is computed",
       "auto", "auto, f32, f64, u8, u16"}};
  add_boundary_parameters(declared.parameters);
  declared.outputs = {{"image", "rows x columns", "the blend", job::Ties::none}};
  declared.example = {
      "a: {generate: uniform, shape: [40, 60], type: u8, minimum: 0, maximum: 255, seed: 1}, b: "
      "{generate: uniform, shape: [40, 60], type: u8, minimum: 0, maximum: 255, seed: 2}, m: "
      "{generate: uniform, shape: [40, 60], type: f32, seed: 3}",
      {"{left: a, right: b, mask: m, levels: 3}", "stored_as: u8", "boundary: {value: 0.5}"}};
  return {declared, build_blend};
}

}  // namespace terrace::stages
