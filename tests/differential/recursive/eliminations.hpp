// Matrices to be eliminated, and checks of products of triangles.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "kernels/recursive/problems.hpp"
#include "tests/differential/recursive/tiled_matrix.hpp"

namespace terrace::recursive::testing {

template <class T>
TileSpec elimination_spec() {
  return {find_semiring("minus_times"), element_type_of<T>()};
}

/// A matrix that needs no pivoting: every pivot is larger than the rest of its row.
template <class T>
std::vector<T> dominant_matrix(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-0.5, 0.5);
  std::vector<T> matrix(static_cast<std::size_t>(n * n));
  for (std::int64_t at = 0; at < n * n; ++at) {
    matrix[static_cast<std::size_t>(at)] =
        static_cast<T>(value(random) + (at % (n + 1) == 0 ? static_cast<double>(n) : 0));
  }
  return matrix;
}

/// L below the diagonal, whose own is 1, and U, of small whole numbers, so that every quotient is exact.
template <class T>
std::vector<T> whole_triangles(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> lu(static_cast<std::size_t>(n * n));
  for (std::int64_t at = 0; at < n * n; ++at) {
    const int draw = static_cast<int>(random() % 7) - 3;
    lu[static_cast<std::size_t>(at)] = static_cast<T>(at % (n + 1) == 0 ? (draw < 0 ? -2 : 1) : draw);
  }
  return lu;
}

/// Row by row: calls row(i, L times U, the product of their absolute values).
template <class T, class Row>
void multiply_triangles(const std::vector<T>& lu, std::int64_t n, const Row& row) {
  std::vector<double> product(static_cast<std::size_t>(n)), magnitude(product.size());
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return static_cast<double>(lu[static_cast<std::size_t>(i * n + j)]);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    std::fill(product.begin(), product.end(), 0.0);
    std::fill(magnitude.begin(), magnitude.end(), 0.0);
    for (std::int64_t k = 0; k <= i; ++k) {
      const double factor = k == i ? 1 : at(i, k);
      for (std::int64_t j = k; j < n; ++j) {
        product[static_cast<std::size_t>(j)] += factor * at(k, j);
        magnitude[static_cast<std::size_t>(j)] += std::abs(factor * at(k, j));
      }
    }
    row(i, product, magnitude);
  }
}

/// Requires that L times U is the matrix, as near as n rounded products and sums give it (Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd edition, theorem 9.3), and n more roundings of this product.
template <class T>
void require_factors(const std::vector<T>& matrix, const std::vector<T>& lu, std::int64_t n) {
  const double unit = static_cast<double>(std::numeric_limits<T>::epsilon());
  multiply_triangles(lu, n, [&](std::int64_t i, const auto& product, const auto& magnitude) {
    for (std::int64_t j = 0; j < n; ++j) {
      const double off =
          product[static_cast<std::size_t>(j)] - static_cast<double>(matrix[static_cast<std::size_t>(i * n + j)]);
      REQUIRE(std::abs(off) <= static_cast<double>(n) * unit * magnitude[static_cast<std::size_t>(j)]);
    }
  });
}

/// The result of an elimination in tiles, by updates that make(side) makes. @param refused the refused pivot, or -1
template <class T, class Make>
std::vector<T> eliminated(device::Context& context, const Make& make, const std::vector<T>& matrix, std::int64_t n,
                          std::int64_t tile, std::int64_t* refused = nullptr) {
  TiledMatrix<T> tiles(context, matrix, n, tile);
  std::int64_t first = -1;
  for (const TileResult& result : tiles.eliminate(*make(tile))) {
    if (first < 0) first = result.negative_pivot;
  }
  if (refused != nullptr) *refused = first;
  else REQUIRE(first == -1);
  return tiles.matrix();
}

/// All that updates of an elimination must do, in one type.
template <class T, class Make>
void check_elimination(device::Context& context, const Make& make, std::int64_t n, std::int64_t tile) {
  INFO(n << " rows, tiles of " << tile << ", " << name_of(element_type_of<T>()));
  const auto seed = static_cast<unsigned>(n * 31 + tile);
  const std::vector<T> matrix = dominant_matrix<T>(n, seed);
  require_factors(matrix, eliminated(context, make, matrix, n, tile), n);
  const std::vector<T> known = whole_triangles<T>(n, seed);
  std::vector<T> product(known.size());
  multiply_triangles(known, n, [&](std::int64_t i, const auto& row, const auto&) {
    for (std::int64_t j = 0; j < n; ++j) {
      product[static_cast<std::size_t>(i * n + j)] = static_cast<T>(row[static_cast<std::size_t>(j)]);
    }
  });
  REQUIRE(eliminated(context, make, product, n, tile) == known);
}

/// Checks that the first unusable pivot is named, for any tile that finds it.
template <class T, class Make>
void check_refusals(device::Context& context, const Make& make) {
  constexpr std::int64_t n = 140;
  const std::vector<T> usual = dominant_matrix<T>(n, 3);
  const auto refused = [&](const std::vector<T>& matrix, std::int64_t tile) {
    std::int64_t first = -1;
    eliminated(context, make, matrix, n, tile, &first);
    return first;
  };
  for (const std::int64_t tile : {50, 140}) {
    for (const std::int64_t row : {0, 49, 70, 139}) {
      INFO("row " << row << ", tiles of " << tile);
      auto matrix = usual;
      std::fill(matrix.begin() + row * n, matrix.begin() + (row + 1) * n, T(0));
      CHECK(refused(matrix, tile) == row);
      matrix = usual;
      matrix[static_cast<std::size_t>(row * (n + 1))] = std::numeric_limits<T>::infinity();
      CHECK(refused(matrix, tile) == row);
      if (row == n - 1) continue;  // nothing is below it
      matrix = usual;
      std::fill(matrix.begin() + row * n, matrix.begin() + (row + 1) * n, T(0));
      matrix[static_cast<std::size_t>(row * (n + 1))] = static_cast<T>(1e-30);
      CHECK(refused(matrix, tile) == row);
    }
  }
  CHECK(refused(usual, 50) == -1);
}

}  // namespace terrace::recursive::testing
