// Graphs whose formulas are compiled for the CPU, and iterations of many steps, against their definition.
#include <atomic>
#include <chrono>
#include <iostream>
#include <limits>
#include <thread>

#include "kernels/compiled/store.hpp"
#include "kernels/device/cpu_context.hpp"
#include "kernels/graph/iteration.hpp"
#include "tests/differential/graph/graph_slabs.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::graph {
namespace {

using testing::drawn;

/// A CPU with some threads whose code is compiled in a folder of the test; without a compiler strips are tested.
class WithCompiler {
 public:
  explicit WithCompiler(int threads)
      : context_(threads), store_(io::Entry(folder_.path() / "objects")), compiler(compiled::find_cxx()) {
    if (compiler.command.empty()) std::cout << "SKIPPED: " << compiler.why_none << std::endl;
    context_.take_modules_from(&store_);
  }
  device::Context& context() { return context_; }

 private:
  test::TempFolder folder_;
  device::CpuContext context_;
  compiled::Store store_;

 public:
  compiled::CxxCompiler compiler;
};

TEST_CASE("random graphs of formulas and iterations, compiled, are as they are defined") {
  testing::Random random(41);
  WithCompiler with(2);
  for (const Shape shape : testing::sample_shapes) {
    const int nodes = drawn(random, 1, 6);
    testing::check_graph<float>(with.context(), random,
                                testing::random_written_graph(random, ElementType::f32, shape, nodes), {}, 0,
                                with.compiler);
    testing::check_graph<double>(with.context(), random,
                                 testing::random_written_graph(random, ElementType::f64, shape, nodes), {}, 0,
                                 with.compiler);
  }
}

/// Steps of a state from it and a constant array. @param reads texts of reads of the state
Graph steps_of(Shape shape, i64 times, Boundary boundary, const std::string& text) {
  auto iteration = std::make_shared<Iteration>();
  const std::vector<std::string> names = {"u", "c"};
  for (const std::string& name : names) iteration->body.inputs.push_back({name, ElementType::f32, shape});
  Node body;
  body.op = find_operator("formula").value();
  body.operands = {0, 1};
  body.settings = settings_of(parse_node_formula(text, names, shape, ElementType::f32), boundary, 0.25);
  body.shape = shape;
  iteration->body.nodes.push_back(body);
  iteration->next = {2};
  iteration->times = times;
  complete(*iteration);
  Graph graph;
  graph.inputs = {{"a", ElementType::f32, shape}, {"c", ElementType::f32, shape}};
  Node node;
  node.name = "u";
  node.op = find_operator("iterate").value();
  node.operands = {0, 1};
  node.settings = settings_of(iteration, 0);
  node.shape = shape;
  graph.nodes = {node};
  graph.kept = {{2, ElementType::f32}};
  return graph;
}

TEST_CASE("iterations over many tiles and pieces of columns are as they are defined") {
  testing::Random random(42);
  WithCompiler with(2);
  const auto check = [&](Shape shape, i64 times, Boundary boundary, const std::string& text) {
    testing::check_graph<float>(with.context(), random, steps_of(shape, times, boundary, text),
                                {shape.rows, shape.rows / 2 + 1}, drawn(random, 0, 1), with.compiler);
  };
  const std::string near = "0.2*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1]) + c*u",
                    far = "0.3*u[-2,1] - 0.2*u[1,-3] + c*u[2,2] + 0.1*j - 0.1*size(1)", tall = "u[-3,0] - c*u[2,0]",
                    wide = "u[0,-5] + c*u[0,4]*0.5", still = "u*0.5 + c";
  for (const Boundary boundary :
       {Boundary::edge, Boundary::symmetric, Boundary::reflect, Boundary::periodic, Boundary::value}) {
    check({301, 530}, 33, boundary, near);
    check({97, 700}, 12, boundary, far);
    check({150, 41}, 9, boundary, tall);
    check({33, 900}, 40, boundary, wide);
    check({70, 65}, 5, boundary, still);
    check({60, 6001}, 26, boundary, far);
  }
}

TEST_CASE("a NaN that an iteration reads is named") {
  device::CpuContext context(2);
  constexpr Shape shape{40, 50};
  for (const i64 times : {1, 6}) {
    const Graph graph = steps_of(shape, times, Boundary::edge, "0.5*u[0,1] + c[1,0]");
    for (const i64 input : {0, 1}) {
      for (const i64 at : {0, 777, 1999}) {
        std::vector<float> values[2] = {std::vector<float>(2000, 1), std::vector<float>(2000, 2)};
        values[input][static_cast<std::size_t>(at)] = values[1][1999] = std::numeric_limits<float>::quiet_NaN();
        const GraphSpec spec{std::make_shared<Graph>(graph), shape.rows};
        const std::vector<testing::Bytes> stored = {testing::bytes_of(values[0]), testing::bytes_of(values[1])};
        testing::Slabs slabs(spec, stored);
        slabs.run(context, "plain");
        const GraphResult found = slabs.last();
        CHECK(found.has_nan == 1);
        CHECK(found.input == input);
        CHECK(found.row * shape.columns + found.column == at);
      }
    }
  }
}

TEST_CASE("an iteration of very many steps ends when the host aborts it") {
  device::CpuContext context(2);
  constexpr Shape shape{20, 30};
  GraphSpec spec{std::make_shared<Graph>(steps_of(shape, 1000000000, Boundary::edge, "u[0,1] + c")), shape.rows};
  const auto kernel =
      device::find_method(graph_methods(), device::Backend::cpu, "plain")->make(spec, context, nullptr);
  std::vector<float> values(3 * shape.rows * shape.columns);
  GraphTask task{};
  for (i64 n = 0; n < 3; ++n) {
    float* data = values.data() + n * shape.rows * shape.columns;
    task.parts[task.part_count++] = {data, 0, shape.rows, shape.columns, n % 2, n == 2 ? 1 : 0};
  }
  struct Words {
    device::u64 ready, stop, abort, done, failed, skipped;
  } words = {1, 0, 0, 0, 0, 0};
  GraphResult result{};
  const std::jthread host([&words] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::atomic_ref(words.abort).store(1);
  });
  const auto begun = std::chrono::steady_clock::now();
  kernel->run({&words.ready, &words.stop, &words.abort, &words.done, &words.failed, &words.skipped, &task, &result, 1,
               sizeof task, sizeof result, 0, 1});
  CHECK(words.done == 0);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));
}

}  // namespace
}  // namespace terrace::graph
