// From the name of an operator to the type of its formula: for code that makes kernels.
#pragma once

#include <string>

#include "kernels/stencil/operator_list.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stencil {

/// Calls call(F{}) with the formula (Formulas) of the operator of that name. @throws JobError if there is none
template <class Call>
void visit_formula(const std::string& name, Call&& call) {
  const bool found = [&]<class... Os>(OperatorList<Os...>) {
    return ((name == Os::name ? (call(typename Os::Kernel{}), true) : false) || ...);
  }(Operators{});
  if (!found) throw JobError("there is no operator '" + name + "'");
}

}  // namespace terrace::stencil
