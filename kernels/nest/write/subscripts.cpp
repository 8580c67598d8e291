#include "kernels/nest/write/subscripts.hpp"

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::nest {

using formula::Fault;
using formula::Syntax;

std::string example_of(const Nest& nest, const std::string& name, std::size_t first_loop) {
  std::string text = name;
  for (std::size_t loop = first_loop; loop < nest.depth(); ++loop) text += "[" + nest.loops[loop].name + "]";
  return text;
}

void check_brackets(const Syntax& syntax) {
  for (const std::size_t group : syntax.groups) {
    if (group != 1) throw Fault{syntax.at, "subscripts stand in brackets of their own: " + syntax.word + "[i][j]"};
  }
}

std::vector<i64> Subscripts::offsets_in(const Syntax& syntax, const Array& array, bool writes) const {
  check_brackets(syntax);
  const std::size_t rank = nest_.depth() - array.first_loop;
  if (syntax.children.size() != rank) {
    throw Fault{syntax.at, quote(syntax.word) + " has " + counted(static_cast<i64>(rank), "subscript") + ", " +
                               example_of(nest_, array.name, array.first_loop) + ", and here " +
                               std::to_string(syntax.children.size())};
  }
  std::vector<i64> offsets;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    offsets.push_back(offset_in(*syntax.children[axis], array, axis, writes));
  }
  return offsets;
}

i64 Subscripts::offset_in(const Syntax& subscript, const Array& array, std::size_t axis, bool writes) const {
  const std::string& loop = names_.loops()[array.first_loop + axis];
  const std::string which = "subscript " + std::to_string(axis) + " of " + quote(array.name);
  const std::optional<Affine> affine = affine_of(subscript, names_.affine_names());
  const std::string remedy = ": it is " + loop + ", plus or minus a constant";
  if (!affine) {
    throw Fault{subscript.at,
                which + " depends on values, so the distance along " + loop + " is not constant" + remedy};
  }
  if (affine->loop() != static_cast<int>(array.first_loop + axis)) {
    throw Fault{
        subscript.at,
        which + (writes ? " would leave gaps or write elements twice" : why_not_uniform(*affine, loop)) + remedy};
  }
  if (affine->constant < -most_offset || affine->constant > most_offset) {
    throw Fault{subscript.at, which + " is more than " + std::to_string(most_offset) + " away from " + loop};
  }
  return affine->constant;
}

std::string Subscripts::why_not_uniform(const Affine& affine, const std::string& loop) const {
  for (std::size_t n = 0; n < affine.multiples.size(); ++n) {
    const bool is_own = names_.loops()[n] == loop;
    if (affine.multiples[n] == (is_own ? 1 : 0)) continue;
    return " changes by " + std::to_string(affine.multiples[n]) + " with each iteration of " + names_.loops()[n] +
           ", so distances along " + loop + " are not constant";
  }
  return " is not uniform in " + loop;
}

}  // namespace terrace::nest
