// Shared parameters of the problems that align sequences: scores and gaps.
#pragma once

#include "pipeline/base/parameter.hpp"

namespace terrace::wavefront {

inline constexpr Parameter match_parameter = {
    "match", ParameterKind::number, "score of two equal letters", "", nullptr, -1e6, 1e6};
inline constexpr Parameter mismatch_parameter = {
    "mismatch", ParameterKind::number, "score of two different letters", "", nullptr, -1e6, 1e6};
inline constexpr Parameter matrix_parameter = {
    "matrix", ParameterKind::array,
    "scores of all pairs of letters, in place of match and mismatch: NCBI's files of these names, or an input of the "
    "kind `substitution`",
    "", "blosum45, blosum50, blosum62, blosum80, pam250"};
inline constexpr Parameter gap_parameter = {
    "gap", ParameterKind::number, "cost of each letter of a gap (linear gaps)", "", nullptr, 0, 1e6};
inline constexpr Parameter gap_open_parameter = {
    "gap_open",
    ParameterKind::number,
    "cost of a gap beside gap_extend for each of its letters (affine gaps)",
    "",
    nullptr,
    0,
    1e6};
inline constexpr Parameter gap_extend_parameter = {
    "gap_extend", ParameterKind::number, "cost of each letter of a gap (affine gaps)", "", nullptr, 0, 1e6};

}  // namespace terrace::wavefront
