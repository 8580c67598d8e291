// Clusters of nodes by one kernel each, on CUDA, against the definition of their graphs.
#include <algorithm>
#include <set>

#include "kernels/graph/clusters/cluster.hpp"
#include "tests/differential/graph/graph_slabs.hpp"
#include "tests/support/with_modules.hpp"

namespace terrace::graph {
namespace {

using testing::drawn;

/// Small, odd, flat and tall arrays, and sizes around those of tiles: of 32 rows and columns, and of warps of 128 and
/// of 64 columns.
constexpr Shape shapes[] = {{1, 1},   {2, 2},    {3, 3},    {2, 3},   {7, 13},  {33, 65},  {3, 100},
                            {101, 2}, {40, 128}, {35, 131}, {9, 372}, {65, 96}, {12, 517}, {21, 256}};

NodeSettings radius_of(int radius) {
  NodeSettings settings;
  settings.row_radius = settings.column_radius = radius;
  return settings;
}

/// The same nodes of inputs of another shape; nullopt if they do not fit it.
std::optional<Graph> reshaped(const Graph& graph, Shape shape) {
  Graph made = graph;
  made.nodes.clear();
  for (Input& input : made.inputs) input.shape = shape;
  for (Node node : graph.nodes) {
    std::vector<Shape> operands;
    for (const int operand : node.operands) operands.push_back(made.shape(operand));
    if (!take_shape(node, operands, std::nullopt).empty()) return std::nullopt;
    made.nodes.push_back(node);
  }
  return made;
}

/// A graph of which most nodes may be members of clusters.
Graph random_graph(testing::Random& random, ElementType type, int nodes) {
  Graph graph;
  graph.type = type;
  for (int n = drawn(random, 1, 3); n > 0; --n) graph.inputs.push_back({"input", type, {40, 60}});
  while (static_cast<int>(graph.nodes.size()) < nodes) {
    const bool is_any = drawn(random, 0, 9) == 0;
    const std::vector<int> alike = testing::values_of_shape(graph, {40, 60});
    if (drawn(random, 0, 4) == 0) graph.nodes.push_back(testing::random_formula(random, type, {40, 60}, alike));
    else graph.nodes.push_back(testing::random_node(random, graph));
    const int last = graph.values() - 1;
    if (!is_any && (!may_join(graph, last) || graph.node(last).settings.row_radius > 2)) graph.nodes.pop_back();
  }
  for (int value = static_cast<int>(graph.inputs.size()); value < graph.values(); ++value) {
    if (value + 1 == graph.values() || drawn(random, 0, 4) == 0) graph.kept.push_back({value, type});
  }
  return graph;
}

/// Shape by shape, all at the same kernels.
template <class T>
void check_shapes(device::Context& context, testing::Random& random, const Graph& graph, const Groups& groups) {
  for (const Shape shape : shapes) {
    const std::optional<Graph> own = reshaped(graph, shape);
    if (!own) continue;
    INFO(to_string(shape));
    testing::check_graph<T>(context, random, *own,
                            {.heights = {drawn(random, 1, static_cast<int>(shape.rows)), shape.rows},
                             .methods = {"fused"},
                             .groups = groups});
  }
}

TEST_CASE("clusters of random graphs are as they are defined") {
  const test::WithModules modules;
  if (modules.context() == nullptr) return;
  testing::Random random(41);
  std::size_t clusters = 0;
  for (int n = 0; n < (test::few_cases(*modules.context()) ? 8 : 60); ++n) {
    const Graph graph = random_graph(random, n % 3 == 0 ? ElementType::f64 : ElementType::f32, drawn(random, 2, 12));
    const Groups groups = choose_groups(graph);
    if (groups.empty()) continue;
    clusters += groups.size();
    if (n % 3 == 0) check_shapes<double>(*modules.context(), random, graph, groups);
    else check_shapes<float>(*modules.context(), random, graph, groups);
  }
  CHECK(clusters > 5);
}

/// Derivatives, their product, its sum over squares, and what is left: of each member others read other rows.
Graph small_graph() {
  Graph graph;
  graph.inputs = {{"a", ElementType::f32, {40, 60}}};
  const auto add = [&](const char* op, std::vector<int> operands, NodeSettings settings) {
    Node node;
    node.op = find_operator(op).value();
    node.operands = std::move(operands);
    node.settings = std::move(settings);
    node.shape = {40, 60};
    graph.nodes.push_back(node);
    return graph.values() - 1;
  };
  const int x = add("sobel", {0}, radius_of(1)), product = add("product", {x, 0}, {});
  NodeSettings edge = radius_of(1);
  edge.boundary = Boundary::edge;
  const int sum = add("box_sum", {product}, edge), rest = add("subtract", {sum, x}, {});
  graph.kept = {{rest, ElementType::f32}, {product, ElementType::u8}};
  return graph;
}

/// "{1, 2} {4}".
std::string to_string(const Groups& groups) {
  std::string text;
  for (const std::vector<int>& group : groups) {
    text += "{";
    for (const int value : group) text += (text.back() == '{' ? "" : ", ") + std::to_string(value);
    text += "} ";
  }
  return text;
}

/// All ways to make some of the nodes in groups. @param made the groups so far
void add_partitions(const Graph& graph, int value, Groups& made, std::vector<Groups>& all) {
  if (value == graph.values()) {
    all.push_back(made);
    return;
  }
  add_partitions(graph, value + 1, made, all);
  for (std::size_t n = 0; n < made.size(); ++n) {
    made[n].push_back(value);
    add_partitions(graph, value + 1, made, all);
    made[n].pop_back();
  }
  made.push_back({value});
  add_partitions(graph, value + 1, made, all);
  made.pop_back();
}

TEST_CASE("every choice of clusters gives the same bits") {
  const test::WithModules modules;
  if (modules.context() == nullptr) return;
  testing::Random random(42);
  Graph graph = small_graph();
  graph.kept[1].type = ElementType::f32;
  std::vector<Groups> all;
  Groups none;
  add_partitions(graph, 1, none, all);
  std::size_t possible = 0;
  for (const Groups& groups : all) {
    if (groups.empty()) continue;
    try {
      clustered(graph, groups);
    } catch (const DeviceError&) {
      continue;  // groups that depend on each other
    }
    ++possible;
    INFO(to_string(groups));
    for (const Shape shape : {Shape{3, 2}, Shape{37, 150}}) {
      testing::check_graph<float>(*modules.context(), random, reshaped(graph, shape).value(),
                                  {.heights = {11, shape.rows}, .methods = {"fused"}, .groups = groups});
    }
  }
  CHECK(possible > 20);
}

TEST_CASE("neighbourhoods in clusters have any boundary") {
  const test::WithModules modules;
  if (modules.context() == nullptr) return;
  testing::Random random(43);
  for (int boundary = 0; boundary <= static_cast<int>(Boundary::value); ++boundary) {
    Graph graph = small_graph();
    graph.kept[1].type = ElementType::f32;
    for (Node& node : graph.nodes) {
      node.settings.boundary = static_cast<Boundary>(boundary);
      node.settings.boundary_value = 0.25;
    }
    Groups groups = {{1, 2}, {3, 4}};  // members may not read members beyond the other end
    if (boundary != static_cast<int>(Boundary::periodic)) groups = {{1, 2, 3, 4}};
    check_shapes<float>(*modules.context(), random, graph, groups);
  }
}

TEST_CASE("elements that are stored in another type come and go as by plain") {
  const test::WithModules modules;
  if (modules.context() == nullptr) return;
  testing::Random random(44);
  Graph graph = small_graph();
  for (const ElementType type : {ElementType::u8, ElementType::i16, ElementType::f64}) {
    graph.inputs[0].type = type;
    for (const Shape shape : {Shape{40, 60}, Shape{33, 264}}) {
      testing::Bytes stored(static_cast<std::size_t>(shape.rows * shape.columns) * size_of(type));
      for (std::byte& value : stored)
        value = static_cast<std::byte>(drawn(random, 0, type == ElementType::f64 ? 63 : 255));
      for (const i64 height : {i64{7}, shape.rows}) {
        const GraphSpec spec{std::make_shared<Graph>(reshaped(graph, shape).value()), height};
        CHECK(testing::Slabs(spec, {stored}).run(*modules.context(), "fused") ==
              testing::Slabs(spec, {stored}).run(*modules.context()));
      }
    }
  }
}

TEST_CASE("the first NaN of an input is named, wherever it is") {
  const test::WithModules modules;
  if (modules.context() == nullptr) return;
  testing::check_nan(*modules.context(), "fused", std::make_shared<Groups>(Groups{{1}}));
  const Graph graph = reshaped(small_graph(), {30, 150}).value();
  for (const int element : {0, 149, 150 * 29, 150 * 30 - 1, 150 * 11 + 70, 150 * 29 + 64, 150 * 13}) {
    std::vector<float> values(150 * 30, 1);
    values[static_cast<std::size_t>(element)] = std::numeric_limits<float>::quiet_NaN();
    values[150 * 30 - 1] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<testing::Bytes> stored = {testing::bytes_of(values)};
    const GraphSpec spec{std::make_shared<Graph>(graph), 30};
    testing::Slabs slabs(spec, stored);
    slabs.run(*modules.context(), "fused");
    CHECK(slabs.last().has_nan == 1);
    CHECK(slabs.last().row * 150 + slabs.last().column == element);
  }
}

TEST_CASE("values that a cluster reads and makes are reduced") {
  const test::WithModules modules;
  if (modules.context() == nullptr) return;
  testing::Random random(45);
  Graph graph = reshaped(small_graph(), {45, 150}).value();
  graph.reductions = {{"of the input", 0, Makes::number, Measure::sum, {}, {}},
                      {"of a sum", 3, Makes::number, Measure::maximum, {}, {}}};
  const std::vector<testing::Bytes> stored = {
      testing::bytes_of(testing::random_array<float>(random, {45, 150}).values)};
  for (const i64 height : {16, 45}) {
    const GraphSpec spec{std::make_shared<Graph>(graph), height};
    testing::Slabs fused(spec, stored), plain(spec, stored);
    CHECK(fused.run(*modules.context(), "fused") == plain.run(*modules.context()));
    CHECK(fused.reduced == plain.reduced);
  }
}

TEST_CASE("constants of members are numbers of a task, times a factor") {
  const test::WithModules modules;
  if (modules.context() == nullptr) return;
  testing::check_numbers(*modules.context(), "fused", std::make_shared<Groups>(Groups{{1}}));
}

TEST_CASE("a group that is no cluster is refused") {
  Graph graph = small_graph();
  graph.nodes[2].settings.boundary = Boundary::periodic;
  CHECK_THROWS_AS(clustered(graph, {{2, 3}}), DeviceError);
  CHECK_THROWS_AS(clustered(graph, {{1, 4}}), DeviceError);  // 4 reads 3, which reads 1
  CHECK_THROWS_AS(clustered(graph, {{1, 3}, {2, 4}}), DeviceError);
}

TEST_CASE("the nodes of a corner detector are one cluster") {
  Graph graph;
  graph.inputs = {{"image", ElementType::f32, {4096, 4096}}};
  const auto add = [&](const char* op, std::vector<int> operands, const NodeSettings& settings) {
    Node node;
    node.op = find_operator(op).value();
    node.operands = std::move(operands);
    node.settings = settings;
    node.shape = {4096, 4096};
    graph.nodes.push_back(node);
    return graph.values() - 1;
  };
  NodeSettings along = radius_of(1), weight;
  along.axis = 1;
  weight.numbers = {0.04};
  const int x = add("sobel", {0}, along), y = add("sobel", {0}, radius_of(1));
  std::vector<int> sums;
  for (const std::vector<int>& operands : {std::vector{x, x}, std::vector{x, y}, std::vector{y, y}}) {
    sums.push_back(add("box_sum", {add("product", operands, {})}, radius_of(1)));
  }
  graph.kept = {{add("harris", sums, weight), ElementType::f32}};
  const Groups groups = choose_groups(graph);
  REQUIRE(groups == Groups{{1, 2, 3, 4, 5, 6, 7, 8, 9}});
  const Cluster cluster = clustered(graph, groups).clusters.front();
  CHECK(cluster.reads.size() == 1);
  CHECK(cluster.made.size() == 1);
  CHECK(cluster.rim() == Shape{2, 2});
  CHECK(cluster.first == -2);
  CHECK(cluster.last == 2);
}

}  // namespace
}  // namespace terrace::graph
