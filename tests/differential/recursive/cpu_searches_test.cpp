// Searches on the CPU against the definition of shortest paths: every way to search, in every type of distances and
// every instruction set.
#include <catch2/catch.hpp>

#include <numeric>
#include <random>

#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/cpu/searches/searches.hpp"
#include "kernels/recursive/reference/reference.hpp"
#include "kernels/recursive/semiring.hpp"
#include "tests/differential/recursive/tiled_matrix.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

enum class Weights { equal, some, ties, negative };

/// A random graph: its matrix in type T, and its edges.
template <class T>
struct Sample {
  std::int64_t nodes;
  std::vector<T> matrix;
  std::shared_ptr<SearchGraph> graph = std::make_shared<SearchGraph>();

  /// @param degree edges out of a node, on average; a few nodes have many more
  Sample(std::int64_t n, double degree, Weights weights, unsigned seed)
      : nodes(n), matrix(static_cast<std::size_t>(n * n), infinity<T>()) {
    std::mt19937 draw(seed);
    const auto below = [&](std::int64_t end) {
      return std::uniform_int_distribution<std::int64_t>(0, end - 1)(draw);
    };
    std::vector<std::int64_t> height;
    for (std::int64_t i = 0; i < n; ++i) height.push_back(below(9));
    const auto edges = n > 0 ? static_cast<std::int64_t>(degree * static_cast<double>(n)) : 0;
    for (std::int64_t e = 0; e < edges; ++e) {
      const std::int64_t a = e % 3 == 0 ? below(std::min<std::int64_t>(n, 3)) : below(n), b = below(n);
      std::int64_t weight = 1 + below(50);
      if (weights == Weights::equal) weight = 3;
      if (weights == Weights::ties) weight = below(3);
      // Each cycle keeps its weight: many weigh nothing.
      if (weights == Weights::negative) weight = below(2) * below(4) + height[at(a)] - height[at(b)];
      if (a == b && weights == Weights::negative) weight = 0;
      T& known = matrix[at(a * n + b)];
      known = std::min(known, static_cast<T>(weight));
    }
    fill();
  }

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  void fill() {
    std::vector<SumOf<T>> weight;
    graph->nodes = nodes;
    for (std::int64_t i = 0; i < nodes; ++i) {
      for (std::int64_t j = 0; j < nodes; ++j) {
        const T value = matrix[at(i * nodes + j)];
        if (!(value < infinity<T>())) continue;
        graph->to.push_back(static_cast<device::i32>(j));
        weight.push_back(static_cast<SumOf<T>>(value));
        graph->equal &= weight.back() == weight.front();
        graph->negative |= weight.back() < 0;
      }
      graph->begin.push_back(static_cast<device::i64>(graph->to.size()));
    }
    graph->weight = std::move(weight);
  }
};

/// A table of distances with nodes beside.
template <class T>
struct Rows {
  std::vector<T> distance;
  std::vector<std::int32_t> beside;
};

/// The definition, for the rows of all nodes.
template <class T>
Rows<T> by_definition(const Sample<T>& sample, Beside beside, bool loops) {
  const std::int64_t n = sample.nodes;
  Rows<T> rows{sample.matrix, {}};
  std::vector<std::int64_t> edges, next;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const bool self = i == j && !loops;
      if (self) rows.distance[static_cast<std::size_t>(i * n + j)] = T(0);
      edges.push_back(self ? 0 : 1);
      next.push_back(self ? n : j);
    }
  }
  close_paths(rows.distance.data(), edges.data(), next.data(), n);
  const auto at = [&](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i * n + j); };
  const auto previous = [&](std::int64_t i, std::int64_t j) {
    for (std::int64_t u = 0; u < n; ++u) {
      const T weight = sample.matrix[at(u, j)];
      if (!(weight < infinity<T>())) continue;
      if (u == i && weight == rows.distance[at(i, j)] && edges[at(i, j)] == 1) return u;
      if ((u == i && loops) || rows.distance[at(i, u)] >= infinity<T>() / T(2)) continue;
      if (rows.distance[at(i, u)] + weight == rows.distance[at(i, j)] && edges[at(i, u)] + 1 == edges[at(i, j)]) {
        return u;
      }
    }
    return std::int64_t{-2};
  };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      T& distance = rows.distance[at(i, j)];
      if (distance >= infinity<T>() / T(2)) distance = infinity<T>();
      std::int64_t node = -1;
      if (distance < infinity<T>()) {
        if (i == j && !loops) node = i;
        else node = beside == Beside::previous ? previous(i, j) : next[at(i, j)];
      }
      rows.beside.push_back(static_cast<std::int32_t>(node));
    }
  }
  return rows;
}

/// The potentials of a graph, by a block.
std::vector<device::i64> potentials(device::Context& context, device::BlockKernel& kernel, std::int64_t nodes,
                                    std::int64_t& negative) {
  testing::Values<device::i64> values(context, std::vector<device::i64>(static_cast<std::size_t>(nodes + 1)));
  SearchTask task{};
  task.step = SearchStep::potentials;
  task.potential = values.data();
  std::vector<SearchResult> results;
  testing::run_blocks<SearchResult, SearchTask>(context, kernel, {task}, results);
  negative = results.at(0).negative;
  return values.vector();
}

template <class T>
Rows<T> search(device::Context& context, device::BlockKernel& kernel, const SearchSpec& spec, std::int64_t block) {
  const std::int64_t n = spec.graph->nodes, rows = spec.rows();
  std::vector<device::i64> potential;
  std::int64_t negative = -1;
  if (spec.graph->negative) potential = potentials(context, kernel, n, negative);
  REQUIRE(negative == -1);
  testing::Values<T> distance(context, std::vector<T>(static_cast<std::size_t>(rows * n + 1), T(7)));
  testing::Values<device::i32> beside(context, std::vector<device::i32>(static_cast<std::size_t>(rows * n + 1), 7));
  testing::Values<device::i64> of_nodes(context, potential);
  std::vector<SearchTask> tasks;
  for (std::int64_t row = 0; row < rows; row += block) {
    SearchTask task{};
    task.step = SearchStep::rows;
    task.first_row = row;
    task.rows = std::min(block, rows - row);
    task.distance = distance.data() + row * n;
    task.distance_stride = n;
    if (spec.beside != Beside::none) task.beside = beside.data() + row * n, task.beside_stride = n;
    if (!potential.empty()) task.potential = of_nodes.data();
    tasks.push_back(task);
  }
  std::vector<SearchResult> results;
  testing::run_blocks<SearchResult, SearchTask>(context, kernel, tasks, results);
  REQUIRE(results.size() == tasks.size());
  Rows<T> found{distance.vector(), beside.vector()};
  found.distance.pop_back();
  found.beside.pop_back();
  T largest = -infinity<T>();
  for (const T value : found.distance) {
    if (value < infinity<T>()) largest = std::max(largest, value);
  }
  double reported = -1e300;
  bool any = false;
  for (const SearchResult& result : results) {
    if (result.found == 0) continue;
    reported = std::max(reported, std::is_floating_point_v<T> ? result.real : static_cast<double>(result.whole));
    any = true;
  }
  CHECK(any == (largest > -infinity<T>()));
  if (any) CHECK(reported == static_cast<double>(largest));
  return found;
}

template <class T>
void check(device::Context& context, InstructionSet set, const Sample<T>& sample, SearchSpec spec,
           std::int64_t block) {
  spec.value = element_type_of<T>();
  spec.graph = sample.graph;
  const Rows<T> expected = by_definition(sample, spec.beside, spec.loops);
  for (const SearchWay way : {SearchWay::levels, SearchWay::sweeps, SearchWay::breadth, SearchWay::nearest}) {
    if (!unfit_for(way, spec).empty()) continue;
    INFO("way " << static_cast<int>(way) << ", " << sample.nodes << " nodes, " << name_of(spec.value) << ", beside "
                << static_cast<int>(spec.beside) << ", loops " << spec.loops << ", words " << spec.words);
    const auto kernel = make_searches_cpu(way, spec, context, set);
    const Rows<T> found = search<T>(context, *kernel, spec, block);
    CHECK(found.distance == expected.distance);
    if (spec.beside != Beside::none) CHECK(found.beside == expected.beside);
  }
}

template <class T>
void check_graphs(InstructionSet set, int threads) {
  if (set > device::best_instruction_set()) return;
  INFO(device::name_of(set) << ", " << threads << " threads");
  device::CpuContext context(threads);
  unsigned seed = 1;
  for (const std::int64_t n : {1, 2, 7, 63, 64, 65, 100}) {
    for (const double degree : {0.0, 0.7, 2.0, 6.0}) {
      for (const Weights weights : {Weights::equal, Weights::some, Weights::ties, Weights::negative}) {
        INFO("degree " << degree << ", weights " << static_cast<int>(weights));
        const Sample<T> sample(n, degree, weights, ++seed);
        for (const Beside beside : {Beside::none, Beside::next, Beside::previous}) {
          SearchSpec spec;
          spec.beside = beside;
          spec.loops = seed % 2 == 0;
          spec.words = 1 << seed % 4;
          check<T>(context, set, sample, spec, n % 2 == 0 ? 50 : n);
        }
      }
    }
  }
  const Sample<T> large(700, 3, Weights::equal, 5);
  check<T>(context, set, large, {}, 700);
}

TEMPLATE_TEST_CASE("searches on the CPU find the shortest paths in every type", "", std::int16_t, std::int32_t,
                   device::i64, float, double) {
  SECTION("sse2") { check_graphs<TestType>(InstructionSet::sse2, 1); }
  SECTION("avx2") { check_graphs<TestType>(InstructionSet::avx2, 3); }
  SECTION("avx512") { check_graphs<TestType>(InstructionSet::avx512, 2); }
}

TEST_CASE("sweeps that pass edges too often leave the rest to searches from one node") {
  // The nearer a node is by edges, the farther it is by weights: each pass improves nearly all of them.
  constexpr std::int64_t n = 300;
  Sample<std::int32_t> sample(0, 0, Weights::some, 1);
  sample.nodes = n;
  sample.matrix.assign(n * n, infinity<std::int32_t>());
  std::vector<device::i32> weight;
  sample.graph->nodes = n;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i + 1; j < n; ++j) {
      const auto far = static_cast<device::i32>(j == i + 1 ? 1 : 3 * (j - i));
      sample.matrix[static_cast<std::size_t>(i * n + j)] = far;
      sample.graph->to.push_back(static_cast<device::i32>(j));
      weight.push_back(far);
    }
    sample.graph->begin.push_back(static_cast<device::i64>(sample.graph->to.size()));
  }
  sample.graph->weight = weight;
  sample.graph->equal = false;
  device::CpuContext context(2);
  check<std::int32_t>(context, device::best_instruction_set(), sample, {}, n);
}

TEST_CASE("rows are those of the sources, in their order") {
  device::CpuContext context(2);
  for (const Weights weights : {Weights::equal, Weights::some, Weights::negative}) {
    const Sample<std::int32_t> sample(90, 2, weights, 3);
    SearchSpec spec;
    spec.graph = sample.graph;
    spec.beside = Beside::previous;
    const std::vector<device::i32> sources = {17, 3, 17, 89, 0};
    spec.sources = sources;
    const auto all = by_definition(sample, spec.beside, false);
    for (const SearchWay way : {SearchWay::levels, SearchWay::sweeps, SearchWay::breadth, SearchWay::nearest}) {
      for (const Beside beside : {Beside::none, Beside::previous}) {
        spec.beside = beside;
        if (!unfit_for(way, spec).empty()) continue;
        const auto kernel = make_searches_cpu(way, spec, context, device::best_instruction_set());
        const auto found = search<std::int32_t>(context, *kernel, spec, 2);
        for (std::size_t row = 0; row < sources.size(); ++row) {
          for (std::size_t j = 0; j < 90; ++j) {
            const std::size_t at = static_cast<std::size_t>(sources[row]) * 90 + j;
            REQUIRE(found.distance[row * 90 + j] == all.distance[at]);
            if (beside != Beside::none) REQUIRE(found.beside[row * 90 + j] == all.beside[at]);
          }
        }
      }
    }
  }
}

TEST_CASE("distances of rows that are reduced are counted in bins") {
  for (const int threads : {1, 2}) {
    device::CpuContext context(threads);
    for (const Weights weights : {Weights::equal, Weights::some, Weights::negative}) {
      const Sample<std::int16_t> sample(150, 1.2, weights, 4);
      SearchSpec spec;
      spec.value = ElementType::i16;
      spec.graph = sample.graph;
      spec.bins = values::Bins{7, 2.5, 9};
      const auto all = by_definition(sample, Beside::none, false);
      std::vector<device::i64> expected(7);
      std::int64_t outside = 0;
      for (std::int64_t n = 0; n < 150 * 150; ++n) {
        const std::int64_t distance = all.distance[static_cast<std::size_t>(n)];
        if (n % 151 == 0 || distance == infinity<std::int16_t>()) continue;
        const device::i64 bin = spec.bins->bin(static_cast<double>(distance));
        if (bin < 0) ++outside;
        else ++expected[static_cast<std::size_t>(bin)];
      }
      CHECK(outside > 0);
      for (const SearchWay way : {SearchWay::levels, SearchWay::sweeps, SearchWay::breadth, SearchWay::nearest}) {
        if (!unfit_for(way, spec).empty()) continue;
        const auto kernel = make_searches_cpu(way, spec, context, device::best_instruction_set());
        std::int64_t negative = -1;
        const testing::Values<device::i64> of_nodes(context, potentials(context, *kernel, 150, negative));
        const testing::Values<std::int16_t> eccentricity(context, std::vector<std::int16_t>(150));
        const testing::Values<device::i64> sum(context, std::vector<device::i64>(150)),
            reached(context, sum.vector());
        const testing::Values<device::i64> histogram(context, std::vector<device::i64>(7, 99));
        std::vector<SearchTask> tasks;
        for (std::int64_t row = 0; row < 150; row += 75) {
          SearchTask task{};
          task.step = SearchStep::rows;
          task.first_row = row;
          task.rows = 75;
          task.eccentricity = eccentricity.data() + row;
          task.sum = sum.data() + row;
          task.reached = reached.data() + row;
          task.histogram = histogram.data();
          task.makes_histogram = row == 0 ? 1 : 0;
          if (sample.graph->negative) task.potential = of_nodes.data();
          tasks.push_back(task);
        }
        std::vector<SearchResult> results;
        testing::run_blocks<SearchResult, SearchTask>(context, *kernel, tasks, results);
        INFO("way " << static_cast<int>(way));
        CHECK(histogram.vector() == expected);
        CHECK(results[0].outside + results[1].outside == outside);
        CHECK(results[0].counted + results[1].counted == std::accumulate(expected.begin(), expected.end(), 0));
      }
    }
  }
}

TEST_CASE("rows are reduced as they are made") {
  device::CpuContext context(2);
  for (const Weights weights : {Weights::equal, Weights::some, Weights::negative}) {
    for (const bool loops : {false, true}) {
      const Sample<std::int16_t> sample(150, 1.2, weights, 4);
      SearchSpec spec;
      spec.value = ElementType::i16;
      spec.graph = sample.graph;
      spec.loops = loops;
      const auto all = by_definition(sample, Beside::none, loops);
      for (const SearchWay way : {SearchWay::levels, SearchWay::sweeps, SearchWay::breadth, SearchWay::nearest}) {
        if (!unfit_for(way, spec).empty()) continue;
        const auto kernel = make_searches_cpu(way, spec, context, device::best_instruction_set());
        std::int64_t negative = -1;
        const testing::Values<device::i64> of_nodes(context, potentials(context, *kernel, 150, negative));
        const testing::Values<std::int16_t> eccentricity(context, std::vector<std::int16_t>(150));
        const testing::Values<device::i64> sum(context, std::vector<device::i64>(150)),
            reached(context, sum.vector());
        std::vector<SearchTask> tasks;
        for (std::int64_t row = 0; row < 150; row += 75) {
          SearchTask task{};
          task.step = SearchStep::rows;
          task.first_row = row;
          task.rows = 75;
          task.eccentricity = eccentricity.data() + row;
          task.sum = sum.data() + row;
          task.reached = reached.data() + row;
          if (sample.graph->negative) task.potential = of_nodes.data();
          tasks.push_back(task);
        }
        std::vector<SearchResult> results;
        testing::run_blocks<SearchResult, SearchTask>(context, *kernel, tasks, results);
        for (std::int64_t i = 0; i < 150; ++i) {
          std::int64_t farthest = infinity<std::int16_t>(), total = 0, count = 0;
          for (std::int64_t j = 0; j < 150; ++j) {
            const std::int64_t distance = all.distance[static_cast<std::size_t>(i * 150 + j)];
            if (j == i || distance == infinity<std::int16_t>()) continue;
            farthest = count == 0 ? distance : std::max(farthest, distance);
            total += distance;
            ++count;
          }
          INFO("way " << static_cast<int>(way) << ", row " << i);
          CHECK(eccentricity.data()[i] == farthest);
          CHECK(sum.data()[i] == total);
          CHECK(reached.data()[i] == count);
        }
      }
    }
  }
}

TEST_CASE("a node on a cycle of negative weight is found, however long the cycle and wherever it is") {
  device::CpuContext context(1);
  for (const std::int64_t length : {1, 2, 40}) {
    Sample<std::int32_t> sample(0, 0, Weights::some, 1);
    sample.graph->nodes = 100;
    std::vector<device::i32> weight;
    for (std::int64_t i = 0; i < 100; ++i) {
      if (i < 60) sample.graph->to.push_back(static_cast<device::i32>(i + 1)), weight.push_back(-2);
      const bool on_cycle = i >= 60 && i < 60 + length;
      if (on_cycle) {
        sample.graph->to.push_back(static_cast<device::i32>(i + 1 < 60 + length ? i + 1 : 60));
        weight.push_back(i == 60 ? -static_cast<device::i32>(length) : 1);
      }
      sample.graph->begin.push_back(static_cast<device::i64>(sample.graph->to.size()));
    }
    sample.graph->weight = weight;
    sample.graph->equal = false;
    sample.graph->negative = true;
    SearchSpec spec;
    spec.graph = sample.graph;
    const auto kernel = make_searches_cpu(SearchWay::nearest, spec, context, device::best_instruction_set());
    std::int64_t negative = -1;
    potentials(context, *kernel, 100, negative);
    INFO(length << ": " << negative);
    CHECK((negative >= 60 && negative < 60 + length));
  }
}

}  // namespace
}  // namespace terrace::recursive
