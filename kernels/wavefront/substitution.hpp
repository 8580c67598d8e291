// Scores of pairs of letters from a substitution matrix.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/rules/alignment.hpp"

namespace terrace::wavefront {

/// The letters of a matrix, in the order of its rows: codes [0, 24).
inline constexpr char matrix_letters[] = "ARNDCQEGHILKMFPSTWYVBZX*";
inline constexpr int matrix_size = 24;
inline constexpr i64 largest_matrix_score = 11, least_matrix_score = -4;

struct Matrix {
  device::i8 scores[matrix_size][matrix_size];
};

/// BLOSUM62 (Henikoff and Henikoff 1992) as NCBI distributes it.
inline constexpr Matrix blosum62 = {
    {{4, -1, -2, -2, 0, -1, -1, 0, -2, -1, -1, -1, -1, -2, -1, 1, 0, -3, -2, 0, -2, -1, 0, -4},
     {-1, 5, 0, -2, -3, 1, 0, -2, 0, -3, -2, 2, -1, -3, -2, -1, -1, -3, -2, -3, -1, 0, -1, -4},
     {-2, 0, 6, 1, -3, 0, 0, 0, 1, -3, -3, 0, -2, -3, -2, 1, 0, -4, -2, -3, 3, 0, -1, -4},
     {-2, -2, 1, 6, -3, 0, 2, -1, -1, -3, -4, -1, -3, -3, -1, 0, -1, -4, -3, -3, 4, 1, -1, -4},
     {0, -3, -3, -3, 9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1, -3, -3, -2, -4},
     {-1, 1, 0, 0, -3, 5, 2, -2, 0, -3, -2, 1, 0, -3, -1, 0, -1, -2, -1, -2, 0, 3, -1, -4},
     {-1, 0, 0, 2, -4, 2, 5, -2, 0, -3, -3, 1, -2, -3, -1, 0, -1, -3, -2, -2, 1, 4, -1, -4},
     {0, -2, 0, -1, -3, -2, -2, 6, -2, -4, -4, -2, -3, -3, -2, 0, -2, -2, -3, -3, -1, -2, -1, -4},
     {-2, 0, 1, -1, -3, 0, 0, -2, 8, -3, -3, -1, -2, -1, -2, -1, -2, -2, 2, -3, 0, 0, -1, -4},
     {-1, -3, -3, -3, -1, -3, -3, -4, -3, 4, 2, -3, 1, 0, -3, -2, -1, -3, -1, 3, -3, -3, -1, -4},
     {-1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4, -2, 2, 0, -3, -2, -1, -2, -1, 1, -4, -3, -1, -4},
     {-1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5, -1, -3, -1, 0, -1, -3, -2, -2, 0, 1, -1, -4},
     {-1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5, 0, -2, -1, -1, -1, -1, 1, -3, -1, -1, -4},
     {-2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6, -4, -2, -2, 1, 3, -1, -3, -3, -1, -4},
     {-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7, -1, -1, -4, -3, -2, -2, -1, -2, -4},
     {1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4, 1, -3, -2, -2, 0, 0, 0, -4},
     {0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5, -2, -2, 0, -1, -1, 0, -4},
     {-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11, 2, -3, -4, -3, -2, -4},
     {-2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7, -1, -3, -2, -1, -4},
     {0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4, -3, -2, -1, -4},
     {-2, -1, 3, 4, -3, 0, 1, -1, 0, -3, -4, 0, -3, -3, -2, 0, -1, -4, -3, -3, 4, 1, -1, -4},
     {-1, 0, 0, 1, -3, 3, 4, -2, 0, -3, -3, 1, -1, -3, -1, 0, -1, -3, -2, -2, 1, 4, -1, -4},
     {0, -1, -1, -1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -2, 0, 0, -2, -1, -1, -1, -1, -1, -4},
     {-4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, 1}}};

/// The score of two letters by their codes; on the host.
constexpr i64 matrix_score(i64 row, i64 column) { return blosum62.scores[row][column]; }

/// Reads a problem's parameters with the matrix's largest and least score for match and mismatch.
template <class Reader>
struct MatrixReader {
  const Reader& reader;

  constexpr i64 scaled(const char* name) const {
    if (name[0] != 'm') return reader.scaled(name);
    return reader.scale() * (name[1] == 'a' ? largest_matrix_score : least_matrix_score);
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
  };

  template <class Reader>
  static constexpr Constants<i64> constants(const Reader& reader) {
    return {P::constants(MatrixReader<Reader>{reader}), reader.scale()};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<i64>& k) {
    return {P::template constants_as<V>(k), V(k.scale)};
  }
  template <class V>
  static constexpr V score(const Constants<V>& k, V row, V column) {
    return V(static_cast<i64>(k.scale) * matrix_score(static_cast<i64>(row), static_cast<i64>(column)));
  }
};

}  // namespace terrace::wavefront
