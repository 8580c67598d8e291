// Problems over intervals on the CPU against their definition, and the walk through their splits.
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/recursive/tiled_triangle.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

template <class R, class T>
void check(device::Context& context, InstructionSet set, std::int64_t nodes, std::int64_t tile,
           const testing::PairRules& rules = {}) {
  INFO("rule " << Rules::index<R>() << " of " << name_of(element_type_of<T>()) << ", " << nodes << " nodes, tiles of "
               << tile);
  const std::vector<T> terms = testing::random_terms<R, T>(nodes, static_cast<unsigned>(nodes * 7 + tile));
  const testing::Solved<T> expected = testing::solve_plainly<R>(terms, nodes, rules);
  for (const bool splits : {false, true}) {
    const IntervalSpec spec{Rules::index<R>(), element_type_of<T>(), splits};
    testing::TiledTriangle<T> triangle(context, terms, nodes, tile, rules, R::looks_inside, splits);
    const auto kernel = make_intervals_cpu(spec, context, set);
    const IntervalResult result = triangle.solve(*kernel);
    CHECK((is_real<T> ? static_cast<T>(result.real) : static_cast<T>(result.whole)) ==
          expected.table[static_cast<std::size_t>(nodes - 1)]);
    CHECK(triangle.solved().table == expected.table);
    if (splits) CHECK(triangle.solved().split == expected.split);
  }
}

template <class R, class T>
void check_sizes(device::Context& context, InstructionSet set) {
  for (const std::int64_t nodes : {1, 2, 3, 4, 63, 64, 65, 130}) check<R, T>(context, set, nodes, 130);
  for (const std::int64_t tile : {1, 2, 7, 16, 63}) {
    check<R, T>(context, set, std::min<std::int64_t>(9 * tile + 2, 150), tile);
  }
  check<R, T>(context, set, 400, 150);
}

template <class T>
void check_rules(device::Context& context, InstructionSet set) {
  Rules::for_each([&]<class R>(R) {
    if constexpr (R::template has<T>) check_sizes<R, T>(context, set);
    else CHECK_FALSE(has_intervals({Rules::index<R>(), element_type_of<T>(), false}));
  });
}

TEMPLATE_TEST_CASE("problems over intervals on the CPU are those of the definition in every type", "", double,
                   std::int16_t, std::int32_t, std::int64_t) {
  for (const InstructionSet set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > device::best_instruction_set()) continue;
    INFO(device::name_of(set));
    device::CpuContext context(set == InstructionSet::avx2 ? 3 : 1);
    check_rules<TestType>(context, set);
  }
}

void check_lost_walks(device::Context& context) {
  Rules::for_each([&]<class R>(R) {
    using T = std::conditional_t<R::template has<std::int32_t>, std::int32_t, double>;
    constexpr std::int32_t nodes = 40;
    testing::TiledTriangle<T> triangle(context, testing::random_terms<R, T>(nodes, 3), nodes, 16, {}, R::looks_inside,
                                       true);
    const auto kernel = make_intervals_cpu({Rules::index<R>(), element_type_of<T>(), true}, context);
    triangle.solve(*kernel);
    testing::check_lost<R>(triangle, *kernel, nodes);
  });
}

TEST_CASE("a walk ends where a split leads out of its interval, and names the node where that begins") {
  device::CpuContext context(1);
  check_lost_walks(context);
}

TEST_CASE("pairs are as far apart as asked for, with and without wobble") {
  device::CpuContext context(2);
  for (const std::int64_t least_inside : {0, 1, 3, 40}) {
    for (const bool wobble : {false, true}) {
      check<PairingRule, std::int16_t>(context, device::best_instruction_set(), 120, 17, {least_inside, wobble});
    }
  }
}

TEST_CASE("numbers that are not whole cost what they cost by the definition, in any order of splits") {
  device::CpuContext context(2);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> size(0.1, 9);
  constexpr std::int64_t nodes = 170;
  std::vector<double> terms(3 * nodes);
  for (double& term : terms) term = size(random);
  const testing::Solved<double> expected = testing::solve_plainly<ChainRule>(terms, nodes, {});
  testing::TiledTriangle<double> triangle(context, terms, nodes, 45, {}, false, true);
  triangle.solve(*make_intervals_cpu({Rules::index<ChainRule>(), ElementType::f64, true}, context));
  CHECK(triangle.solved() == expected);
}

TEST_CASE("the brackets of a triangle's splits are those of the tree that they make") {
  device::CpuContext context(1);
  for (const std::int64_t nodes : {1, 2, 3, 100}) {
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
    for (const std::int64_t tile : {1, 9, 128}) {
      testing::TiledTriangle<std::int32_t> triangle(context, terms, nodes, tile, {}, false, true);
      const auto kernel = make_intervals_cpu({Rules::index<ChainRule>(), ElementType::i32, true}, context);
      triangle.solve(*kernel);
      const auto found = triangle.trace(*kernel);
      CHECK(found.first == opens);
      CHECK(found.second == closes);
    }
  }
}

TEST_CASE("rules and types without kernels are refused") {
  device::CpuContext context(1);
  for (const ElementType type : {ElementType::u8, ElementType::f32, ElementType::u64}) {
    CHECK_FALSE(has_intervals({0, type, false}));
    CHECK_THROWS_AS(make_intervals_cpu({0, type, false}, context), DeviceError);
  }
  CHECK_THROWS_AS(make_intervals_cpu({-1, ElementType::f64, false}, context), DeviceError);
  CHECK_THROWS_AS(make_intervals_cpu({Rules::size, ElementType::f64, false}, context), DeviceError);
}

}  // namespace
}  // namespace terrace::recursive
