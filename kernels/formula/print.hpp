// Formulas as statements of C++, for compilers at run time. Nothing of what a job writes is in them: names are made
// here, and numbers are printed by their bits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/formula/formula.hpp"

namespace terrace::formula {

/// "float", "double", "long long", ...
std::string type_in_source(Type type);

/// The name of the value of a node: "v12".
std::string name_in_source(int node);

/// The expression of a constant, or of an operation on values that are known by their names.
std::string expression(const Formula& formula, const Node& node);

/// A statement a node, in their order: "const float v12 = values::plus(v3, v4);".
/// @param nodes whose operands are among them, or known by their names before
/// @param leaf the expression for a read, series, index, extent, step or look-up
std::string statements(const Formula& formula, const std::vector<int>& nodes,
                       const std::function<std::string(const Node&)>& leaf, const std::string& indent);

}  // namespace terrace::formula
