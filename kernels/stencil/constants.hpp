// The operands of an operator's cells from a stencil's definition.
#pragma once

#include <type_traits>
#include <vector>

#include "kernels/stencil/cell.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {

/// Terms and drive in the grid's type, as kernels read them.
template <class T>
struct Operands {
  std::vector<Term<T>> terms;
  std::vector<T> drive;

  explicit Operands(const StencilSpec& spec) : drive(spec.drive.begin(), spec.drive.end()) {
    for (const Term<double>& term : spec.terms) {
      terms.push_back(
          {{term.offset[0], term.offset[1], term.offset[2]}, term.array, static_cast<T>(term.coefficient)});
    }
  }
};

/// The additions of a stencil in the grid's type.
template <class F, class T>
Additions<T> additions_of(const StencilSpec& spec) {
  Additions<T> additions;
  additions.source = spec.source;
  additions.mask = spec.mask;
  if (F::has_step) additions.dt = static_cast<T>(spec.settings.number("dt")), additions.by_step = true;
  return additions;
}

/// The reader that operators make their constants with (operator.hpp). Lists lie where the kernel can read them.
template <class T>
class ConstantsReader {
 public:
  ConstantsReader(const StencilSpec& spec, const Term<T>* terms, const T* drive)
      : spec_(spec), terms_(terms), drive_(drive) {}

  double number(const char* parameter) const { return spec_.settings.number(parameter); }
  i32 array(const char* parameter) const { return spec_.given.at(parameter); }
  Quantity<T> quantity(const char* parameter) const {
    const auto given = spec_.given.find(parameter);
    if (given != spec_.given.end()) return {T{}, given->second};
    return {static_cast<T>(number(parameter)), -1};
  }
  i64 extent(int axis) const { return spec_.extents[static_cast<std::size_t>(axis)]; }
  Terms<T> terms() const { return {terms_, static_cast<i32>(spec_.terms.size())}; }
  const T* drive() const { return drive_; }
  i64 series_steps() const { return spec_.written->series_steps; }
  const Written* written() const { return spec_.written.get(); }

 private:
  const StencilSpec& spec_;
  const Term<T>* terms_;
  const T* drive_;
};

}  // namespace terrace::stencil
