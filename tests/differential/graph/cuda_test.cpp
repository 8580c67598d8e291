// Graphs on CUDA, slab by slab, against their definition.
#include <span>

#include "kernels/device/cpu_context.hpp"
#include "tests/differential/graph/graph_slabs.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::graph {
namespace {

using testing::drawn;

/// Around the sizes of tiles of cells, of sums of rows, and of elements that are loaded.
constexpr Shape tile_shapes[] = {{17, 130}, {31, 64}, {33, 65}, {8, 256}, {9, 513}, {70, 258}, {130, 5}};

/// @param rounds of random graphs of each shape
void check_shapes(device::Context& context, std::span<const Shape> shapes, int rounds) {
  testing::Random random(36);
  for (int n = 0; n < rounds; ++n) {
    for (const Shape shape : shapes) {
      const int nodes = drawn(random, 1, 12);
      testing::check_graph<float>(context, random, testing::random_graph(random, ElementType::f32, shape, nodes));
      testing::check_graph<double>(context, random, testing::random_graph(random, ElementType::f64, shape, nodes));
    }
  }
}

TEST_CASE("random graphs in slabs are as they are defined") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool few = test::few_cases(*context);
  check_shapes(*context, testing::sample_shapes, few ? 2 : 6);
  check_shapes(*context, tile_shapes, few ? 1 : 4);
}

/// A stencil, or a sum over a square, at every boundary.
template <class T>
void check_neighbourhood(device::Context& context, testing::Random& random, const char* name, NodeSettings settings,
                         Shape shape) {
  const int height = 2 * settings.row_radius + 1, width = 2 * settings.column_radius + 1;
  const int numbers = settings.is_separable ? height + width : height * width;
  for (int n = 0; n < numbers && name == std::string("stencil"); ++n) {
    settings.numbers.push_back(testing::drawn_number(random, -1, 1));
  }
  for (int boundary = 0; boundary <= static_cast<int>(Boundary::value); ++boundary) {
    settings.boundary = static_cast<Boundary>(boundary);
    settings.boundary_value = 0.25;
    Graph graph = testing::graph_of(name, settings, element_type_of<T>(), shape);
    graph.type = element_type_of<T>();
    graph.kept = {{1, graph.type}};
    INFO(name << " of " << height << " x " << width << ", boundary " << boundary);
    testing::check_graph<T>(context, random, graph, {7, shape.rows});
  }
}

TEST_CASE("neighbourhoods up to the largest radius are as they are defined") {
  const auto context = test::cuda_context();
  if (!context) return;
  testing::Random random(37);
  for (const int radius : {0, 1, 2, 3, most_radius}) {
    NodeSettings settings;
    settings.row_radius = settings.column_radius = radius;
    const Shape shape{radius + 40, radius + 150};
    check_neighbourhood<float>(*context, random, "box_sum", settings, shape);
    check_neighbourhood<double>(*context, random, "box_sum", settings, {std::max(1, radius), 70});
    for (const bool is_separable : {false, true}) {
      settings.is_separable = is_separable;
      for (const int row_radius : {radius, most_radius - radius}) {
        settings.row_radius = row_radius;
        if (!is_separable && row_radius == most_radius && test::few_cases(*context)) continue;
        check_neighbourhood<float>(*context, random, "stencil", settings, shape);
        check_neighbourhood<double>(*context, random, "stencil", settings, shape);
      }
    }
  }
}

/// Random bits of a type, of reals without NaN.
testing::Bytes random_elements(testing::Random& random, ElementType type, std::size_t count) {
  return dispatch(type, [&](auto zero) {
    using Stored = decltype(zero);
    std::vector<Stored> values;
    for (std::size_t n = 0; n < count; ++n) {
      if (is_floating(type)) values.push_back(static_cast<Stored>(testing::drawn_number(random, -0.5, 1.5)));
      else values.push_back(static_cast<Stored>(std::uint64_t{random()} << 32 | random()));
    }
    return testing::bytes_of(values);
  });
}

TEST_CASE("elements of all types come and go as on the CPU") {
  const auto context = test::cuda_context();
  if (!context) return;
  device::CpuContext cpu(1);
  testing::Random random(38);
  constexpr Shape shape{9, 259};
  NodeSettings same;
  same.numbers = {1, 0};
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (int stored = 0; stored <= static_cast<int>(ElementType::f64); ++stored) {
      const auto input = static_cast<ElementType>(stored);
      Graph graph = testing::graph_of("scale", same, input, shape);
      graph.type = type;
      graph.kept = {{1, ElementType::u8}, {1, ElementType::u16}, {1, ElementType::f32}, {1, ElementType::f64}};
      const std::vector<testing::Bytes> inputs = {
          random_elements(random, input, static_cast<std::size_t>(shape.rows * shape.columns))};
      const GraphSpec spec{std::make_shared<Graph>(graph), 4};
      INFO(name_of(input) << " in a graph of " << name_of(type));
      CHECK(testing::Slabs(spec, inputs).run(*context) == testing::Slabs(spec, inputs).run(cpu));
    }
  }
}

TEST_CASE("whole numbers are scaled on their way in and out") {
  if (const auto context = test::cuda_context()) testing::check_scaling(*context);
}

TEST_CASE("whole numbers are rounded to the nearest and clamped") {
  if (const auto context = test::cuda_context()) testing::check_rounding(*context);
}

TEST_CASE("constants of nodes are numbers of a task, times a factor") {
  if (const auto context = test::cuda_context()) testing::check_numbers(*context);
}

TEST_CASE("warps read the rows that their displacements allow") {
  if (const auto context = test::cuda_context()) testing::check_moves(*context);
}

TEST_CASE("reductions are as they are defined, in any slabs") {
  const auto context = test::cuda_context();
  if (!context) return;
  testing::Random random(9);
  for (const Shape shape : testing::sample_shapes) {
    testing::check_reductions<float>(*context, random, shape, 20, false);
    testing::check_reductions<double>(*context, random, shape, 20, false);
  }
  testing::check_reductions<float>(*context, random, {40, 1077}, 6000, true);
  testing::check_reductions<double>(*context, random, {70, 31}, 60000, false);
}

TEST_CASE("a NaN of an input is named") {
  if (const auto context = test::cuda_context()) testing::check_nan(*context);
}

}  // namespace
}  // namespace terrace::graph
