// Substitution matrices: those that the program knows, and those that settings hold.
#pragma once

#include <span>
#include <string_view>

#include "kernels/wavefront/substitution.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::wavefront {

/// A matrix that a job may name.
struct NamedMatrix {
  const char* name;     // "blosum62"
  const char* letters;  // in the order of their codes
  Matrix matrix;
};

/// All of them, in the order of matrix_parameter's words.
std::span<const NamedMatrix> matrices();
/// Null if there is none of that name.
const NamedMatrix* find_matrix(std::string_view name);

/// The matrix in the setting `matrix`: a name of matrices(), or all scores by codes, row-major; null if it is absent.
/// It is there as long as the program runs. @throws Error for other names and scores, which stages refuse
const Matrix* matrix_of(const Settings& settings);

}  // namespace terrace::wavefront
