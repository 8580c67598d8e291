// Iterations of which a cluster makes several steps, and clusters beside iterations, on CUDA, against the definition
// of their graphs.
#include "kernels/graph/cuda/composition.hpp"
#include "tests/differential/graph/graph_slabs.hpp"
#include "tests/support/with_modules.hpp"

namespace terrace::graph {
namespace {

using testing::drawn;
using Groups = std::vector<std::vector<int>>;

/// A graph in the making, all of whose values have one shape.
class Builder {
 public:
  Builder(ElementType type, Shape shape) : shape_(shape) { made.type = type; }

  int input(ElementType type) {
    made.inputs.push_back({"input " + std::to_string(made.inputs.size()), type, shape_});
    return made.values() - 1;
  }
  int input() { return input(made.type); }
  int node(const char* op, std::vector<int> operands, NodeSettings settings = {}) {
    Node node;
    node.name = op;
    node.op = find_operator(op).value();
    node.operands = std::move(operands);
    node.settings = std::move(settings);
    node.shape = shape_;
    made.nodes.push_back(std::move(node));
    return made.values() - 1;
  }
  /// A formula of operands a, b, ...
  int formula(const std::string& text, const std::vector<int>& operands, Boundary boundary) {
    const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
    const std::vector<std::string> own(names.begin(), names.begin() + std::ssize(operands));
    return node("formula", operands, settings_of(parse_node_formula(text, own, shape_, made.type), boundary, 0.25));
  }
  /// @return the first state @param operands the states, then other values
  int iterate(const Graph& body, const std::vector<int>& next, i64 times, const std::vector<int>& operands) {
    auto iteration = std::make_shared<Iteration>();
    iteration->body = body;
    iteration->next = next;
    iteration->times = times;
    complete(*iteration);
    for (int state = 0; state < std::ssize(next); ++state) node("iterate", operands, settings_of(iteration, state));
    return made.values() - static_cast<int>(next.size());
  }
  void keep(int value) { made.kept.push_back({value, made.type}); }

  Graph made;

 private:
  Shape shape_;
};

NodeSettings around(int radius, Boundary boundary, std::vector<double> numbers = {}) {
  NodeSettings settings;
  settings.row_radius = settings.column_radius = radius;
  settings.boundary = boundary;
  settings.numbers = std::move(numbers);
  return settings;
}

/// An iteration, all of whose states are kept.
Graph iterated(const Builder& body, const std::vector<int>& next, i64 times) {
  Builder all(body.made.type, body.made.inputs.front().shape);
  std::vector<int> operands;
  for (std::size_t n = 0; n < body.made.inputs.size(); ++n) operands.push_back(all.input());
  const int first = all.iterate(body.made, next, times, operands);
  for (int state = 0; state < std::ssize(next); ++state) all.keep(first + state);
  return all.made;
}

/// Horn's and Schunck's step by formulas: radius 1, and a sum that two of them read.
struct FlowStep {
  explicit FlowStep(Shape shape) : body(ElementType::f32, shape) {
    const int u = body.input(), v = body.input(), x = body.input(), y = body.input(), z = body.input();
    const char* mean = "(a[0,-1] + a[0,1] + a[1,0] + a[-1,0]) * 0.25";
    const int mean_u = body.formula(mean, {u}, Boundary::edge), mean_v = body.formula(mean, {v}, Boundary::edge);
    const int f = body.formula("(a*b + c*d + e) / (a*a + c*c + 0.5)", {x, mean_u, y, mean_v, z}, Boundary::edge);
    next = {body.formula("a - b*c", {mean_u, x, f}, Boundary::edge),
            body.formula("a - b*c", {mean_v, y, f}, Boundary::edge)};
  }

  Builder body;
  std::vector<int> next;
};

Graph flow(Shape shape, i64 times) {
  const FlowStep step(shape);
  return iterated(step.body, step.next, times);
}

/// A level of a flow: derivatives before the iteration, and sums after it.
Graph level(Shape shape, i64 times) {
  const FlowStep step(shape);
  Builder all(ElementType::f32, shape);
  const int a = all.input(), b = all.input(), u = all.input();
  NodeSettings along = around(1, Boundary::symmetric);
  const int y = all.node("sobel", {a}, along), z = all.node("subtract", {b, a});
  along.axis = 1;
  const int x = all.node("sobel", {b}, along);
  const int first = all.iterate(step.body.made, step.next, times, {u, u, x, y, z});
  const int sum = all.node("add", {first, u});
  all.keep(all.node("product", {sum, first + 1}));
  all.keep(sum);
  return all.made;
}

/// The same step, whose divisor no step changes, over rows of several tiles of lanes with eight cells.
Graph divided_flow(Shape shape, i64 times) {
  Builder body(ElementType::f32, shape);
  const int u = body.input(), v = body.input(), x = body.input(), y = body.input(), z = body.input(),
            d = body.input();
  const char* mean = "(a[0,-1] + a[0,1] + a[1,0] + a[-1,0]) * 0.25";
  const int mean_u = body.formula(mean, {u}, Boundary::edge), mean_v = body.formula(mean, {v}, Boundary::edge);
  const int f = body.formula("(a*b + c*d + e) / f", {x, mean_u, y, mean_v, z, d}, Boundary::edge);
  const int next_u = body.formula("a - b*c", {mean_u, x, f}, Boundary::edge),
            next_v = body.formula("a - b*c", {mean_v, y, f}, Boundary::edge);

  Builder all(ElementType::f32, shape);
  const int a = all.input(), b = all.input();
  NodeSettings along = around(1, Boundary::symmetric);
  const int across = all.node("sobel", {a}, along);
  along.axis = 1;
  const int down = all.node("sobel", {b}, along), apart = all.node("subtract", {b, a}),
            squares = all.formula("a*a + b*b + 0.5", {across, down}, Boundary::edge);
  const int first = all.iterate(body.made, {next_u, next_v}, times, {a, b, across, down, apart, squares});
  all.keep(first);
  all.keep(first + 1);
  return all.made;
}

/// Operators of radius 1 and 2 with several boundaries, and a state that is the one of the step before.
Graph operators_of_f64(Shape shape, i64 times) {
  Builder body(ElementType::f64, shape);
  const int u = body.input(), v = body.input(), w = body.input();
  const int box = body.node("box_sum", {u}, around(1, Boundary::symmetric));
  NodeSettings cross = around(2, Boundary::reflect, {0.1, -0.2, 0.3, 0.25, 0.05, 0.3, -0.1, 0.2, 0.15, 0.4});
  cross.is_separable = true;
  const int smooth = body.node("stencil", {v}, cross);
  const int less = body.node("scale", {box}, around(0, Boundary::edge, {0.0625, -0.25}));
  const int sum = body.node("add", {less, smooth});
  return iterated(body, {body.node("mix", {sum, w, smooth}), u}, times);
}

/// A radius of 2 and 1, a value beyond; states that are copies: of another's next value, of a state and of an input.
Graph copies(Shape shape, i64 times) {
  Builder body(ElementType::f32, shape);
  const int u = body.input(), v = body.input();
  body.input();
  body.input();
  const int c = body.input();
  const int made = body.formula("0.5*a[-2,1] - 0.25*b[2,-1] + 0.125*a[0,-1]*i", {u, v}, Boundary::value);
  return iterated(body, {made, made, v, c}, times);
}

/// The kernels of graphs of several sizes are the same.
template <class T, class Of>
void check_sizes(device::Context& context, unsigned seed, i64 times, const Of& of) {
  testing::Random random(seed);
  const auto none = std::make_shared<Groups>();
  for (const Shape shape : {Shape{2, 2}, {3, 3}, {5, 150}, {101, 3}, {43, 131}, {150, 40}}) {
    const Graph graph = of(shape, times);
    INFO(to_string(shape) << ", " << times << " steps");
    const GraphSpec spec{.graph = std::make_shared<Graph>(graph), .groups = none};
    const auto all = composition_of(spec, Schedule::fused, context.limits());
    REQUIRE(all->iterations.size() == 1);
    CHECK(all->iterations.begin()->second.by == StepsBy::clusters);
    std::vector<i64> heights = {shape.rows, std::max<i64>(1, shape.rows / 3)};
    if (shape.rows < 10) heights.push_back(1);
    testing::check_graph<T>(context, random, graph, {.heights = heights, .methods = {"fused"}});
  }
}

TEST_CASE("steps of iterations by one kernel are as they are defined") {
  const test::WithModules device;
  if (device.context() == nullptr) return;
  check_sizes<float>(*device.context(), 51, 11, flow);
  check_sizes<double>(*device.context(), 52, 5, operators_of_f64);
  check_sizes<float>(*device.context(), 53, 4, copies);
}

/// Slabs of fewer rows than a pass of the iteration reaches, and of more.
void check_carries(device::Context& context, testing::Random& random, const Graph& graph,
                   const std::vector<std::string>& methods) {
  const auto groups = choose_groups(graph);
  for (const std::string& name : methods) {
    const GraphMethod* method = device::find_method(graph_methods(), device::Backend::cuda, name);
    REQUIRE(method != nullptr);
    GraphSpec spec{.graph = std::make_shared<Graph>(graph),
                   .slab_rows = 20,
                   .groups = std::make_shared<std::vector<std::vector<int>>>(groups)};
    spec.pass_steps = pass_steps_of(*method, spec, context.limits());
    CHECK(carriers_of(spec).size() == 1);
  }
  testing::check_graph<float>(context, random, graph,
                              {.heights = {5, 40}, .carries = true, .methods = methods, .groups = groups});
}

TEST_CASE("slabs hand on rows of iterations by clusters, by strips and of rows that stream") {
  const test::WithModules device;
  if (device.context() == nullptr) return;
  testing::Random random(54);
  CHECK(choose_groups(level({90, 131}, 11)).size() == 2);
  check_carries(*device.context(), random, level({90, 131}, 11), {"fused", "ktiler"});
  check_carries(*device.context(), random, level({90, 131}, 30), {"streamed"});
  check_carries(*device.context(), random, divided_flow({90, 131}, 30), {"streamed"});
  check_carries(*device.context(), random, divided_flow({70, 500}, 37), {"streamed"});
  check_carries(*device.context(), random, copies({130, 24}, 30), {"fused", "ktiler"});
}

/// A graph of whole numbers and f32 with nodes before and after two iterations, one that streams, and one that does
/// not; a number of the task in the body of an iteration.
Graph around_iterations(Shape shape) {
  Builder all(ElementType::f32, shape);
  const int image = all.input(ElementType::u8), other = all.input(ElementType::f32);
  NodeSettings along = around(1, Boundary::symmetric);
  const int x = all.node("sobel", {image}, along);
  along.axis = 1;
  const int y = all.node("sobel", {image}, along), xx = all.node("product", {x, y}),
            sum = all.node("add", {xx, other});

  Builder streamed(ElementType::f32, shape);
  const int u = streamed.input(), c = streamed.input();
  const int next = streamed.formula("0.25*(a[-1,0] + a[1,0] + a[0,-1] + a[0,1]) - 0.5*b", {u, c}, Boundary::edge);
  const int first = all.iterate(streamed.made, {next}, 9, {sum, x});

  Builder wide(ElementType::f32, shape);
  NodeSettings known = around(0, Boundary::edge, {0, 0.5});
  known.known = {{0, 0, 0.25}};
  const int box = wide.node("box_sum", {wide.input()}, around(2, Boundary::reflect));
  const int second = all.iterate(wide.made, {wide.node("scale", {box}, known)}, 4, {first});

  const int smooth = all.node("box_sum", {second}, around(1, Boundary::edge));
  all.keep(all.node("subtract", {smooth, y}));
  all.keep(all.node("add", {second, first}));
  all.made.numbers = 1;
  return all.made;
}

TEST_CASE("clusters, streaming rows and steps by one kernel go together") {
  const test::WithModules device;
  if (device.context() == nullptr) return;
  testing::Random random(55);
  for (const Shape shape : {Shape{61, 150}, Shape{7, 130}}) {
    const Graph graph = around_iterations(shape);
    testing::Bytes image(static_cast<std::size_t>(shape.rows * shape.columns));
    for (std::byte& value : image) value = static_cast<std::byte>(drawn(random, 0, 255));
    const std::vector<testing::Bytes> inputs = {
        image, testing::bytes_of(testing::random_array<float>(random, shape).values)};
    for (const i64 height : {i64{5}, shape.rows}) {
      GraphSpec spec{.graph = std::make_shared<Graph>(graph), .slab_rows = height};
      const auto run = [&](const char* method) {
        testing::Slabs slabs(spec, inputs);
        slabs.numbers = {0.375};
        return slabs.run(*device.context(), method);
      };
      const std::vector<testing::Bytes> expected = run("plain");
      for (const char* method : {"streamed", "fused", "mixed", "ktiler"}) {
        CAPTURE(method, height);
        CHECK(run(method) == expected);
      }
    }
  }
}

/// A graph of so many nodes and more, with an iteration among them.
template <class T>
void check_random(device::Context& context, testing::Random& random, Shape shape, int nodes) {
  Graph graph;
  do graph = testing::random_written_graph(random, element_type_of<T>(), shape, nodes);
  while (iterations_of(graph).empty());
  const auto groups = choose_groups(graph);
  const GraphSpec spec{.graph = std::make_shared<Graph>(graph),
                       .groups = std::make_shared<std::vector<std::vector<int>>>(groups)};
  const GraphMethod* fused = device::find_method(graph_methods(), device::Backend::cuda, "fused");
  const bool fuses = fused->unfit(spec, context.limits()).empty();
  testing::check_graph<T>(context, random, graph,
                          {.heights = {std::max<i64>(1, shape.rows / 3), shape.rows},
                           .methods = {fuses ? "fused" : "mixed"},
                           .groups = groups});
}

TEST_CASE("random graphs with formulas and iterations by clusters are as they are defined") {
  const test::WithModules device;
  if (device.context() == nullptr) return;
  testing::Random random(56);
  for (int n = 0; n < (test::few_cases(*device.context()) ? 1 : 10); ++n) {
    check_random<float>(*device.context(), random, {33, 65}, 12);
    check_random<double>(*device.context(), random, {7, 13}, 6);
  }
}

TEST_CASE("each iteration is made in the cheapest way") {
  device::Limits limits;
  limits.block_shared_bytes = 227 << 10;
  const GraphSpec spec{.graph = std::make_shared<Graph>(around_iterations({4096, 4096}))};
  const auto mixed = composition_of(spec, Schedule::cheapest, limits);
  CHECK(mixed->clusters.size() == 2);
  REQUIRE(mixed->iterations.size() == 2);
  CHECK(mixed->iterations.rbegin()->second.by == StepsBy::clusters);
  double least = 1;
  for (const Schedule other : {Schedule::plain, Schedule::streamed, Schedule::fused, Schedule::ktiler}) {
    const auto all = composition_of(spec, other, limits);
    CHECK(seconds_of(load_of(*mixed)) <= seconds_of(load_of(*all)));
    least = std::min(least, seconds_of(all->iterations.begin()->second.load));
  }
  CHECK(seconds_of(mixed->iterations.begin()->second.load) == least);
  CHECK(composition_of(spec, Schedule::cheapest, limits) == mixed);
}

}  // namespace
}  // namespace terrace::graph
