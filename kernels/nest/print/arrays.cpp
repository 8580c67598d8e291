#include "kernels/nest/print/arrays.hpp"

#include "kernels/nest/print/text.hpp"
#include "kernels/nest/value_ranges.hpp"

namespace terrace::nest {

using formula::Bounds;
using formula::Node;
using formula::Operation;

std::string ArrayPrinter::print(std::size_t number_of) {
  const Array& array = nest_.arrays[number_of];
  const std::size_t rank = array.box.size();
  const std::string made = is_floating(array.type) ? type_in_source(array.type) : "long long";
  bool is_empty_loop = is_empty(array.written);
  for (std::size_t loop = 0; loop < array.first_loop; ++loop) is_empty_loop |= nest_.loops[loop].range.size() == 0;
  std::string text = "template <>\nstruct WrittenArray<" + std::to_string(number_of) +
                     "> {\n  using Type = " + type_in_source(array.type) + ";\n  using Made = " + made +
                     ";\n  static constexpr int axes = " + std::to_string(rank) +
                     ", first_loop = " + std::to_string(array.first_loop) +
                     ";\n  static constexpr bool has_first_corner = " +
                     (is_empty_loop && spec_.kept[number_of].corner ? "true" : "false") +
                     ";\n  TERRACE_HOST_DEVICE static void set_corner(i64 (&at)[most_coordinates]) {\n";
  for (std::size_t axis = 0; axis < rank; ++axis) {
    text +=
        "    at[" + std::to_string(array.first_loop + axis) + "] = " + number(array.written[axis].end - 1) + ";\n";
  }
  text +=
      "  }\n  template <bool explains>\n"
      "  TERRACE_HOST_DEVICE static int first(const TileWork& k, const i64 (&at)[most_coordinates], Made& made,\n"
      "                                       NestFailure* why) {\n";
  if (array.from >= 0) text += from_input(array, false);
  first_fails_.push_back(false);
  if (!array.outside) return text + "    made = 0;\n    return 0;\n  }\n" + first_anywhere(array, "0", "") + "};\n";
  const Ranges box = subscripts_of(nest_, number_of);
  const std::vector<Bounds> bounds = node_bounds(nest_, *array.outside, box, {});
  FormulaInSource formula(*array.outside, bounds, array.type);
  const auto statements = [&](bool is_anywhere) {
    return formula.statements([&](int node, const Node& of) {
      if (of.operation == Operation::index) return reads_.index_leaf(formula, node, of);
      if (of.operation == Operation::look_up) return reads_.look_up(formula, node, of);
      return is_anywhere ? reads_.nearest_leaf(formula, node, of) : reads_.input_leaf(formula, node, of, false);
    });
  };
  text += statements(false);
  first_fails_.back() = formula.fails();
  text += reads_.end_of(formula, static_cast<int>(number_of)) + "  }\n";
  text += first_anywhere(array, formula.result(), statements(true));
  return text + "};\n";
}

std::string ArrayPrinter::first_anywhere(const Array& array, const std::string& value,
                                         const std::string& statements) const {
  if (rim_ != Rim::ghosts) return "";
  return "  TERRACE_HOST_DEVICE static int first_anywhere(const TileWork& k, const i64 (&at)[most_coordinates], "
         "Made& made) {\n" +
         (array.from >= 0 ? from_input(array, true) : "") + statements + "    made = " + value +
         ";\n    return 0;\n  }\n";
}

std::string ArrayPrinter::from_input(const Array& array, bool is_anywhere) const {
  const std::size_t skipped = array.from_slices ? 1 : 0;
  std::vector<std::string> all;
  std::string condition;
  for (std::size_t axis = skipped; axis < array.box.size(); ++axis) {
    all.push_back("at[" + std::to_string(array.first_loop + axis) + "]");
    condition += (condition.empty() ? "" : " && ") + all.back() + " >= " + number(array.box[axis].begin) + " && " +
                 all.back() + " < " + number(array.box[axis].end);
  }
  if (condition.empty()) condition = "true";
  return "    if (" + condition + ") {\n      made = static_cast<Made>(" +
         (is_anywhere ? reads_.nearest_element(array.from, all) : reads_.element(array.from, all)) +
         ");\n      return 0;\n    }\n";
}

}  // namespace terrace::nest
