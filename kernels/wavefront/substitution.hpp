// Scores of pairs of letters from a substitution matrix. No host library header: also compiled at run time.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/rules/alignment.hpp"

namespace terrace::wavefront {

/// Letters of a matrix, at most: A to Z and *.
inline constexpr int matrix_size = 27;
/// Scores that a matrix may have: profiles keep them in bytes.
inline constexpr i64 least_matrix_score = -128, largest_matrix_score = 127;

/// Scores of letters by their codes, [0, count): of a letter of the rows, then one of the columns. It need not be
/// symmetric.
struct Matrix {
  device::i32 count;
  device::i8 scores[matrix_size][matrix_size];
};

/// The least and the largest score of a matrix.
struct ScoreRange {
  i64 least, largest;
};
constexpr ScoreRange range_of(const Matrix& matrix) {
  ScoreRange range{matrix.scores[0][0], matrix.scores[0][0]};
  for (int row = 0; row < matrix.count; ++row) {
    for (int column = 0; column < matrix.count; ++column) {
      range.least = minimum(range.least, i64{matrix.scores[row][column]});
      range.largest = maximum(range.largest, i64{matrix.scores[row][column]});
    }
  }
  return range;
}

/// Reads a problem's parameters with a matrix's largest and least score for match and mismatch.
template <class Reader>
struct MatrixReader {
  const Reader& reader;
  ScoreRange range;

  constexpr i64 scaled(const char* name) const {
    if (name[0] != 'm') return reader.scaled(name);
    return reader.scale() * (name[1] == 'a' ? range.largest : range.least);
  }
  constexpr i64 scale() const { return reader.scale(); }
  constexpr bool is(const char* name, const char* word) const { return reader.is(name, word); }
};

/// P, which scores letters by match and mismatch, with the scores of a matrix instead. The two constants become the
/// largest and the least of these scores, so that bounds hold.
template <class P>
struct WithMatrix : P {
  static constexpr bool score_joins_diagonal = false;
  static constexpr bool scores_by_matrix = true;

  template <class V>
  struct Constants : P::template Constants<V> {
    V scale;
    const Matrix* matrix;  // of the host: kernels on devices have a copy in their arguments
  };

  template <class Reader>
  static constexpr Constants<i64> constants(const Reader& reader) {
    const Matrix* matrix = reader.matrix();
    return {P::constants(MatrixReader<Reader>{reader, range_of(*matrix)}), reader.scale(), matrix};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {P::template constants_as<V>(k), V(k.scale), k.matrix};
  }
  template <class V>
  static constexpr V score(const Constants<V>& k, V row, V column) {
    return V(static_cast<i64>(k.scale) * k.matrix->scores[static_cast<i64>(row)][static_cast<i64>(column)]);
  }
};

}  // namespace terrace::wavefront
