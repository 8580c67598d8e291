// From a stencil to the type of its formula: for code that makes kernels.
#pragma once

#include <string>

#include "kernels/stencil/operator_list.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stencil {

/// Calls call(F{}) with the formula of a stencil: of Formulas, or WrittenFormula. @throws JobError if there is no
/// operator of its name
template <class Call>
void visit_formula(const StencilSpec& spec, Call&& call) {
  if (spec.written) return call(WrittenFormula{});
  if (spec.separable) return call(SeparableSum{});
  const std::string& name = spec.name;
  const bool found = [&]<class... Os>(OperatorList<Os...>) {
    return ((name == Os::name ? (call(typename Os::Kernel{}), true) : false) || ...);
  }(Operators{});
  if (!found) throw JobError("there is no operator '" + name + "'");
}

}  // namespace terrace::stencil
