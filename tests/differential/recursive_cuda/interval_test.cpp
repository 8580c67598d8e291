// Problems over intervals on CUDA against their definition, and the walk through their splits.
#include <catch2/catch.hpp>

#include "pipeline/base/error.hpp"
#include "tests/differential/recursive/tiled_triangle.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::recursive {
namespace {

/// The blocks of a triangle with a workspace for its tiles.
struct Opened {
  Opened(const IntervalSpec& spec, std::int64_t side, device::Context& context)
      : workspace(context, intervals_cuda_bytes(spec, side)),
        kernel(make_intervals_cuda(spec, side, context, workspace.as<void>())) {}

  device::Memory workspace;
  std::unique_ptr<device::BlockKernel> kernel;
};

template <class R, class T>
void check(device::Context& context, std::int64_t nodes, std::int64_t tile, bool splits,
           const testing::PairRules& rules = {}) {
  INFO("rule " << Rules::index<R>() << " of " << name_of(element_type_of<T>()) << ", " << nodes << " nodes, tiles of "
               << tile << ", splits " << splits);
  const std::vector<T> terms = testing::random_terms<R, T>(nodes, static_cast<unsigned>(nodes * 7 + tile));
  const testing::Solved<T> expected = testing::solve_plainly<R>(terms, nodes, rules);
  testing::TiledTriangle<T> triangle(context, terms, nodes, tile, rules, R::looks_inside, splits);
  const Opened opened({Rules::index<R>(), element_type_of<T>(), splits}, std::min(nodes, tile), context);
  const IntervalResult result = triangle.solve(*opened.kernel);
  CHECK((is_real<T> ? static_cast<T>(result.real) : static_cast<T>(result.whole)) ==
        expected.table[static_cast<std::size_t>(nodes - 1)]);
  CHECK(triangle.solved().table == expected.table);
  if (splits) CHECK(triangle.solved().split == expected.split);
}

template <class R, class T>
void check_sizes(device::Context& context) {
  check<R, T>(context, 1, 8, true);
  check<R, T>(context, 2, 8, true);
  check<R, T>(context, 70, 90, true);
  check<R, T>(context, 30, 7, false);
  check<R, T>(context, 150, 70, false);
  if (test::few_cases(context)) return;
  for (const bool splits : {false, true}) {
    for (const std::int64_t nodes : {1, 2, 3, 63, 64, 65, 129, 300}) check<R, T>(context, nodes, 300, splits);
    for (const std::int64_t tile : {1, 7, 16, 63}) check<R, T>(context, 9 * tile + 2, tile, splits);
    check<R, T>(context, 700, 200, splits);
  }
}

template <class T>
void check_rules(device::Context& context) {
  Rules::for_each([&]<class R>(R) {
    if constexpr (R::template has<T>) check_sizes<R, T>(context);
    else CHECK_THROWS_AS(intervals_cuda_bytes({Rules::index<R>(), element_type_of<T>(), false}, 64), DeviceError);
  });
}

TEMPLATE_TEST_CASE("problems over intervals on CUDA are those of the definition in every type", "", double,
                   std::int16_t, std::int32_t, std::int64_t) {
  const auto context = test::cuda_context();
  if (!context) return;
  check_rules<TestType>(*context);
}

TEST_CASE("pairs on CUDA are as far apart as asked for, with and without wobble") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const std::int64_t least_inside : {0, 1, 40}) {
    check<PairingRule, std::int16_t>(*context, 80, 66, true, {least_inside, least_inside == 1});
  }
}

TEST_CASE("the brackets of splits on CUDA are those of the walk on one thread") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const std::int64_t nodes : {1, 2, 90}) {
    const auto terms = testing::random_terms<ChainRule, std::int32_t>(nodes, 5);
    const auto expected = testing::solve_plainly<ChainRule>(terms, nodes, {});
    std::vector<std::int32_t> opens(static_cast<std::size_t>(nodes)), closes = opens;
    const auto count = [&](const auto& self, std::int64_t i, std::int64_t j) -> void {
      if (j - i < 2) return;
      const std::int64_t k = expected.split[static_cast<std::size_t>(i * nodes + j)];
      ++opens[static_cast<std::size_t>(i)];
      ++closes[static_cast<std::size_t>(j - 1)];
      self(self, i, k);
      self(self, k, j);
    };
    count(count, 0, nodes - 1);
    testing::TiledTriangle<std::int32_t> triangle(*context, terms, nodes, 40, {}, false, true);
    const Opened opened({Rules::index<ChainRule>(), ElementType::i32, true}, 40, *context);
    triangle.solve(*opened.kernel);
    const auto found = triangle.trace(*opened.kernel);
    CHECK(found.first == opens);
    CHECK(found.second == closes);
  }
}

template <class R>
void check_lost_walk(device::Context& context) {
  constexpr std::int32_t nodes = 40;
  testing::TiledTriangle<std::int32_t> triangle(context, testing::random_terms<R, std::int32_t>(nodes, 3), nodes, 16,
                                                {}, R::looks_inside, true);
  const Opened opened({Rules::index<R>(), ElementType::i32, true}, 16, context);
  triangle.solve(*opened.kernel);
  testing::check_lost<R>(triangle, *opened.kernel, nodes);
}

TEST_CASE("a walk on CUDA ends where a split leads out of its interval, and names the node where that begins") {
  const auto context = test::cuda_context();
  if (!context) return;
  check_lost_walk<ChainRule>(*context);
  check_lost_walk<PairingRule>(*context);
}

TEST_CASE("tiles of a triangle larger than the workspace are refused") {
  const auto context = test::cuda_context();
  if (!context) return;
  const auto terms = testing::random_terms<ChainRule, double>(40, 5);
  testing::TiledTriangle<double> triangle(*context, terms, 40, 40, {}, false, false);
  const Opened opened({Rules::index<ChainRule>(), ElementType::f64, false}, 39, *context);
  CHECK_THROWS_AS(triangle.solve(*opened.kernel), DeviceError);
}

}  // namespace
}  // namespace terrace::recursive
