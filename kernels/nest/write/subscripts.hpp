// Subscripts of arrays that statements write: the loops, plus or minus a constant.
#pragma once

#include <string>
#include <vector>

#include "kernels/nest/write/names.hpp"

namespace terrace::nest {

/// "D[i][j]".
std::string example_of(const Nest& nest, const std::string& name, std::size_t first_loop);

/// @throws Fault if several subscripts share brackets
void check_brackets(const formula::Syntax& syntax);

class Subscripts {
 public:
  /// @param nest with its loops; outlives it, as `names` do
  Subscripts(const Nest& nest, const Names& names) : nest_(nest), names_(names) {}

  /// The offsets of an array's subscripts, which are its loops. @throws Fault
  std::vector<i64> offsets_in(const formula::Syntax& syntax, const Array& array, bool writes) const;

 private:
  i64 offset_in(const formula::Syntax& subscript, const Array& array, std::size_t axis, bool writes) const;
  std::string why_not_uniform(const Affine& affine, const std::string& loop) const;

  static constexpr i64 most_offset = i64{1} << 31;
  const Nest& nest_;
  const Names& names_;
};

}  // namespace terrace::nest
