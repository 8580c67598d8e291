#include "kernels/nest/print/reads.hpp"

#include <algorithm>

#include "kernels/nest/print/text.hpp"

namespace terrace::nest {

using formula::Node;

std::string PrintedReads::element(int input, const std::vector<std::string>& subscripts) const {
  const std::string view = "k.inputs[" + std::to_string(input) + "]";
  std::string index;
  for (std::size_t axis = 0; axis < subscripts.size(); ++axis) {
    const std::string n = std::to_string(axis);
    if (axis > 0) index += " + ";
    index += "(" + subscripts[axis] + " - " + view + ".begin[" + n + "])";
    if (axis + 1 < subscripts.size()) index += " * " + view + ".stride[" + n + "]";
  }
  return "element_of<" + type_in_source(nest_.inputs[static_cast<std::size_t>(input)].type) + ">(" + view +
         ".data, " + (index.empty() ? "0" : index) + ")";
}

std::string PrintedReads::nearest_element(int input, std::vector<std::string> all) const {
  if (all.empty()) return element(input, all);
  const std::string view = "k.inputs[" + std::to_string(input) + "]";
  for (std::size_t axis = 0; axis < all.size(); ++axis) {
    const std::string n = "[" + std::to_string(axis) + "]";
    all[axis] = "nearest(" + all[axis] + ", " + view + ".begin" + n + ", " + view + ".end" + n + ")";
  }
  return view + ".begin[0] < " + view + ".end[0] ? " + element(input, all) + " : " + stand_in(input);
}

std::string PrintedReads::stand_in(int number_of) const {
  const Input& input = nest_.inputs[static_cast<std::size_t>(number_of)];
  return is_floating(input.type) ? "0" : number(std::clamp<i64>(0, input.least, input.most));
}

std::string PrintedReads::stand_in_of_array(int number_of) const {
  const auto at = static_cast<std::size_t>(number_of);
  if (is_floating(nest_.arrays[at].type)) return "0";
  return number(static_cast<i64>(std::clamp<formula::Wide>(0, bounds_[at].least, bounds_[at].most)));
}

std::vector<std::string> PrintedReads::subscripts(const Access& access) const {
  std::vector<std::string> all;
  all.reserve(access.offset.size());
  for (std::size_t axis = 0; axis < access.offset.size(); ++axis) all.push_back(subscript(access, axis));
  return all;
}

std::string PrintedReads::declared(const FormulaInSource& formula, int node) const {
  return formula.type(node) + " v" + std::to_string(node);
}

std::string PrintedReads::cast(const FormulaInSource& formula, int node, const std::string& value) const {
  return "static_cast<" + formula.type(node) + ">(" + value + ")";
}

LeafInSource PrintedReads::index_leaf(const FormulaInSource& formula, int node, const Node& of) const {
  return {"    const " + declared(formula, node) + " = " +
              cast(formula, node, "at[" + std::to_string(of.number) + "]") + ";\n",
          false, ""};
}

LeafInSource PrintedReads::input_leaf(const FormulaInSource& formula, int node, const Node& of,
                                      bool is_inside) const {
  const Access& access = nest_.accesses[static_cast<std::size_t>(of.number)];
  std::string value = cast(formula, node, element(access.array, subscripts(access)));
  if (!is_inside) {
    value = inside(access.array, subscripts(access)) + " ? " + value + " : " +
            cast(formula, node, stand_in(access.array));
  }
  return {"    const " + declared(formula, node) + " = " + value + ";\n", false, ""};
}

LeafInSource PrintedReads::nearest_leaf(const FormulaInSource& formula, int node, const Node& of) const {
  const Access& access = nest_.accesses[static_cast<std::size_t>(of.number)];
  const std::string value = nearest_element(access.array, subscripts(access));
  return {"    const " + declared(formula, node) + " = " + cast(formula, node, value) + ";\n", false, ""};
}

LeafInSource PrintedReads::look_up(const FormulaInSource& formula, int node, const Node& of) const {
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(of.operand_count()));
  for (int n = 0; n < of.operand_count(); ++n)
    all.push_back("v" + std::to_string(of.operands[static_cast<std::size_t>(n)]));
  const std::string failed = "x" + std::to_string(node);
  return {"    const bool " + failed + " = !(" + inside(of.number, all) + ");\n    const " + declared(formula, node) +
              " = " + failed + " ? " + cast(formula, node, stand_in(of.number)) + " : " +
              cast(formula, node, element(of.number, all)) + ";\n",
          true, ""};
}

std::string PrintedReads::end_of(const FormulaInSource& formula, int outside) const {
  std::string text = "    made = " + formula.result() + ";\n    const int code = " + formula.code() +
                     ";\n    if constexpr (explains) {\n      why->outside = " + std::to_string(outside) +
                     ";\n      why->node = -1;\n" + place_of_failure() +
                     "      switch (code) {\n        case beyond_type_code:\n"
                     "          why->kind = NestFailure::beyond_type;\n          why->operands[0] = as_word(made);\n"
                     "          break;\n" +
                     formula.reasons() + "        default:\n          break;\n      }\n    }\n    return code;\n";
  return text;
}

std::string PrintedReads::subscript(const Access& access, std::size_t axis) {
  if (access.loops[axis] < 0) return number(access.offset[axis]);
  const std::string loop = "at[" + std::to_string(access.loops[axis]) + "]";
  return access.offset[axis] == 0 ? loop : loop + " + " + number(access.offset[axis]);
}

std::string PrintedReads::inside(int input, const std::vector<std::string>& all) const {
  std::string text;
  for (std::size_t axis = 0; axis < all.size(); ++axis) {
    const std::string extent = std::to_string(nest_.inputs[static_cast<std::size_t>(input)].shape[axis]);
    text += (axis > 0 ? " && " : "") + all[axis] + " >= 0 && " + all[axis] + " < " + extent;
  }
  return text;
}

std::string PrintedReads::place_of_failure() const {
  return "      for (int n = 0; n < most_coordinates; ++n) why->at[n] = at[n];\n";
}

}  // namespace terrace::nest
