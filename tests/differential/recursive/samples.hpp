// Random matrices for tests of the recursive family: whole numbers, exact in every type.
#pragma once

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "kernels/recursive/semiring.hpp"

namespace terrace::recursive::testing {

/// Weights, with "no edge" in some places; some are negative, no cycle is negative.
template <class T>
std::vector<T> random_graph(std::int64_t n, double edges, bool negative, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<int> height(static_cast<std::size_t>(n));
  for (int& value : height) value = negative ? static_cast<int>(random() % 20) : 0;
  std::vector<T> matrix(static_cast<std::size_t>(n * n), infinity<T>());
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      T& weight = matrix[static_cast<std::size_t>(i * n + j)];
      const int up = height[static_cast<std::size_t>(j)] - height[static_cast<std::size_t>(i)];
      if (chance(random) < edges) weight = static_cast<T>(static_cast<int>(random() % 30) + up);
      if (i == j) weight = T(0);
    }
  }
  return matrix;
}

/// Elements of a factor, some of them the algebra's zero.
template <class S, class T>
std::vector<T> random_factor(std::int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> matrix(static_cast<std::size_t>(size));
  const bool positive = std::is_same_v<S, MaxTimes>;
  for (T& value : matrix) {
    const unsigned draw = random() % 64;
    if (draw < 8) value = S::template zero<T>();
    else value = static_cast<T>(static_cast<int>(draw % 11) - (positive ? 0 : 5));
  }
  return matrix;
}

}  // namespace terrace::recursive::testing
