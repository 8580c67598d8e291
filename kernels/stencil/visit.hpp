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
  const int number = Operators::find([&]<class O>(O) { return spec.name == O::name; });
  if (!Operators::visit(number, [&]<class O>(O) { call(typename O::Kernel{}); })) {
    throw JobError("there is no operator '" + spec.name + "'");
  }
}

}  // namespace terrace::stencil
