// Closures and products by their definition: the reference for all other ways of computing.
#pragma once

#include <cstdint>
#include <tuple>

namespace terrace::recursive {

/// x(i, j) <- x(i, j) + x(i, k) * x(k, j) of a row-major n x n matrix, for k = 0, 1, ... and all (i, j) for each.
template <class S, class T>
void close(T* x, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        x[i * n + j] = S::template plus<T>(x[i * n + j], S::template times<T>(x[i * n + k], x[k * n + j]));
      }
    }
  }
}

/// x <- x + u * v of row-major matrices; x: rows x columns, u: rows x depth.
template <class S, class T>
void multiply(T* x, const T* u, const T* v, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < depth; ++k) {
      for (std::int64_t j = 0; j < columns; ++j) {
        x[i * columns + j] =
            S::template plus<T>(x[i * columns + j], S::template times<T>(u[i * depth + k], v[k * columns + j]));
      }
    }
  }
}

/// Closes a row-major n x n matrix of distances, each with the number of edges of its path and the node after the
/// first: of two paths the shorter one is taken, then the one with fewer edges, then the one with the lesser next
/// node.
template <class T>
void close_paths(T* distance, std::int64_t* edges, std::int64_t* next, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t x = i * n + j, u = i * n + k, v = k * n + j;
        const auto through = std::tuple(static_cast<T>(distance[u] + distance[v]), edges[u] + edges[v], next[u]);
        if (!(through < std::tuple(distance[x], edges[x], next[x]))) continue;
        std::tie(distance[x], edges[x], next[x]) = through;
      }
    }
  }
}

}  // namespace terrace::recursive
