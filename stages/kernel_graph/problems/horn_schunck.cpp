// The optical flow of Horn and Schunck, "Determining optical flow", 1981, from coarse to fine, with warps.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operators.hpp"
#include "stages/kernel_graph/problems.hpp"

namespace terrace::stages {
namespace {

using graph::Boundary;
using graph::Shape;

/// The fewest rows and columns of a level.
constexpr std::int64_t least_extent = 2;

struct Level {
  int source, target;
};
struct Flow {
  int u, v;
};

class FlowGraph {
 public:
  explicit FlowGraph(ProblemGraph& graph)
      : graph_(graph),
        alpha_(graph.settings().number("alpha")),
        is_fast_(graph.settings().text("arithmetic") == "fast") {}

  void build() {
    const bool is_none = graph_.type() == ElementType::f32 && static_cast<float>(alpha_) == 0;
    if (!(alpha_ > 0)) {
      graph_.fault("alpha", fmt::format("`alpha` is {}; give a number above 0", alpha_));
    } else if (is_none) {
      graph_.fault("alpha", fmt::format("`alpha` is {}, which is 0 in f32, in which the flow is computed; give a "
                                        "larger number, or `type: f64`",
                                        alpha_));
    }
    add_levels();
    if (!graph_.faults().empty()) return;
    Flow flow{};
    for (std::size_t level = levels_.size(); level-- > 0;) {
      flow = level + 1 == levels_.size() ? no_flow(levels_[level]) : larger(flow, level);
      const std::int64_t warps = graph_.settings().integer("warps");
      for (std::int64_t warp = 0; warp < warps; ++warp) {
        suffix_ = fmt::format("_{}_{}", level, warp);
        flow = warped(flow, levels_[level], level == 0 && warp + 1 == warps);
      }
    }
    graph_.keep(flow.u);
    graph_.keep(flow.v);
    if (graph_.settings().has("truth")) add_error(flow);
  }

 private:
  /// The mean of the distances between the flow and the truth where that is known: displacements of at most 1e9.
  void add_error(const Flow& flow) {
    suffix_.clear();
    const std::vector<int> operands = {flow.u, flow.v, graph_.input("truth/u"), graph_.input("truth/v")};
    const auto sum = [&](const std::string& name, const std::string& where_known) {
      const std::string text = "if(abs(a) <= 1e9 && abs(b) <= 1e9, " + where_known + ", 0.0)";
      graph::Reduction made;
      made.name = "sum of " + name;
      made.value = add_formula(name, text, {"u", "v", "a", "b"}, operands);
      made.measure = graph::Measure::sum;
      return graph_.reduce(std::move(made));
    };
    const int errors = sum("errors", "sqrt((u - a)*(u - a) + (v - b)*(v - b))"), known = sum("known", "1.0");
    graph_.keep_quotient("error", errors, known, "mean end-point error where the truth is known");
  }

  /// The sizes halve.
  void add_levels() {
    const int source = graph_.input("source"), target = graph_.input("target");
    const Shape shape = graph_.shape(source);
    if (graph_.shape(target) != shape) {
      graph_.fault("target", "`target` is " + to_string(graph_.shape(target)) + ", and `source` " + to_string(shape) +
                                 ": give images of one size");
      return;
    }
    if (graph_.settings().has("truth") && graph_.shape(graph_.input("truth/u")) != shape) {
      graph_.fault("truth", "`truth` is of " + to_string(graph_.shape(graph_.input("truth/u"))) +
                                " pixels, and `source` " + to_string(shape) + ": give the flow of the images");
    }
    std::int64_t most = 0;
    while (std::min(shape.rows, shape.columns) >> most >= least_extent) ++most;
    const std::int64_t levels = graph_.settings().integer("levels");
    if (levels > most) {
      graph_.fault("levels", fmt::format("images of {} have at most {} levels of 2 pixels and more, not {}",
                                         to_string(shape), most, levels));
      return;
    }
    levels_.push_back({source, target});
    for (std::int64_t level = 1; level < levels; ++level) {
      suffix_ = fmt::format("_{}", level);
      const Level above = levels_.back();
      levels_.push_back({graph_.store(graph_.add("source" + suffix_, "downscale", {above.source})),
                         graph_.store(graph_.add("target" + suffix_, "downscale", {above.target}))});
    }
  }
  int add_formula(const std::string& name, const std::string& text, const std::vector<std::string>& names,
                  const std::vector<int>& operands, Boundary boundary = Boundary::symmetric) {
    const Shape shape = graph_.shape(operands.front());
    return graph_.add(name + suffix_, "formula", operands,
                      graph::settings_of(graph::parse_node_formula(text, names, shape, graph_.type()), boundary));
  }

  Flow no_flow(const Level& level) {
    return {graph_.add("no_u", "constant", {level.source}, {0}), graph_.add("no_v", "constant", {level.source}, {0})};
  }
  /// The flow at the next finer level.
  Flow larger(const Flow& flow, std::size_t level) {
    const Shape small = graph_.shape(flow.u), large = graph_.shape(levels_[level].source);
    suffix_ = fmt::format("_{}", level);
    const auto one = [&](const std::string& name, int value, std::int64_t above, std::int64_t below) {
      graph::NodeSettings mirrored;
      mirrored.boundary = Boundary::symmetric;
      const int wide = graph_.add("wide_" + name + suffix_, "upscale", {value}, mirrored, large);
      // The ratio, rounded to the type of the graph.
      return add_formula("large_" + name, "x * " + number(static_cast<double>(above) / static_cast<double>(below)),
                         {"x"}, {wide});
    };
    return {one("u", flow.u, large.columns, small.columns), one("v", flow.v, large.rows, small.rows)};
  }

  /// The derivative of both images' mean along an axis, by (1, -8, 0, 8, -1) / 12.
  int derivative(const std::string& name, int source, int target, bool along_rows) {
    const auto of = [&](const std::string& image) {
      const auto at = [&](int offset) {
        return along_rows ? fmt::format("{}[{}, 0]", image, offset) : fmt::format("{}[0, {}]", image, offset);
      };
      return fmt::format("({} - 8*{} + 8*{} - {}) / 12", at(-2), at(-1), at(1), at(2));
    };
    return add_formula(name, fmt::format("({} + {}) * 0.5", of("s"), of("t")), {"s", "t"}, {source, target});
  }

  Flow warped(const Flow& flow, const Level& level, bool is_last) {
    const int moved = graph_.add("moved" + suffix_, "warp", {level.target, flow.u, flow.v});
    const int x = derivative("x", level.source, moved, false), y = derivative("y", level.source, moved, true);
    const int z = graph_.add("z" + suffix_, "subtract", {moved, level.source});
    const int divisor = add_formula("divisor", fmt::format("x*x + y*y + {}", number(alpha_)), {"x", "y"}, {x, y});
    const Flow change = is_fast_ ? iterated_fast(level.source, {x, y, z}, divisor)
                                 : iterated(level.source, {x, y, z, divisor}, exact_step());
    if (is_last) suffix_.clear();
    const Flow sum{graph_.add("u" + suffix_, "add", {flow.u, change.u}),
                   graph_.add("v" + suffix_, "add", {flow.v, change.v})};
    return is_last ? sum : Flow{graph_.store(sum.u), graph_.store(sum.v)};
  }
  /// A number in a formula.
  static std::string number(double value) {
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }

  /// The formulas of a step, of the change u, v and of constant arrays.
  struct StepText {
    std::vector<std::string> constants;
    std::string u, v;
  };
  static std::string mean_of(const std::string& state) {
    return fmt::format("({0}[0, -1] + {0}[0, 1] + {0}[1, 0] + {0}[-1, 0]) * 0.25", state);
  }
  static StepText exact_step() {
    const std::string u = mean_of("u"), v = mean_of("v");
    const std::string share = fmt::format("((x*({}) + y*({}) + z) / d)", u, v);
    return {{"x", "y", "z", "d"}, u + " - x*" + share, v + " - y*" + share};
  }
  /// The change by derivatives over the root of the divisor.
  static StepText fast_step() {
    const std::string u = mean_of("u"), v = mean_of("v");
    const std::string share = fmt::format("fma(x, {}, fma(y, {}, z))", u, v);
    return {{"x", "y", "z"}, fmt::format("fma(-x, {}, {})", share, u), fmt::format("fma(-y, {}, {})", share, v)};
  }
  Flow iterated_fast(int like, std::vector<int> derivatives, int divisor) {
    for (std::size_t n = 0; n < derivatives.size(); ++n) {
      const std::string name = fmt::format("scaled_{}", "xyz"[n]);
      derivatives[n] = add_formula(name, "x / sqrt(d)", {"x", "d"}, {derivatives[n], divisor});
    }
    return iterated(like, derivatives, fast_step());
  }

  /// The change of the flow, from none on.
  Flow iterated(int like, const std::vector<int>& constants, const StepText& step) {
    const Shape shape = graph_.shape(like);
    auto iteration = std::make_shared<graph::Iteration>();
    iteration->body.type = graph_.type();
    std::vector<std::string> names = {"u", "v"};
    names.insert(names.end(), step.constants.begin(), step.constants.end());
    for (const std::string& name : names) iteration->body.inputs.push_back({name, graph_.type(), shape});
    for (const auto& [text, name] : {std::pair(step.u, "u"), std::pair(step.v, "v")}) {
      graph::Node node;
      node.name = name;
      node.op = graph::find_operator("formula").value();
      for (int n = 0; n < std::ssize(names); ++n) node.operands.push_back(n);
      node.settings =
          graph::settings_of(graph::parse_node_formula(text, names, shape, graph_.type()), Boundary::edge);
      node.shape = shape;
      iteration->next.push_back(iteration->body.values());
      iteration->body.nodes.push_back(std::move(node));
    }
    iteration->times = graph_.settings().integer("iterations");
    graph::complete(*iteration);
    const int none = graph_.add("none" + suffix_, "constant", {like}, {0});
    std::vector<int> operands = {none, none};
    operands.insert(operands.end(), constants.begin(), constants.end());
    const int first = graph_.add("change_u" + suffix_, "iterate", operands, graph::settings_of(iteration, 0));
    return {first, graph_.add("change_v" + suffix_, "iterate", operands, graph::settings_of(iteration, 1))};
  }

  ProblemGraph& graph_;
  double alpha_;
  bool is_fast_;
  std::vector<Level> levels_;
  std::string suffix_;
};

void build(ProblemGraph& graph) { FlowGraph(graph).build(); }

}  // namespace

GraphProblem horn_schunck_problem() {
  job::ProblemDeclaration declared;
  declared.name = "horn_schunck";
  declared.summary =
      "optical flow by Horn and Schunck, from coarse to fine, with warps; its error where the true flow is known";
  declared.group = "images";
  declared.explanation =
      "Its boundaries are fixed: outside of images and of the flow is their mirror image, and the neighbours that a "
      "step reads outside of the change of the flow are the pixels at its edge. So it takes no `boundary`";
  declared.parameters = {
      {"source", ParameterKind::array, "the first image"},
      {"target", ParameterKind::array, "the second image, of the same size"},
      {"alpha", ParameterKind::number, "the weight of a smooth flow, added to the squares of both derivatives",
       nullptr},
      {"levels", ParameterKind::integer, "the sizes of the images, each half of the one before", "5", nullptr, 1, 31},
      {"warps", ParameterKind::integer, "how often a level's target is warped by the flow found so far", "3", nullptr,
       1, 1000},
      {"iterations", ParameterKind::integer, "the steps after each warp", "500", nullptr, 0, 1e9},
      {"truth", ParameterKind::array,
       "the true flow, rows x columns x 2 displacements along columns and along rows, as an input `flo` has it: adds "
       "`error`; where one of a pixel's displacements is above 1e9, below -1e9 or NaN it is not known",
       ""}};
  declared.outputs = {{"u", "rows x columns", "the flow along columns, in pixels", job::Ties::none},
                      {"v", "rows x columns", "the flow along rows, in pixels", job::Ties::none},
                      {"error", "one value",
                       "the mean end-point error, f64: the sum of sqrt((u - a)^2 + (v - b)^2) over the pixels whose "
                       "truth a, b is known, added as `reduce` does, over their number; NaN if there are none",
                       job::Ties::none, "truth"}};
  declared.example = {
      "first: {generate: uniform, shape: [40, 60], type: f32, seed: 1}, second: {generate: uniform, shape: [40, 60], "
      "type: f32, seed: 2}, flow: {generate: uniform, shape: [40, 60, 2], type: f32, seed: 3}",
      {"{source: first, target: second, alpha: 0.2, levels: 2, warps: 2, iterations: 10}", "truth: flow"}};
  declared.refused = {{"boundary",
                       "whose definition has its boundaries: images and the flow are mirrored, and a step's "
                       "neighbours beyond an edge are the pixels at the edge"}};
  return {declared, build, "truth"};
}

}  // namespace terrace::stages
