// Graphs on CUDA with nodes that a job writes, formulas and iterations, against their definition.
#include "pipeline/base/error.hpp"
#include "tests/differential/graph/graph_slabs.hpp"
#include "tests/support/with_modules.hpp"

namespace terrace::graph {
namespace {

using testing::drawn;

/// A graph of one formula of a and b, which is kept.
Graph graph_of_formula(const std::string& text, ElementType type, Shape shape, Boundary boundary) {
  Graph graph;
  graph.type = type;
  graph.inputs = {{"a", type, shape}, {"b", type, shape}};
  Node node;
  node.op = find_operator("formula").value();
  node.operands = {0, 1};
  node.settings = settings_of(parse_node_formula(text, {"a", "b"}, shape, type), boundary, 0.25);
  REQUIRE(take_shape(node, {shape, shape}, std::nullopt).empty());
  graph.nodes = {node};
  graph.kept = {{2, type}};
  return graph;
}

TEST_CASE("formulas at every boundary are as they are defined") {
  const test::WithModules device;
  if (device.context() == nullptr) return;
  testing::Random random(41);
  for (int boundary = 0; boundary <= static_cast<int>(Boundary::value); ++boundary) {
    for (const char* text : {"a[-1,0] / b + 0.5*a[1,2]", "if(a < b, i - 2.5*j, min(a[0,-16], b[16,0]))"}) {
      INFO(text << ", boundary " << boundary);
      const auto own = static_cast<Boundary>(boundary);
      testing::check_graph<float>(*device.context(), random,
                                  graph_of_formula(text, ElementType::f32, {41, 1100}, own), {7, 41});
      testing::check_graph<double>(*device.context(), random, graph_of_formula(text, ElementType::f64, {16, 40}, own),
                                   {5, 16});
    }
  }
}

TEST_CASE("random graphs with formulas and iterations are as they are defined") {
  const test::WithModules device;
  if (device.context() == nullptr) return;
  testing::Random random(37);
  const bool few = test::few_cases(*device.context());
  bool wide = false;  // of few cases every other one is of f64
  for (int n = 0; n < (few ? 1 : 4); ++n) {
    for (const Shape shape : testing::sample_shapes) {
      const int nodes = drawn(random, 1, 6);
      wide = !wide;
      if (!few || !wide) {
        testing::check_graph<float>(*device.context(), random,
                                    testing::random_written_graph(random, ElementType::f32, shape, nodes));
      }
      if (!few || wide) {
        testing::check_graph<double>(*device.context(), random,
                                     testing::random_written_graph(random, ElementType::f64, shape, nodes));
      }
    }
  }
}

/// An iteration by formulas of a radius of at most 1, over states u, v, w and arrays x, y, z, d.
struct StreamedExample {
  const char* name;
  std::vector<std::string> texts;  // a state each
  int others;                      // arrays that no step changes
  Boundary boundary;
};

const std::vector<StreamedExample> streamed_examples = {
    {"the flow of Horn and Schunck",
     {"(u[0,-1]+u[0,1]+u[1,0]+u[-1,0])*0.25 - x*((x*((u[0,-1]+u[0,1]+u[1,0]+u[-1,0])*0.25) + "
      "y*((v[0,-1]+v[0,1]+v[1,0]+v[-1,0])*0.25) + z) / (x*x + 0.5))",
      "(v[0,-1]+v[0,1]+v[1,0]+v[-1,0])*0.25 - y*z/(x*x + 0.5)"},
     3,
     Boundary::edge},
    {"quotients by an array",
     {"(u[0,-1]+u[0,1]+u[1,0]+u[-1,0])*0.25 - x*((x*u[0,1] + y*v[1,0] + z) / d)",
      "v[0,-1]*0.5 - y*((x*u[0,1] + y*v[1,0] + z) / d)"},
     4,
     Boundary::edge},
    {"quotients of zeros and small numbers by an array",
     {"0.5*u[0,-1] + if(u[0,1] < 0, (u*-0.0) / x, (u[1,0]*1e-25) / x)"},
     1,
     Boundary::edge},
    {"all neighbours", {"0.2*u[-1,-1] + 0.3*u[1,1] - 0.25*u[-1,1]*u[1,-1] + 0.1*u"}, 0, Boundary::symmetric},
    {"reflected", {"0.2*u[-1,-1] + 0.3*u[1,1] - 0.25*u[-1,1] + 0.1*u[1,0]"}, 0, Boundary::reflect},
    {"a value beyond", {"0.5*(u[-1,0] + v[1,1])", "u[0,-1] - 0.5*x*v[-1,1]"}, 1, Boundary::value},
    {"indices", {"if((i + 2*j) % 5 == 0, u[1,0], 0.5*u[0,1] + x)"}, 1, Boundary::edge},
    {"three states", {"0.5*(v[-1,0] + w[0,1])", "u", "0.25*w[1,0] - u*v"}, 0, Boundary::edge},
    {"no neighbours", {"0.5*u + x"}, 1, Boundary::edge}};

Graph graph_of_iteration(const StreamedExample& example, ElementType type, Shape shape, i64 times) {
  const std::vector<std::string> all = {"u", "v", "w"}, constants = {"x", "y", "z", "d"};
  std::vector<std::string> names(all.begin(), all.begin() + std::ssize(example.texts));
  names.insert(names.end(), constants.begin(), constants.begin() + example.others);
  auto iteration = std::make_shared<Iteration>();
  iteration->body.type = type;
  iteration->times = times;
  Graph graph;
  graph.type = type;
  Node node;
  for (int n = 0; n < std::ssize(names); ++n) {
    iteration->body.inputs.push_back({names[static_cast<std::size_t>(n)], type, shape});
    graph.inputs.push_back({names[static_cast<std::size_t>(n)], type, shape});
    node.operands.push_back(n);
  }
  for (const std::string& text : example.texts) {
    Node inner;
    inner.op = find_operator("formula").value();
    inner.operands = node.operands;
    inner.settings = settings_of(parse_node_formula(text, names, shape, type), example.boundary, 0.25);
    inner.shape = shape;
    iteration->next.push_back(iteration->body.values());
    iteration->body.nodes.push_back(inner);
  }
  complete(*iteration);
  for (int state = 0; state < std::ssize(example.texts); ++state) {
    node.op = find_operator("iterate").value();
    node.settings = settings_of(iteration, state);
    node.shape = shape;
    graph.nodes.push_back(node);
    graph.kept.push_back({graph.values() - 1, type});
  }
  return graph;
}

TEST_CASE("iterations whose rows stream are as they are defined") {
  const test::WithModules device;
  if (device.context() == nullptr) return;
  testing::Random random(43);
  const bool few = test::few_cases(*device.context());
  for (const StreamedExample& example : streamed_examples) {
    const bool is_first = &example == streamed_examples.data();
    for (const i64 times : {37, 3, 131, 1, 4, 8, 19, 70}) {
      INFO(example.name << ", " << times << " steps");
      const i64 rows = drawn(random, 2, 60), columns = drawn(random, 256, few ? 460 : 600);
      const Graph narrow = graph_of_iteration(example, ElementType::f32, {rows, columns}, times);
      const GraphSpec spec{std::make_shared<Graph>(narrow), rows};
      CHECK(std::ranges::count(testing::methods_for(spec, *device.context()), std::string("streamed")) == 1);
      testing::Trial trial{.heights = {rows}, .methods = {"streamed"}};
      if (!few || is_first) trial.heights.push_back(std::max<i64>(1, rows / 3));
      testing::check_graph<float>(*device.context(), random, narrow, trial);
      if (few && !is_first) break;
      const Graph wide = graph_of_iteration(example, ElementType::f64, {rows, columns / 4 * 4}, times);
      testing::check_graph<double>(*device.context(), random, wide, {.heights = {rows}, .methods = {"streamed"}});
      if (few && times == 131) break;
    }
  }
}

TEST_CASE("iterations that hand rows on are as they are defined") {
  const test::WithModules device;
  if (device.context() == nullptr) return;
  testing::Random random(44);
  const bool few = test::few_cases(*device.context());
  for (int n = 0; n < (few ? 2 : 40); ++n) {
    testing::check_graph<float>(*device.context(), random, testing::iterated_graph(random, ElementType::f32, {61, 9}),
                                {1, 7, 20}, true);
    testing::check_graph<double>(*device.context(), random,
                                 testing::iterated_graph(random, ElementType::f64, {150, 4}), {2, 40}, true);
  }
  for (const StreamedExample& example : streamed_examples) {
    if (few && &example != &streamed_examples[1]) continue;
    for (const i64 times : {37, 70}) {
      INFO(example.name << ", " << times << " steps");
      const Graph graph = graph_of_iteration(example, ElementType::f32, {150, 260}, times);
      const GraphMethod* method = device::find_method(graph_methods(), device::Backend::cuda, "streamed");
      REQUIRE(method != nullptr);
      GraphSpec spec{std::make_shared<Graph>(graph), 20};
      spec.pass_steps = pass_steps_of(*method, spec, device.context()->limits());
      CHECK(spec.pass_steps > 1);
      // Slabs of fewer rows than a pass reaches, and of more.
      const std::vector<i64> heights = !few          ? std::vector<i64>{9, 50}
                                       : times == 37 ? std::vector<i64>{20}
                                                     : std::vector<i64>{50};
      testing::check_graph<float>(*device.context(), random, graph,
                                  {.heights = heights, .carries = true, .methods = {"streamed"}});
    }
  }
}

TEST_CASE("a graph with formulas has no kernels where there is no place for them") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Graph graph = graph_of_formula("a + b", ElementType::f32, {4, 4}, Boundary::edge);
  const GraphSpec spec{std::make_shared<Graph>(graph), 4};
  const GraphMethod* method = device::find_method(graph_methods(), device::Backend::cuda, "plain");
  REQUIRE(method != nullptr);
  const testing::Workspace workspace(*method, spec, *context);
  CHECK_THROWS_AS(method->make(spec, *context, workspace.data()), DeviceError);
}

}  // namespace
}  // namespace terrace::graph
