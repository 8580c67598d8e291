// Counts of unordered steps as a power series, by which stored counts are verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kernels/dp_table/table.hpp"

namespace terrace::stages {

/// Coefficients of a power series by exponents, of those that are not 0.
using SeriesTerms = std::map<std::vector<std::int64_t>, std::int64_t>;

/// The counts of unordered steps s are the coefficients of 1 / prod (1 - x^s). This is prod (1 - x^s), as far as its
/// exponents are cells of the table.
/// @return nullopt if there are more than `most` terms, or a coefficient leaves i64
std::optional<SeriesTerms> inverse_of_counts(const dp_table::Table& table, std::size_t most);

/// sum + coefficient * count, modulo `modulus`, or modulo 2^64 if that is 0.
std::uint64_t with_term(std::uint64_t sum, std::int64_t coefficient, std::uint64_t count, std::uint64_t modulus);

}  // namespace terrace::stages
