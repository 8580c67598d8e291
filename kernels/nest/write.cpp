#include "kernels/nest/write.hpp"

#include <limits>
#include <utility>

#include "kernels/nest/write/arrays.hpp"
#include "kernels/nest/write/faults.hpp"
#include "kernels/nest/write/meanings.hpp"
#include "kernels/nest/write/reads.hpp"

namespace terrace::nest {

using formula::Assignment;
using formula::Formula;
using formula::Node;
using formula::Operation;
using formula::Syntax;
using formula::Type;

namespace {

/// Comparisons of letters of which some equal nothing, themselves included.
Formula with_unlike_letters(const Formula& formula, const Nest& nest) {
  const auto unlike_of = [&](const Node& node) -> i64 {
    if (node.operation != Operation::read) return -1;
    const Access& access = nest.accesses[static_cast<std::size_t>(node.number)];
    return access.is_input ? nest.inputs[static_cast<std::size_t>(access.array)].unlike : -1;
  };
  Formula made;
  std::vector<int> places;
  for (Node node : formula.nodes()) {
    const bool compares = node.operation == Operation::equal || node.operation == Operation::not_equal;
    const i64 unlike = compares ? unlike_of(formula[node.operands[0]]) : -1;
    const bool both = unlike >= 0 && unlike_of(formula[node.operands[1]]) == unlike;
    for (int& operand : node.operands) {
      if (operand >= 0) operand = places[static_cast<std::size_t>(operand)];
    }
    if (!both) {
      places.push_back(made.add(node));
      continue;
    }
    Node code{Operation::constant, Type::i64};
    code.whole = unlike;
    Node is_known{Operation::not_equal, Type::boolean, {node.operands[0], made.add(code), -1}};
    Node same{Operation::equal, Type::boolean, {node.operands[0], node.operands[1], -1}};
    const Node equal{Operation::both, Type::boolean, {made.add(same), made.add(is_known), -1}};
    int place = made.add(equal);
    if (node.operation == Operation::not_equal)
      place = made.add({Operation::inverse, Type::boolean, {place, -1, -1}});
    places.push_back(place);
  }
  for (const int result : formula.results()) made.add_result(places[static_cast<std::size_t>(result)]);
  return made;
}

class Writer {
 public:
  explicit Writer(const NestText& text) : text_(text), names_(text), meanings_(nest_, names_) {}

  Nest write() && {
    nest_.order = text_.order;
    nest_.inputs = text_.inputs;
    read_loops();
    parse_cells();
    ArrayWriter arrays(nest_, text_, names_, parsed_);
    arrays.make_arrays();
    arrays.make_statements();
    arrays.check_writers();
    find_types();
    arrays.make_boxes();
    make_values();
    make_outsides();
    ReadCheck(nest_, text_).check();
    return std::move(nest_);
  }

 private:
  void read_loops() {
    for (const RangeText& text : text_.loops) {
      nest_.loops.push_back({text.loop, names_.range_in(name_of_setting("loops", text.loop), text)});
    }
  }
  void parse_cells() {
    for (std::size_t cell = 0; cell < text_.cells.size(); ++cell) {
      in_cell(text_, cell, [&] { parsed_.push_back(formula::parse_assignment(text_.cells[cell].text)); });
    }
  }
  /// The types of arrays that say none: of `from`, else i64 if all that is stored are whole numbers, else f64.
  void find_types() {
    std::vector<std::size_t> open;
    for (std::size_t n = 0; n < nest_.arrays.size(); ++n) {
      Array& array = nest_.arrays[n];
      if (text_.arrays[n].type) array.type = *text_.arrays[n].type;
      else if (array.from >= 0) array.type = nest_.inputs[static_cast<std::size_t>(array.from)].type;
      else open.push_back(n);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t n : open) {
        Array& array = nest_.arrays[n];
        if (is_floating(array.type) || !stores_reals(n)) continue;
        array.type = ElementType::f64;
        changed = true;
      }
    }
    nest_.accesses.clear();
  }
  bool stores_reals(std::size_t number) {
    for (std::size_t cell = 0; cell < nest_.statements.size(); ++cell) {
      const Statement& statement = nest_.statements[cell];
      if (statement.array != static_cast<int>(number)) continue;
      const auto type = in_cell(text_, cell, [&] {
        return formula::type_of(*parsed_[cell].value, meanings_.scope_of(statement.box, true, 0, Type::f64));
      });
      if (formula::is_real(type)) return true;
    }
    return false;
  }
  void make_values() {
    for (std::size_t cell = 0; cell < nest_.statements.size(); ++cell) {
      Statement& statement = nest_.statements[cell];
      const Type type = type_in_formulas(nest_.arrays[static_cast<std::size_t>(statement.array)].type);
      in_cell(text_, cell, [&] {
        statement.value =
            checked(*parsed_[cell].value, meanings_.scope_of(statement.box, true, 0, real_for(type)), type);
      });
    }
  }
  static Type real_for(Type type) { return type == Type::f32 ? Type::f32 : Type::f64; }
  Formula checked(const Syntax& syntax, const formula::Scope& scope, Type type) {
    Formula formula;
    formula.add_result(formula::check(syntax, scope, type, formula));
    return with_unlike_letters(formula.compact(), nest_).compact();
  }
  void make_outsides() {
    const Ranges anywhere(nest_.depth(), {std::numeric_limits<i64>::min() / 4, std::numeric_limits<i64>::max() / 4});
    for (std::size_t n = 0; n < nest_.arrays.size(); ++n) {
      const auto& text = text_.arrays[n].outside;
      if (!text) continue;
      Array& array = nest_.arrays[n];
      const Type type = type_in_formulas(array.type);
      in_setting(setting_of_outside(array), -1, [&] {
        array.outside = checked(*formula::parse(*text),
                                meanings_.scope_of(anywhere, false, array.first_loop, real_for(type)), type);
      });
    }
  }

  const NestText& text_;
  Nest nest_;
  Names names_;
  Meanings meanings_;
  std::vector<Assignment> parsed_;
};

}  // namespace

Nest write(const NestText& text) { return Writer(text).write(); }

}  // namespace terrace::nest
