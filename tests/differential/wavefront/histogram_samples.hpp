// Integral histograms by the plain rule: the reference of tests of all back ends.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/wavefront/sweep.hpp"

namespace terrace::wavefront::test {

/// A histogram of a grid of type `grid`: `bins` bins of [low, high], counts of type `count`.
inline SweepSpec histogram_spec(std::int64_t rows, std::int64_t columns, std::int64_t block_rows,
                                std::int64_t block_columns, ElementType grid, ElementType count, std::int64_t bins,
                                double low, double high) {
  SweepSpec spec;
  spec.problem = "integral_histogram";
  spec.settings.set("bins", bins);
  spec.settings.set("range", std::vector<double>{low, high});
  spec.rows = rows;
  spec.columns = columns;
  spec.block_rows = block_rows;
  spec.block_columns = block_columns;
  spec.grid = grid;
  spec.value = spec.border = count;
  spec.table = count;
  spec.layers = bins;
  return spec;
}

/// The bin of a value, or -1: as numpy.histogram says for edges low + (high - low) / bins * b, which f32 grids round.
template <class G>
std::int64_t bin_of(G value, std::int64_t bins, double low, double high) {
  const auto edge = [&](std::int64_t b) {
    const double exact = b == bins ? high : static_cast<double>(b) * ((high - low) / static_cast<double>(bins)) + low;
    return std::is_same_v<G, float> ? static_cast<double>(static_cast<float>(exact)) : exact;
  };
  const auto number = static_cast<double>(value);
  for (std::int64_t b = 0; b < bins; ++b) {
    if (number >= edge(b) && (number < edge(b + 1) || (b + 1 == bins && number == edge(bins)))) return b;
  }
  return -1;
}

/// Counts of bin `bin` over rows and columns [0, i] x [0, j], row-major.
template <class G>
std::vector<std::int64_t> histogram_layer(const std::vector<G>& grid, const SweepSpec& spec, std::int64_t bin) {
  const auto range = spec.settings.get<std::vector<double>>("range");
  std::vector<std::int64_t> counts(grid.size());
  for (std::int64_t i = 0; i < spec.rows; ++i) {
    std::int64_t row = 0;
    for (std::int64_t j = 0; j < spec.columns; ++j) {
      const auto at = static_cast<std::size_t>(i * spec.columns + j);
      row += bin_of(grid[at], spec.layers, range[0], range[1]) == bin;
      counts[at] = row + (i > 0 ? counts[at - static_cast<std::size_t>(spec.columns)] : 0);
    }
  }
  return counts;
}

/// Values in and around [low, high], a third of them on or next to edges of `bins` bins, some infinite or
/// NaN.
template <class G>
std::vector<G> values_around(std::int64_t count, std::int64_t bins, double low, double high, unsigned seed) {
  using Limits = std::numeric_limits<G>;
  std::mt19937_64 random(seed);
  std::vector<G> grid(static_cast<std::size_t>(count));
  for (G& value : grid) {
    const double part = static_cast<double>(random() % 1400) / 1000 - 0.2;
    double number = low + part * (high - low);
    if (random() % 3 == 0) {
      number = low + static_cast<double>(random() % static_cast<std::uint64_t>(bins + 1)) * (high - low) /
                         static_cast<double>(bins);
    }
    if constexpr (std::is_floating_point_v<G>) {
      value = static_cast<G>(number);
      const auto turn = random() % 40;
      if (turn == 0) value = std::nextafter(value, -Limits::infinity());
      if (turn == 1) value = std::nextafter(value, Limits::infinity());
      if (turn == 2) value = Limits::quiet_NaN();
      if (turn == 3) value = -Limits::quiet_NaN();
      if (turn == 4) value = Limits::infinity();
      if (turn == 5) value = -Limits::infinity();
      if (turn == 6) value = -G{0};
    } else {
      number = std::round(number);
      if (number < static_cast<double>(Limits::min())) value = Limits::min();
      else if (number >= static_cast<double>(Limits::max())) value = Limits::max();
      else value = static_cast<G>(number);
    }
  }
  return grid;
}

}  // namespace terrace::wavefront::test
