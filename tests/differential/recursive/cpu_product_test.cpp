// Products of matrices on the CPU against the definition, in every semiring, type and instruction set.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/cpu/tiles.hpp"
#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/reference/reference.hpp"
#include "kernels/recursive/semiring_list.hpp"
#include "kernels/recursive/task.hpp"
#include "tests/differential/recursive/samples.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

struct Shape {
  std::int64_t rows, columns, depth;
};

template <class S, class T>
void check(device::Context& context, InstructionSet set, const Shape& shape, bool empty) {
  INFO(S::name << " of " << name_of(element_type_of<T>()) << ", " << shape.rows << " x " << shape.columns << " x "
               << shape.depth << ", " << empty);
  const auto u = testing::random_factor<S, T>(shape.rows * shape.depth, 1),
             v = testing::random_factor<S, T>(shape.depth * shape.columns, 2);
  auto x = testing::random_factor<S, T>(shape.rows * shape.columns, 3);
  auto expected = x;
  if (empty) std::fill(expected.begin(), expected.end(), S::template zero<T>());
  multiply<S>(expected.data(), u.data(), v.data(), shape.rows, shape.columns, shape.depth);
  const int threads = context.limits().processors;
  const auto kernel =
      make_tiles_cpu({find_semiring(S::name), element_type_of<T>(), Table::values, threads}, context, set);
  TileTask task{};
  task.rows = shape.rows;
  task.columns = task.x_stride = task.v_stride = shape.columns;
  task.depth = task.u_stride = shape.depth;
  task.function = Function::d;
  task.empty = empty;
  task.x = x.data();
  task.u = u.data();
  task.v = v.data();
  TileResult result{};
  device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
  kernel->run({&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
  REQUIRE(done == 1);
  CHECK(x == expected);
}

template <class S, class T>
void check_shapes(device::Context& context, InstructionSet set) {
  if constexpr (S::template has<T>) {
    for (const Shape& shape : {Shape{1, 1, 1},
                               {5, 3, 7},
                               {6, 16, 1},
                               {13, 33, 65},
                               {97, 70, 40},
                               {3, 300, 20},
                               {200, 5, 270},
                               {130, 140, 280}}) {
      check<S, T>(context, set, shape, shape.rows % 2 == 0);
    }
    check<S, T>(context, set, {4, 9, 0}, true);
  } else {
    CHECK_FALSE(has_tiles({find_semiring(S::name), element_type_of<T>()}));
  }
}

TEMPLATE_TEST_CASE("products on the CPU are those of the definition in every algebra and type", "", float, double,
                   std::int16_t, std::int32_t, std::int64_t) {
  for (const InstructionSet set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > device::best_instruction_set()) continue;
    INFO(device::name_of(set));
    device::CpuContext context(set == InstructionSet::sse2 ? 1 : 3);
    Semirings::for_each([&]<class S>(S) { check_shapes<S, TestType>(context, set); });
  }
}

/// A product that is not exact, cut for `cut_for` threads and computed by `threads`.
template <class T>
std::vector<T> rounded_product(int cut_for, int threads) {
  constexpr std::int64_t rows = 230, columns = 310, depth = 170;
  device::CpuContext context(threads);
  std::mt19937 random(7);
  std::uniform_real_distribution<T> value(-1, 1);
  std::vector<T> u(rows * depth), v(depth * columns), x(rows * columns, std::numeric_limits<T>::quiet_NaN());
  for (T& element : u) element = value(random);
  for (T& element : v) element = value(random);
  TileTask task{};
  task.rows = rows;
  task.columns = task.x_stride = task.v_stride = columns;
  task.depth = task.u_stride = depth;
  task.function = Function::d;
  task.empty = 1;
  task.x = x.data();
  task.u = u.data();
  task.v = v.data();
  TileResult result{};
  device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
  make_tiles_cpu({find_semiring("plus_times"), element_type_of<T>(), Table::values, cut_for}, context)
      ->run({&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      long double sum = 0;
      double magnitude = 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        const long double term = static_cast<long double>(u[i * depth + k]) * v[k * columns + j];
        sum += term;
        magnitude += static_cast<double>(std::abs(term));
      }
      // Higham 2002, section 3.5: a sum of n products is off by n units of the sum of their magnitudes at most.
      const double bound = (depth + 1) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2 * magnitude;
      REQUIRE(std::abs(static_cast<double>(x[i * columns + j] - sum)) <= bound);
    }
  }
  return x;
}

TEMPLATE_TEST_CASE("a product has the same bits on any number of threads, whatever its tiles are cut for", "", float,
                   double) {
  for (const int cut_for : {1, 2, 3, 12, 61}) {
    INFO("cut for " << cut_for);
    const auto first = rounded_product<TestType>(cut_for, 1);
    CHECK(rounded_product<TestType>(cut_for, 4) == first);
    CHECK(rounded_product<TestType>(cut_for, 7) == first);
  }
}

TEST_CASE("sums that met infinity become infinite with the last update") {
  device::CpuContext context(1);
  for (const bool least : {true, false}) {
    const int semiring = find_semiring(least ? "min_plus" : "max_plus"), sign = least ? 1 : -1;
    const auto none = static_cast<std::int16_t>(sign * infinity<std::int16_t>());
    const auto u =
        std::vector<std::int16_t>{static_cast<std::int16_t>(-sign * 50), static_cast<std::int16_t>(sign * 7)};
    const auto v = std::vector<std::int16_t>{none, none, 3, none};
    std::vector<std::int16_t> x(2);
    TileTask task{};
    task.rows = 1;
    task.columns = task.depth = task.x_stride = task.u_stride = task.v_stride = 2;
    task.function = Function::d;
    task.last = task.clamped = task.empty = 1;
    task.x = x.data();
    task.u = u.data();
    task.v = v.data();
    TileResult result{};
    device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
    make_tiles_cpu({semiring, ElementType::i16}, context)
        ->run({&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
    CHECK(x == std::vector<std::int16_t>{static_cast<std::int16_t>(sign * 7 + 3), none});
  }
}

}  // namespace
}  // namespace terrace::recursive
