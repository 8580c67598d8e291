// Products of matrices on CUDA against the definition, in every semiring and type.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/reference/reference.hpp"
#include "kernels/recursive/semiring_list.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/recursive/samples.hpp"
#include "tests/differential/recursive/tiled_matrix.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::recursive {
namespace {

using testing::Values;

struct Shape {
  std::int64_t rows, columns, depth;
};

/// A factor's rows lie apart by its columns.
template <class T>
TileTask product_task(const Shape& shape, const Values<T>& x, const Values<T>& u, const Values<T>& v) {
  TileTask task{};
  task.rows = shape.rows;
  task.columns = task.x_stride = task.v_stride = shape.columns;
  task.depth = task.u_stride = shape.depth;
  task.function = Function::d;
  task.x = x.data();
  task.u = u.data();
  task.v = v.data();
  return task;
}

/// Runs one block with a workspace for tiles of the shape.
template <class T>
TileResult run_block(device::Context& context, int semiring, const Shape& shape, const TileTask& task) {
  const TileSpec spec{semiring, element_type_of<T>()};
  const std::int64_t side = std::max({shape.rows, shape.columns, shape.depth});
  const device::Memory workspace(context, tiles_cuda_bytes(spec, side));
  const auto kernel = make_tiles_cuda(spec, side, context, workspace.as<void>());
  std::vector<TileResult> results;
  REQUIRE(testing::run_blocks(context, *kernel, {task}, results).done == 1);
  return results[0];
}

template <class S, class T>
void check(device::Context& context, const Shape& shape, bool empty) {
  INFO(S::name << " of " << name_of(element_type_of<T>()) << ", " << shape.rows << " x " << shape.columns << " x "
               << shape.depth << ", " << empty);
  const auto u = testing::random_factor<S, T>(shape.rows * shape.depth, 1),
             v = testing::random_factor<S, T>(shape.depth * shape.columns, 2);
  const auto x = testing::random_factor<S, T>(shape.rows * shape.columns, 3);
  auto expected = x;
  if (empty) std::fill(expected.begin(), expected.end(), S::template zero<T>());
  multiply<S>(expected.data(), u.data(), v.data(), shape.rows, shape.columns, shape.depth);
  const Values<T> there(context, x), left(context, u), right(context, v);
  TileTask task = product_task(shape, there, left, right);
  task.empty = empty;
  run_block<T>(context, find_semiring(S::name), shape, task);
  CHECK(there.vector() == expected);
}

template <class S, class T>
void check_shapes(device::Context& context) {
  if constexpr (S::template has<T>) {
    std::vector<Shape> shapes = {{1, 1, 1}, {5, 3, 7}, {129, 130, 33}, {130, 268, 20}};
    if (!test::few_cases(context)) {
      shapes.insert(shapes.end(), {{128, 128, 16}, {3, 300, 20}, {200, 5, 270}, {640, 1032, 500}, {1100, 257, 1025}});
    }
    for (const Shape& shape : shapes) check<S, T>(context, shape, shape.rows % 2 == 0);
    check<S, T>(context, {4, 9, 0}, true);
  } else {
    CHECK_THROWS_AS(tiles_cuda_bytes({find_semiring(S::name), element_type_of<T>()}, 64), DeviceError);
  }
}

TEMPLATE_TEST_CASE("products on CUDA are those of the definition in every algebra and type", "", float, double,
                   std::int16_t, std::int32_t, std::int64_t) {
  const auto context = test::cuda_context();
  if (!context) return;
  Semirings::for_each([&]<class S>(S) { check_shapes<S, TestType>(*context); });
}

TEST_CASE("minima of sums on CUDA have the bits of the definition, and sums of products are right to rounding") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Shape shape{70, 90, 100};
  std::mt19937 random(4);
  std::uniform_real_distribution<float> value(-1, 1);
  const auto matrix = [&](std::int64_t size) {
    std::vector<float> values(static_cast<std::size_t>(size));
    for (float& each : values) each = value(random);
    return values;
  };
  const auto u = matrix(shape.rows * shape.depth), v = matrix(shape.depth * shape.columns),
             x = matrix(shape.rows * shape.columns);
  const Values<float> left(*context, u), right(*context, v), least(*context, x), sums(*context, x);
  run_block<float>(*context, find_semiring("min_plus"), shape, product_task(shape, least, left, right));
  auto expected = x;
  multiply<MinPlus>(expected.data(), u.data(), v.data(), shape.rows, shape.columns, shape.depth);
  CHECK(least.vector() == expected);

  run_block<float>(*context, find_semiring("plus_times"), shape, product_task(shape, sums, left, right));
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.columns; ++j) {
      double exact = x[static_cast<std::size_t>(i * shape.columns + j)], magnitude = std::abs(exact);
      for (std::int64_t k = 0; k < shape.depth; ++k) {
        const double term = static_cast<double>(u[static_cast<std::size_t>(i * shape.depth + k)]) *
                            static_cast<double>(v[static_cast<std::size_t>(k * shape.columns + j)]);
        exact += term;
        magnitude += std::abs(term);
      }
      // Higham 2002, section 3.5: n products and additions are off by n units of the sum of magnitudes at most.
      const double bound = static_cast<double>(shape.depth + 1) * 0x1p-24 * magnitude;
      REQUIRE(std::abs(sums.data()[i * shape.columns + j] - exact) <= bound);
    }
  }
}

TEST_CASE("minima of sums on CUDA are right whichever of the numbers are negative") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Shape shape{9, 140, 20};
  std::mt19937 random(8);
  for (int negative = 0; negative < 8; ++negative) {
    const auto matrix = [&](std::int64_t size, int bit) {
      std::vector<float> values(static_cast<std::size_t>(size));
      for (float& value : values) {
        value = static_cast<float>(random() % 1000) + 100;
        if ((negative & bit) != 0 && random() % 2 == 0) value = -value;
      }
      return values;
    };
    const auto u = matrix(shape.rows * shape.depth, 1), v = matrix(shape.depth * shape.columns, 2),
               x = matrix(shape.rows * shape.columns, 4);
    const Values<float> left(*context, u), right(*context, v), least(*context, x);
    run_block<float>(*context, find_semiring("min_plus"), shape, product_task(shape, least, left, right));
    auto expected = x;
    multiply<MinPlus>(expected.data(), u.data(), v.data(), shape.rows, shape.columns, shape.depth);
    CHECK(least.vector() == expected);
  }
}

TEST_CASE("sums that met infinity become infinite on CUDA with the last update") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const bool least : {true, false}) {
    const int semiring = find_semiring(least ? "min_plus" : "max_plus"), sign = least ? 1 : -1;
    const auto none = static_cast<std::int16_t>(sign * infinity<std::int16_t>());
    const Values<std::int16_t> u(*context,
                                 {static_cast<std::int16_t>(-sign * 50), static_cast<std::int16_t>(sign * 7)}),
        v(*context, {none, none, 3, none}), x(*context, std::vector<std::int16_t>(2));
    const Shape shape{1, 2, 2};
    TileTask task = product_task(shape, x, u, v);
    task.last = task.clamped = task.empty = 1;
    const TileResult result = run_block<std::int16_t>(*context, semiring, shape, task);
    CHECK(x.vector() == std::vector<std::int16_t>{static_cast<std::int16_t>(sign * 7 + 3), none});
    CHECK(result.found == 2);
    CHECK(result.farthest.whole == sign * 7 + 3);
  }
}

TEST_CASE("inputs are only looked at on CUDA where nothing is to be updated") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Values<double> input(*context, {3, -2.5, 8, infinity<double>(), -0.25, 70});
  TileTask task{};
  task.rows = 3;
  task.columns = 2;
  task.function = Function::inspect;
  task.input = input.data();
  task.input_stride = 2;
  const TileResult result = run_block<double>(*context, find_semiring("min_plus"), {3, 2, 0}, task);
  CHECK(result.found == 1);
  CHECK(result.least.real == -2.5);
  CHECK(result.most.real == 70);
}

}  // namespace
}  // namespace terrace::recursive
