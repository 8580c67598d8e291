// Expected results of a band of diagonals: the distances of tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/rules/diagonals.hpp"
#include "tests/differential/wavefront/pairs.hpp"

namespace terrace::wavefront::test {

/// The least distance of paths inside the band, chunks and heights of kernels aside: cell by cell.
template <class P>
std::int64_t reference_in_band(const Pair& pair, const DiagonalBand& band) {
  const std::int64_t far = std::int64_t{1} << 40, change = P::Bits::counts_pairs ? 2 : 1;
  const auto rows = static_cast<std::int64_t>(pair.rows.size()),
             columns = static_cast<std::int64_t>(pair.columns.size());
  std::vector<std::int64_t> line(static_cast<std::size_t>(columns + 1));
  for (std::int64_t i = 0; i <= rows; ++i) {
    std::int64_t diagonal = far;
    for (std::int64_t j = 0; j <= columns; ++j) {
      std::int64_t& cell = line[static_cast<std::size_t>(j)];
      const std::int64_t up = i == 0 ? far : cell;
      std::int64_t h = i == 0 && j == 0 ? 0 : far;
      if (i > 0) h = std::min(h, up + 1);
      if (j > 0) h = std::min(h, line[static_cast<std::size_t>(j - 1)] + 1);
      if (i > 0 && j > 0) {
        const bool equal =
            pair.rows[static_cast<std::size_t>(i - 1)] == pair.columns[static_cast<std::size_t>(j - 1)];
        h = std::min(h, diagonal + (equal ? 0 : change));
      }
      diagonal = up;
      cell = j - i < band.low || j - i > band.high ? far : h;
    }
  }
  return line.back();
}

template <class P>
std::int64_t true_distance(const Pair& pair) {
  const auto found = letters_reference<P>(problem_constants<P>(Settings{}), pair.rows, pair.columns);
  return distance_of<P>(found.score, static_cast<std::int64_t>(pair.rows.size() + pair.columns.size()));
}

}  // namespace terrace::wavefront::test
