// The meanings of names and elements in the formulas of a nest.
#pragma once

#include "kernels/formula/formula.hpp"
#include "kernels/nest/write/names.hpp"

namespace terrace::nest {

/// The type of elements in formulas.
formula::Type type_in_formulas(ElementType type);

class Meanings {
 public:
  /// @param nest takes accesses that formulas have; outlives it, as `names` do
  Meanings(Nest& nest, const Names& names) : nest_(nest), names_(names) {}

  /// @param box iterations, or subscripts of an `outside`
  /// @param first_loop of the loops that may be named @param real the type of real numbers
  formula::Scope scope_of(const Ranges& box, bool has_arrays, std::size_t first_loop, formula::Type real);

 private:
  formula::Meaning meaning_of(const formula::Syntax& syntax, const Ranges& box, bool has_arrays,
                              std::size_t first_loop);
  formula::Meaning index_of(const formula::Syntax& syntax, std::size_t loop, const Ranges& box,
                            std::size_t first_loop) const;
  formula::Meaning read_node(ElementType type, formula::Bounds bounds, Access access);
  formula::Meaning read_of_array(const formula::Syntax& syntax, int number);
  formula::Meaning read_of_input(const formula::Syntax& syntax, int number, std::size_t first_loop);
  formula::Meaning look_up_of(const formula::Syntax& syntax, int number, std::size_t axis,
                              formula::Bounds bounds) const;

  Nest& nest_;
  const Names& names_;
};

}  // namespace terrace::nest
