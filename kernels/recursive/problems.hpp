// The list of problems of the recursive family. It drives names, parameters and their help, instantiation and the
// differential tests: a new problem is one header and one entry in problem_list.hpp.
#pragma once

#include <span>
#include <string_view>

#include "kernels/recursive/problem.hpp"

namespace terrace::recursive {

/// A problem as jobs see it.
struct ProblemInfo {
  const char* name;
  const char* help;
  Form form;
  ParameterList parameters;
  int semiring;  // number of the algebra in semirings() if it is always the same; others: -1
  int rule;      // intervals: number of the rule (interval_rules.hpp); others: -1
};

/// An algebra as jobs see it.
struct SemiringInfo {
  const char* name;
  const char* help;
  Nothing nothing;
};

/// All algebras that there are kernels for, in the order of semiring_list.hpp.
std::span<const SemiringInfo> semirings();
/// The number of the algebra of that name, or -1.
int find_semiring(std::string_view name);

/// All problems, in the order of the list.
std::span<const ProblemInfo> problems();
/// The problem of that name, or null.
const ProblemInfo* find_problem(std::string_view name);

}  // namespace terrace::recursive
