#include "kernels/nest/print/statements.hpp"

#include "kernels/nest/addends.hpp"
#include "kernels/nest/value_ranges.hpp"

namespace terrace::nest {

using formula::Bounds;
using formula::Node;
using formula::Operation;

std::string StatementPrinter::print(std::size_t number_of) const {
  const Statement& statement = nest_.statements[number_of];
  const Array& array = places_.array_of(statement);
  const Kept& kept = spec_.kept[static_cast<std::size_t>(statement.array)];
  const Ranges box = places_.y_box(statement), usual = places_.usual_box(number_of, has_ghosts_);
  const std::vector<Bounds> bounds = node_bounds(nest_, statement.value, statement.box, bounds_);
  FormulaInSource by_any(statement.value, bounds, array.type);
  const std::string any_text = by_any.statements([&](int node, const Node& of) {
    if (of.operation == Operation::index) return reads_.index_leaf(by_any, node, of);
    if (of.operation == Operation::look_up) return reads_.look_up(by_any, node, of);
    const Access& access = nest_.accesses[static_cast<std::size_t>(of.number)];
    if (!access.is_input) return read_leaf(by_any, number_of, node, of);
    const auto holds = places_.y_of_input(access);
    return reads_.input_leaf(by_any, node, of, holds && in_box(*holds, box) == "true");
  });
  // A value that cannot fail may be computed in another way.
  const bool is_exact = rim_ == Rim::ghosts && !by_any.fails();
  const formula::Formula usual_value = is_exact ? with_common_addends(statement.value) : statement.value;
  const std::vector<Bounds> usual_bounds = node_bounds(nest_, usual_value, statement.box, bounds_);
  FormulaInSource by_usual(usual_value, usual_bounds, array.type);
  const auto usual_leaf = [&](int node, const Node& of, bool is_inside) {
    if (of.operation == Operation::index) return reads_.index_leaf(by_usual, node, of);
    if (of.operation == Operation::look_up) return reads_.look_up(by_usual, node, of);
    if (nest_.accesses[static_cast<std::size_t>(of.number)].is_input)
      return is_inside ? reads_.input_leaf(by_usual, node, of, true) : reads_.nearest_leaf(by_usual, node, of);
    const int source = places_.usual_source(number_of, of.number);
    // Without a source there are no usual iterations.
    std::string value = source < 0 ? "0" : value_of(static_cast<std::size_t>(source));
    if (source >= 0 && places_.is_on_cell_before(static_cast<std::size_t>(source)))
      value = "before.s" + std::to_string(spec_.flow[static_cast<std::size_t>(source)].source);
    return LeafInSource{
        "    const " + reads_.declared(by_usual, node) + " = " + reads_.cast(by_usual, node, value) + ";\n", false,
        ""};
  };
  const std::string usual_text =
      by_usual.statements([&](int node, const Node& of) { return usual_leaf(node, of, true); });
  const std::string anywhere_text =
      by_usual.statements([&](int node, const Node& of) { return usual_leaf(node, of, false); });
  std::string text =
      "template <>\nstruct WrittenStatement<" + std::to_string(number_of) +
      "> {\n  using Type = " + type_in_source(array.type) + ";\n  using Made = " + by_any.result_type() +
      ";\n  static constexpr int array = " + std::to_string(statement.array) +
      ", axes = " + std::to_string(array.box.size()) + ", best = " + std::to_string(kept.best) +
      ";\n  static constexpr bool is_carried = " + (places_.is_carried(number_of) ? "true" : "false") +
      ", has_corner = " + (kept.corner ? "true" : "false") +
      ", usual_fails = " + (by_usual.fails() ? "true" : "false") +
      ", any_fails = " + (by_any.fails() ? "true" : "false") +
      ";\n  /// The value of a cell that has none.\n  static constexpr Type stand_in = " + "static_cast<Type>(" +
      reads_.stand_in_of_array(statement.array) + ");\n";
  const std::string own = "s" + std::to_string(number_of);
  text += "  TERRACE_HOST_DEVICE static Type* values(Values& t) { return t." + own +
          "; }\n  TERRACE_HOST_DEVICE static const Type* values(const Values& t) { return t." + own + "; }\n";
  text += "  TERRACE_HOST_DEVICE static Type& carried(Carried& one) { return one." + own + "; }\n" + place(number_of);
  text += "  TERRACE_HOST_DEVICE static bool is_in(const i64 (&y)[most_coordinates]) {\n    return " +
          in_box(box, places_.any_y()) +
          ";\n  }\n  TERRACE_HOST_DEVICE static bool is_usual(const i64 (&y)[most_coordinates]) {\n    return " +
          in_box(usual, places_.any_y()) + ";\n  }\n";
  if (has_ghosts_) text += first_value(statement) + row("ghost_row", number_of, places_.ghost_box(number_of));
  text +=
      may_hold(number_of, box) + row("row", number_of, box) + row("usual_row", number_of, usual) + results(number_of);
  const std::string parameters =
      "(const TileWork& k, const Values& t, i64 q, const i64 (&y)[most_coordinates],\n"
      "                                       const i64 (&at)[most_coordinates], Made& made";
  const auto usual_function = [&](const std::string& name, const std::string& body) {
    return "  TERRACE_HOST_DEVICE static int " + name + parameters + ", const Carried& before) {\n" + body +
           "    made = " + by_usual.result() + ";\n    return " + by_usual.code() + ";\n  }\n";
  };
  text += usual_function("usual", usual_text);
  if (has_ghosts_) text += usual_function("usual_anywhere", anywhere_text);
  text += "  template <bool explains>\n  TERRACE_HOST_DEVICE static int any" + parameters +
          ", NestFailure* why) {\n" + any_text + reads_.end_of(by_any, -1) + "  }\n";
  return text + "};\n";
}

std::string StatementPrinter::may_hold(std::size_t statement, const Ranges& box) const {
  std::string text = is_empty(box) ? "false" : "true";
  for (std::size_t n = 0; n < box.size() && !is_empty(box); ++n) {
    const Linear y = places_.y_by_coordinates(statement, n);
    text += " && " + y.extreme(true) + " >= " + number(box[n].begin) + " && " + y.extreme(false) + " < " +
            number(box[n].end);
  }
  return "  TERRACE_HOST_DEVICE static bool may_hold(const i64 (&low)[most_coordinates],\n"
         "                                            const i64 (&high)[most_coordinates]) {\n    return " +
         text + ";\n  }\n";
}

std::string StatementPrinter::clips(std::size_t statement, const Ranges& box) const {
  std::string text;
  for (std::size_t n = 0; n < box.size(); ++n) {
    const Linear y = places_.y_by_coordinates(statement, n);
    text += "    clip(" + number(box[n].begin) + ", " + number(box[n].end) + ", " + y.in_source(false) + ", " +
            number(y.multiples.back()) + ", begin, end);\n";
  }
  return text;
}

std::string StatementPrinter::row(const std::string& name, std::size_t statement, const Ranges& box) const {
  return "  TERRACE_HOST_DEVICE static void " + name +
         "(const i64 (&c)[most_coordinates], i64& begin, i64& end) {\n" + clips(statement, box) + "  }\n";
}

LeafInSource StatementPrinter::read_leaf(const FormulaInSource& formula, std::size_t target, int node,
                                         const Node& of) const {
  const Access& access = nest_.accesses[static_cast<std::size_t>(of.number)];
  const Array& array = nest_.arrays[static_cast<std::size_t>(access.array)];
  const Ranges box = places_.y_box(nest_.statements[target]);
  const std::string own = "v" + std::to_string(node), failed = "x" + std::to_string(node);
  LeafInSource leaf;
  leaf.statements = "    " + reads_.declared(formula, node) + ";\n    bool " + failed + " = false;\n    ";
  bool is_always = false;
  for (const std::size_t n : places_.sources_of(target, of.number)) {
    const Ranges holds = places_.y_of_dependence(spec_.flow[n]);
    if (is_empty(intersection(holds, box)) || is_always) continue;
    const std::string condition = in_box(holds, box);
    is_always = condition == "true";
    leaf.statements +=
        "if (" + condition + ") {\n      " + own + " = " + reads_.cast(formula, node, value_of(n)) + ";\n    } else ";
  }
  const std::string name = "WrittenArray<" + std::to_string(access.array) + ">";
  std::string at;
  const std::vector<std::string> all = reads_.subscripts(access);
  for (std::size_t loop = 0; loop < most_loops; ++loop) {
    const bool has = loop >= array.first_loop && loop < nest_.depth();
    at += (loop > 0 ? ", " : "") + (has ? all[loop - array.first_loop] : "0");
  }
  leaf.statements +=
      "{\n      const i64 x[most_coordinates] = {" + at + "};\n      " + name + "::Made w = 0;\n      " + failed +
      " = " + name + "::first<false>(k, x, w, nullptr) != 0;\n      " + own + " = " +
      reads_.cast(formula, node, failed + " ? " + reads_.stand_in_of_array(access.array) + " : w") + ";\n    }\n";
  leaf.fails = first_fails_[static_cast<std::size_t>(access.array)] && !is_always;
  leaf.why = "          const i64 x[most_coordinates] = {" + at + "};\n          " + name +
             "::Made w = 0;\n          " + name + "::first<true>(k, x, w, why);\n          return code;\n";
  return leaf;
}

std::string StatementPrinter::value_of(std::size_t dependence) const {
  i64 back = 0;
  for (std::size_t n = 0; n < places_.sweep().rank(); ++n) back += places_.sweep().along(dependence)[n] * stride_[n];
  return "t.s" + std::to_string(spec_.flow[dependence].source) + "[q - " + std::to_string(back) + "]";
}

std::string StatementPrinter::first_value(const Statement& statement) const {
  const Array& array = places_.array_of(statement);
  const std::string name = "WrittenArray<" + std::to_string(statement.array) + ">";
  std::string at;
  for (std::size_t loop = 0; loop < most_loops; ++loop) {
    const bool has = loop >= array.first_loop && loop < nest_.depth();
    at += (loop > 0 ? ", " : "") +
          (has ? "at[" + std::to_string(loop) + "] + " + number(statement.offset[loop - array.first_loop]) : "0");
  }
  return "  TERRACE_HOST_DEVICE static Type first_value(const TileWork& k, const i64 (&at)[most_coordinates]) {\n"
         "    const i64 x[most_coordinates] = {" +
         at + "};\n    " + name + "::Made w = 0;\n    " + name +
         "::first_anywhere(k, x, w);\n    return static_cast<Type>(w);\n  }\n";
}

std::string StatementPrinter::place(std::size_t number_of) const {
  std::string text =
      "  TERRACE_HOST_DEVICE static void locate(const i64 (&c)[most_coordinates], i64 (&y)[most_coordinates]) {\n";
  for (std::size_t n = 0; n < places_.sweep().rank(); ++n) {
    text += "    y[" + std::to_string(n) + "] = " + places_.y_by_coordinates(number_of, n).in_source(true) + ";\n";
  }
  text +=
      "  }\n  TERRACE_HOST_DEVICE static void spread(const i64 (&y)[most_coordinates], i64 "
      "(&at)[most_coordinates]) "
      "{\n";
  for (std::size_t loop = places_.has_joined_loops() ? spec_.skew.first + 1 : 0; loop < nest_.depth(); ++loop) {
    text += "    at[" + std::to_string(loop) + "] = y[" + std::to_string(places_.y_of(loop)) + "];\n";
  }
  if (places_.has_joined_loops()) {
    text += "    i64 rest = y[0];\n";
    for (std::size_t loop = spec_.skew.first + 1; loop-- > 0;) {
      const Range& range = nest_.loops[loop].range;
      const std::string size = std::to_string(std::max<i64>(1, range.size()));
      text += "    at[" + std::to_string(loop) + "] = " + number(range.begin) + " + " +
              (loop > 0 ? "rest % " + size : "rest") + ";\n";
      if (loop > 0) text += "    rest /= " + size + ";\n";
    }
  }
  return text + "  }\n";
}

std::string StatementPrinter::results(std::size_t number_of) const {
  const Statement& statement = nest_.statements[number_of];
  const Array& array = places_.array_of(statement);
  Ranges box = places_.y_box(statement);
  for (std::size_t loop = 0; loop < array.first_loop; ++loop) {
    const std::size_t n = places_.y_of(loop);
    const i64 end = places_.is_joined(loop) ? places_.joined_count() : nest_.loops[loop].range.end;
    box[n] = intersection({box[n]}, {{end - 1, end}})[0];
  }
  std::string text = row("kept_row", number_of, box);
  std::vector<std::string> slopes, last;
  text +=
      "  TERRACE_HOST_DEVICE static void set_base(const i64 (&c)[most_coordinates], i64 (&base)[most_coordinates]) "
      "{\n";
  for (std::size_t axis = 0; axis < array.box.size(); ++axis) {
    Linear y = places_.y_by_coordinates(number_of, places_.y_of(array.first_loop + axis));
    y.constant += statement.offset[axis];
    text += "    base[" + std::to_string(axis) + "] = " + y.in_source(false) + ";\n";
    slopes.push_back(number(y.multiples.back()));
    last.push_back(number(array.written[axis].end - 1));
  }
  return text + "  }\n" + table("i64", "slope", slopes) + table("i64", "last", last);
}

}  // namespace terrace::nest
