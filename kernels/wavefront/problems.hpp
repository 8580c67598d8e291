// The wavefront problems as jobs see them: names, parameters and their help, without types. A new problem is one
// header and one entry in problem_list.hpp. description.hpp has what plans ask of a problem, visit.hpp its type.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/wavefront/matrices.hpp"
#include "kernels/wavefront/problem.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::wavefront {

/// A problem as jobs see it; variants of one name are one entry.
struct ProblemInfo {
  const char* name;
  const char* help;
  Items items;
  Report report;
  ParameterList parameters;
  bool counts;  // a table, a layer, for each of its `bins`
};

/// All problems, in the order of the list.
std::span<const ProblemInfo> problems();
/// The problem of that name, or null.
const ProblemInfo* find_problem(std::string_view name);

/// The error of a parameter or, if none is named, of all together.
struct ParameterError {
  std::string parameter;
  std::string message;
};

/// The errors of a problem's parameters that their declarations do not exclude (contradictions, more than three
/// decimals).
std::vector<ParameterError> parameter_errors(const std::string& problem, const Settings& settings);

/// Warnings of scores with a sign that is hardly meant: a mismatch above 0 is a reward, a match below 0 a penalty.
std::vector<ParameterError> parameter_warnings(const Settings& settings);

/// Scores are computed in integers: the smallest of 1, 10, 100, 1000 that makes every numeric parameter whole.
/// A sweep's values and its result's score are the true ones times this scale.
/// @throws JobError if a parameter has more than three decimals
std::int64_t score_scale(const std::string& problem, const Settings& settings);

/// A bound on the magnitude of every value that arises in a table of rows x columns, times the scale; `unbounded`
/// if 63 bits are not sure to hold it. Unbounded for problems on grids: theirs is SummedArea::sum_bound.
std::int64_t score_bound(const std::string& problem, const Settings& settings, std::int64_t rows,
                         std::int64_t columns);

/// The narrowest of i16, i32 and i64 that holds score_bound().
/// @throws ComputeError if none certainly does
ElementType narrowest_value(const std::string& problem, const Settings& settings, std::int64_t rows,
                            std::int64_t columns);

/// Reads parameters as a problem's constants() wants them.
class ScaledSettings {
 public:
  ScaledSettings(const Settings& settings, std::int64_t scale) : settings_(settings), scale_(scale) {}
  /// The parameter times the scale, rounded to the nearest integer.
  std::int64_t scaled(const char* name) const;
  std::int64_t scale() const { return scale_; }
  /// An integer, unscaled; `absent` if it is not given.
  std::int64_t count(const char* name, std::int64_t absent) const {
    return settings_.find<std::int64_t>(name).value_or(absent);
  }
  /// The substitution matrix (matrix_of()); null if there is none.
  const Matrix* matrix() const { return matrix_of(settings_); }
  /// True if the parameter is given, and is that word.
  bool is(const char* name, std::string_view word) const {
    return settings_.has(name) && settings_.text(name) == word;
  }

 private:
  const Settings& settings_;
  std::int64_t scale_;
};

}  // namespace terrace::wavefront
