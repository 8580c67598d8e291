// Products of tables of bits through a launch on any device, against the definition.
#pragma once

#include <catch2/catch.hpp>

#include "kernels/recursive/reference/reference.hpp"
#include "tests/differential/recursive/tiled_bits.hpp"

namespace terrace::recursive::testing {

struct BitShape {
  std::int64_t rows, columns, depth;

  std::int64_t side() const { return std::max({rows, columns, depth}); }
};

/// The content that x has before the update.
enum class Before { nothing, input, itself };

/// Bytes 0 and 1, of which about `share` are 1.
inline std::vector<std::uint8_t> random_cells(std::int64_t count, double share, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution one(share);
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(count));
  for (std::uint8_t& cell : cells) cell = one(random) ? 1 : 0;
  return cells;
}

/// An update of one tile by factors in words of 32 columns. Rows of the factors lie apart by their words.
inline TileTask bits_task(const BitShape& shape, Before before, const Values<device::u32>& u,
                          const Values<device::u32>& v) {
  TileTask task{};
  task.rows = shape.rows;
  task.depth = shape.depth;
  task.function = Function::d;
  task.last = 1;
  task.empty = before == Before::nothing;
  task.u = u.data();
  task.u_stride = (shape.depth + 31) / 32;
  task.v = v.data();
  task.v_stride = (shape.columns + 31) / 32;
  return task;
}

/// Compares x <- x or (u and v), given out as a byte a cell, with the definition.
inline void check_or_product(device::Context& context, device::BlockKernel& kernel, const BitShape& shape,
                             double share, Before before) {
  INFO("or_and, " << shape.rows << " x " << shape.columns << " x " << shape.depth << ", " << share << ", "
                  << static_cast<int>(before));
  const auto [rows, columns, depth] = shape;
  const auto left = random_cells(rows * depth, share, 1), right = random_cells(depth * columns, share, 2);
  const auto begin = random_cells(rows * columns, share, 3), other = random_cells(rows * columns, 0.5, 4);
  auto expected = begin;
  if (before == Before::nothing) std::fill(expected.begin(), expected.end(), 0);
  multiply<OrAnd>(expected.data(), left.data(), right.data(), rows, columns, depth);
  const Values<device::u32> u(context, packed_words(left, rows, depth)),
      v(context, packed_words(right, depth, columns)), input(context, packed_words(begin, rows, columns)),
      x(context, packed_words(before == Before::itself ? begin : other, rows, columns));
  const Values<std::uint8_t> output(context, std::vector<std::uint8_t>(expected.size(), 7));
  TileTask task = bits_task(shape, before, u, v);
  task.columns = task.x_stride = task.v_stride;
  task.x = x.data();
  if (before == Before::input) task.input = input.data(), task.input_stride = task.columns;
  task.output = output.data();
  task.output_columns = task.output_stride = columns;
  std::vector<TileResult> results;
  REQUIRE(run_blocks(context, kernel, {task}, results).done == 1);
  CHECK(output.vector() == expected);
}

/// Compares x <- x + the numbers of common bits with the definition. Rows of x lie `beyond` counts farther apart than
/// they are long.
inline void check_counts(device::Context& context, device::BlockKernel& kernel, const BitShape& shape, double share,
                         Before before, std::int64_t beyond) {
  INFO("count, " << shape.rows << " x " << shape.columns << " x " << shape.depth << ", " << share << ", "
                 << static_cast<int>(before) << ", " << beyond);
  const auto [rows, columns, depth] = shape;
  const auto left = random_cells(rows * depth, share, 5), right = random_cells(depth * columns, share, 6);
  const std::int64_t stride = columns + beyond;
  const auto counts = [&](int step) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(rows * stride));
    for (std::size_t at = 0; at < values.size(); ++at) values[at] = static_cast<std::int32_t>(at) * step - 70000;
    return values;
  };
  const auto begin = counts(3), other = counts(-7);
  auto expected = before == Before::itself ? begin : other;
  for (std::int64_t at = 0; at < rows * columns; ++at) {
    const std::int64_t i = at / columns, j = at % columns, to = i * stride + j;
    std::int32_t& sum = expected[static_cast<std::size_t>(to)];
    sum = before == Before::nothing ? 0 : begin[static_cast<std::size_t>(to)];
    for (std::int64_t k = 0; k < depth; ++k) {
      sum += left[static_cast<std::size_t>(i * depth + k)] & right[static_cast<std::size_t>(k * columns + j)];
    }
  }
  const Values<device::u32> u(context, packed_words(left, rows, depth)),
      v(context, packed_words(right, depth, columns));
  const Values<std::int32_t> input(context, begin), x(context, before == Before::itself ? begin : other);
  TileTask task = bits_task(shape, before, u, v);
  task.columns = columns;
  task.x = x.data();
  task.x_stride = stride;
  if (before == Before::input) task.input = input.data(), task.input_stride = stride;
  std::vector<TileResult> results;
  REQUIRE(run_blocks(context, kernel, {task}, results).done == 1);
  CHECK(x.vector() == expected);
}

inline TileSpec counts_spec() { return {find_semiring("count"), ElementType::i32, Table::counts}; }

}  // namespace terrace::recursive::testing
