#include "kernels/nest/write.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/nest/affine.hpp"
#include "kernels/nest/distances.hpp"
#include "kernels/nest/value_ranges.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::nest {
namespace {

using formula::Assignment;
using formula::Fault;
using formula::Form;
using formula::Formula;
using formula::Meaning;
using formula::Node;
using formula::Operation;
using formula::Syntax;
using formula::Type;

std::string name_of_setting(const std::string& map, const std::string& key) { return map + "." + key; }

bool is_whole(ElementType type) { return !is_floating(type); }

Type type_in_formulas(ElementType type) {
  if (type == ElementType::f32) return Type::f32;
  return type == ElementType::f64 ? Type::f64 : Type::i64;
}

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

/// Refuses reads of an input beyond its ends. @param box iterations @throws Fault
void check_input(const Nest& nest, const Access& access, const Ranges& box, std::size_t at) {
  const Input& input = nest.inputs[static_cast<std::size_t>(access.array)];
  for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
    Range range{0, 1};
    if (access.loops[axis] >= 0) range = box[static_cast<std::size_t>(access.loops[axis])];
    range = range.shifted(access.offset[axis]);
    const i64 extent = input.shape[axis];
    if (range.begin >= 0 && range.end <= extent) continue;
    const i64 index = range.begin < 0 ? range.begin : range.end - 1;
    throw Fault{at, nest.in_words(access) + " is read outside the input: along axis " + std::to_string(axis) +
                        " the subscript reaches " + std::to_string(index) + ", and the input has " +
                        counted(extent, "element") +
                        "; change the loop's range, or the statement's by {for: {...}, do: ...}"};
  }
}

class Writer {
 public:
  explicit Writer(const NestText& text) : text_(text) {}

  Nest write() && {
    nest_.order = text_.order;
    nest_.inputs = text_.inputs;
    check_names();
    read_loops();
    parse_cells();
    make_arrays();
    make_statements();
    check_writers();
    find_types();
    make_boxes();
    make_values();
    make_outsides();
    check_reads();
    return std::move(nest_);
  }

 private:
  [[noreturn]] static void refuse(const std::string& setting, int element, std::size_t at, const std::string& what) {
    throw NestFault{setting, element, {at, what}};
  }
  /// Calls what reads a text, whose faults are at `setting`.
  template <class Read>
  static auto in(const std::string& setting, int element, const Read& read) {
    try {
      return read();
    } catch (const Fault& fault) {
      throw NestFault{setting, element, fault};
    }
  }
  std::string setting_of_cell(std::size_t cell) const {
    return "cells[" + std::to_string(cell) + "]" + (text_.cells[cell].is_map ? ".do" : "");
  }
  template <class Read>
  auto in_cell(std::size_t cell, const Read& read) const {
    return in(setting_of_cell(cell), -1, read);
  }

  // Names.

  void check_names() {
    if (text_.loops.empty() || text_.loops.size() > most_loops) {
      refuse("loops", -1, 0, "a nest has 1 to " + std::to_string(most_loops) + " loops");
    }
    if (text_.cells.empty()) refuse("cells", -1, 0, "there are no statements: give at least one, D[i][j] = ...");
    if (text_.cells.size() > most_statements) {
      refuse("cells", -1, 0, "a nest has at most " + std::to_string(most_statements) + " statements");
    }
    if (text_.arrays.size() > most_arrays) {
      refuse("arrays", -1, 0, "a nest writes at most " + std::to_string(most_arrays) + " arrays");
    }
    for (const RangeText& loop : text_.loops) {
      add_name("loops", loop.loop);
      loop_names_.push_back(loop.loop);
    }
    for (const NestText::Parameter& one : text_.parameters) add_name("parameters", one.name);
    for (const NestText::Array& one : text_.arrays) add_name("arrays", one.name);
    for (const Input& one : text_.inputs) {
      if (!one.name.empty()) add_name("inputs", one.name);
    }
  }
  void add_name(const std::string& map, const std::string& name) {
    if (!formula::is_name(name)) {
      refuse(name_of_setting(map, name), -1, 0,
             quote(name) + " cannot be a name in formulas: it is a function of theirs; take another name");
    }
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
      refuse(name_of_setting(map, name), -1, 0,
             quote(name) + " stands for two things in formulas: take another name");
    }
    names_.push_back(name);
  }
  int input_of(const std::string& word) const {
    for (std::size_t n = 0; n < text_.inputs.size(); ++n) {
      if (!word.empty() && text_.inputs[n].name == word) return static_cast<int>(n);
    }
    return -1;
  }
  int array_of(const std::string& word) const {
    for (std::size_t n = 0; n < text_.arrays.size(); ++n) {
      if (text_.arrays[n].name == word) return static_cast<int>(n);
    }
    return -1;
  }
  const NestText::Parameter* parameter_of(const std::string& word) const {
    for (const NestText::Parameter& one : text_.parameters) {
      if (one.name == word) return &one;
    }
    return nullptr;
  }

  // Ranges.

  AffineNames affine_names() const {
    return {loop_names_, [this](const Syntax& syntax) { return constant_in(syntax); }};
  }
  std::optional<i64> constant_in(const Syntax& syntax) const {
    if (syntax.form == Form::call) return syntax.word == "size" ? std::optional<i64>(size_in(syntax)) : std::nullopt;
    const NestText::Parameter* parameter = parameter_of(syntax.word);
    if (parameter != nullptr && parameter->number.is_whole) return parameter->number.whole;
    return std::nullopt;
  }
  /// size(input, axis).
  i64 size_in(const Syntax& syntax) const {
    const Syntax& name = *syntax.children[0];
    const int input = name.form == Form::name ? input_of(name.word) : -1;
    if (input < 0) {
      throw Fault{name.at, "size(input, axis) has the elements of an input along an axis; inputs here are " +
                               (input_names().empty() ? "none" : list_names(input_names()))};
    }
    const std::vector<i64>& shape = text_.inputs[static_cast<std::size_t>(input)].shape;
    if (syntax.children.size() == 1) {
      if (shape.size() == 1) return shape[0];
      throw Fault{syntax.at, quote(name.word) + " has " + counted(static_cast<i64>(shape.size()), "dimension") +
                                 ": write size(" + name.word + ", 0) for the first one"};
    }
    const i64 axis = formula::constant_of(*syntax.children[1]);
    if (axis < 0 || axis >= static_cast<i64>(shape.size())) {
      throw Fault{syntax.children[1]->at, quote(name.word) + " has no axis " + std::to_string(axis) +
                                              ": axes are 0 to " +
                                              std::to_string(static_cast<i64>(shape.size()) - 1)};
    }
    return shape[static_cast<std::size_t>(axis)];
  }
  std::vector<std::string> input_names() const {
    std::vector<std::string> names;
    for (const Input& one : text_.inputs) {
      if (!one.name.empty()) names.push_back(one.name);
    }
    return names;
  }

  i64 bound_in(const std::string& text) const {
    const std::unique_ptr<Syntax> syntax = formula::parse(text);
    const std::optional<Affine> bound = affine_of(*syntax, affine_names());
    const bool has_loop = bound && std::any_of(bound->multiples.begin(), bound->multiples.end(),
                                               [](i64 multiple) { return multiple != 0; });
    if (!bound || has_loop) {
      throw Fault{syntax->at,
                  has_loop
                      ? "a loop's bound may not depend on another loop: iterations are a box"
                      : "a loop's bound is made of whole numbers, whole parameters and size(input, axis) by + - * "
                        "/ %, as in size(a) - 1"};
    }
    constexpr i64 most = i64{1} << 48;
    if (bound->constant < -most || bound->constant > most) {
      throw Fault{syntax->at, "a loop's bound is within 2^48, and here it is " + std::to_string(bound->constant)};
    }
    return bound->constant;
  }
  Range range_in(const std::string& setting, const RangeText& text) const {
    if (text.ends.empty() || text.ends.size() > 2) refuse(setting, -1, 0, "a range is END, or [BEGIN, END]");
    const bool is_list = text.ends.size() == 2;
    const auto end_of = [&](std::size_t n) {
      return in(setting, is_list ? static_cast<int>(n) : -1, [&] { return bound_in(text.ends[n]); });
    };
    Range range;
    if (is_list) range.begin = end_of(0);
    range.end = std::max(range.begin, end_of(is_list ? 1 : 0));
    return range;
  }
  void read_loops() {
    for (const RangeText& text : text_.loops) {
      nest_.loops.push_back({text.loop, range_in(name_of_setting("loops", text.loop), text)});
    }
  }
  Ranges box_of(std::size_t cell) const {
    Ranges box = nest_.ranges();
    for (const RangeText& text : text_.cells[cell].ranges) {
      const std::string setting = "cells[" + std::to_string(cell) + "].for." + text.loop;
      const auto found = std::find(loop_names_.begin(), loop_names_.end(), text.loop);
      if (found == loop_names_.end()) {
        refuse(setting, -1, 0, "there is no loop " + quote(text.loop) + ": loops are " + list_names(loop_names_));
      }
      const auto loop = static_cast<std::size_t>(found - loop_names_.begin());
      const Range range = range_in(setting, text), all = box[loop];
      if (range.size() > 0 && (range.begin < all.begin || range.end > all.end)) {
        refuse(setting, -1, 0,
               "the range " + to_string(Ranges{range}) + " is not inside the loop's, " + to_string(Ranges{all}));
      }
      box[loop] = range;
    }
    return box;
  }

  // Statements and arrays.

  void parse_cells() {
    for (std::size_t cell = 0; cell < text_.cells.size(); ++cell) {
      in_cell(cell, [&] { parsed_.push_back(formula::parse_assignment(text_.cells[cell].text)); });
    }
  }
  static void check_brackets(const Syntax& syntax) {
    for (const std::size_t group : syntax.groups) {
      if (group != 1) throw Fault{syntax.at, "subscripts stand in brackets of their own: " + syntax.word + "[i][j]"};
    }
  }
  void make_arrays() {
    for (const NestText::Array& text : text_.arrays) {
      Array array;
      array.name = text.name;
      array.from = text.from;
      array.first_loop = nest_.depth();
      nest_.arrays.push_back(std::move(array));
    }
    for (std::size_t cell = 0; cell < parsed_.size(); ++cell)
      in_cell(cell, [&] { take_target(*parsed_[cell].target); });
    for (const Array& array : nest_.arrays) {
      if (array.first_loop < nest_.depth()) continue;
      refuse(
          name_of_setting("arrays", array.name), -1, 0,
          "no statement writes " + quote(array.name) + ": an array that is only read is an input, and is not listed");
    }
  }
  /// Takes the number of an array's subscripts from a statement that writes it.
  void take_target(const Syntax& target) {
    const int number = array_of(target.word);
    if (number < 0) {
      if (input_of(target.word) >= 0) throw Fault{target.at, quote(target.word) + " is an input, which is only read"};
      throw Fault{target.at, "there is no array " + quote(target.word) + " to write" + hint(target.word)};
    }
    check_brackets(target);
    Array& array = nest_.arrays[static_cast<std::size_t>(number)];
    const std::size_t count = target.children.size(), depth = nest_.depth();
    if (count == 0 || count > depth) {
      throw Fault{target.at, quote(target.word) + " has " + std::to_string(count) +
                                 " subscripts: an array that is "
                                 "written has the loops as subscripts, " +
                                 example(target.word, 0) + (depth > 1 ? ", or the inner ones of them" : "")};
    }
    if (array.first_loop < depth && array.first_loop != depth - count) {
      throw Fault{target.at, quote(target.word) + " has " + std::to_string(count) + " subscripts here and " +
                                 std::to_string(depth - array.first_loop) + " in a statement above"};
    }
    array.first_loop = depth - count;
  }
  std::string hint(const std::string& word) const {
    std::vector<std::string> names;
    for (const Array& array : nest_.arrays) names.push_back(array.name);
    const std::string near = did_you_mean(word, names);
    if (!near.empty()) return near;
    return names.empty() ? "; give it in `arrays`" : "; `arrays` has " + list_names(names);
  }
  /// "D[i][j]".
  std::string example(const std::string& name, std::size_t first_loop) const {
    std::string text = name;
    for (std::size_t loop = first_loop; loop < nest_.depth(); ++loop) text += "[" + nest_.loops[loop].name + "]";
    return text;
  }

  /// The offsets of an array's subscripts, which are its loops. @throws Fault
  std::vector<i64> offsets_in(const Syntax& syntax, const Array& array, bool writes) const {
    check_brackets(syntax);
    const std::size_t rank = nest_.depth() - array.first_loop;
    if (syntax.children.size() != rank) {
      throw Fault{syntax.at, quote(syntax.word) + " has " + counted(static_cast<i64>(rank), "subscript") + ", " +
                                 example(array.name, array.first_loop) + ", and here " +
                                 std::to_string(syntax.children.size())};
    }
    std::vector<i64> offsets;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      offsets.push_back(offset_in(*syntax.children[axis], array, axis, writes));
    }
    return offsets;
  }
  i64 offset_in(const Syntax& subscript, const Array& array, std::size_t axis, bool writes) const {
    const std::string& loop = loop_names_[array.first_loop + axis];
    const std::string which = "subscript " + std::to_string(axis) + " of " + quote(array.name);
    const std::optional<Affine> affine = affine_of(subscript, affine_names());
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
  std::string why_not_uniform(const Affine& affine, const std::string& loop) const {
    for (std::size_t n = 0; n < affine.multiples.size(); ++n) {
      const bool is_own = loop_names_[n] == loop;
      if (affine.multiples[n] == (is_own ? 1 : 0)) continue;
      return " changes by " + std::to_string(affine.multiples[n]) + " with each iteration of " + loop_names_[n] +
             ", so distances along " + loop + " are not constant";
    }
    return " is not uniform in " + loop;
  }

  void make_statements() {
    for (std::size_t cell = 0; cell < parsed_.size(); ++cell) {
      Statement statement;
      statement.array = array_of(parsed_[cell].target->word);
      statement.text = text_.cells[cell].text;
      statement.box = box_of(cell);
      const Array& array = nest_.arrays[static_cast<std::size_t>(statement.array)];
      statement.offset = in_cell(cell, [&] { return offsets_in(*parsed_[cell].target, array, true); });
      for (std::size_t loop = 0; loop < array.first_loop; ++loop) {
        if (statement.box[loop] == nest_.loops[loop].range) continue;
        refuse("cells[" + std::to_string(cell) + "].for." + loop_names_[loop], -1, 0,
               quote(array.name) + " lacks the loop " + loop_names_[loop] +
                   ", so this range would make distances that are not constant: leave it out");
      }
      nest_.statements.push_back(std::move(statement));
    }
    if (nest_.order == Order::cells || nest_.statements.size() == 1) return;
    for (const Array& array : nest_.arrays) {
      if (array.first_loop <= 1) continue;
      refuse("order", -1, 0,
             "`order: statements` sweeps each statement over all loops but the outermost one, and " +
                 quote(array.name) + " lacks more than that");
    }
  }

  /// Statements that write one array do so in boxes that do not meet and are one box together.
  void check_writers() {
    for (std::size_t number = 0; number < nest_.arrays.size(); ++number) {
      Array& array = nest_.arrays[number];
      std::vector<std::pair<std::size_t, Ranges>> all;
      for (std::size_t cell = 0; cell < nest_.statements.size(); ++cell) {
        const Statement& statement = nest_.statements[cell];
        if (statement.array != static_cast<int>(number)) continue;
        const Ranges own = statement.elements(array.first_loop, statement.offset);
        for (const auto& [other, box] : all) {
          const Ranges both = intersection(own, box);
          if (is_empty(own) || is_empty(box) || is_empty(both)) continue;
          refuse(setting_of_cell(cell), -1, parsed_[cell].target->at,
                 "two statements write the elements " + array.name + " " + to_string(both) + ": this one and " +
                     std::to_string(other + 1) + " of `cells`; give them ranges by {for: {...}, do: ...}");
        }
        all.emplace_back(cell, own);
      }
      array.written = joined(array, all);
    }
  }
  Ranges joined(const Array& array, const std::vector<std::pair<std::size_t, Ranges>>& all) const {
    Ranges whole = all.front().second;
    double cells = 0, wanted = 1;
    bool has_any = false;
    for (const auto& [cell, box] : all) {
      if (is_empty(box)) continue;
      double size = 1;
      for (std::size_t axis = 0; axis < box.size(); ++axis) {
        size *= static_cast<double>(box[axis].size());
        whole[axis] =
            has_any ? Range{std::min(whole[axis].begin, box[axis].begin), std::max(whole[axis].end, box[axis].end)}
                    : box[axis];
      }
      has_any = true;
      cells += size;
    }
    for (const Range& range : whole) wanted *= static_cast<double>(range.size());
    if (has_any && cells != wanted) {
      const std::size_t last = all.back().first;
      refuse(setting_of_cell(last), -1, parsed_[last].target->at,
             "the statements that write " + quote(array.name) + " leave a gap in " + to_string(whole) +
                 ": together they write a box");
    }
    return whole;
  }

  // Expressions.

  formula::Scope scope_of(const Ranges& box, bool has_arrays, std::size_t first_loop, Type real) {
    formula::Scope scope;
    scope.meaning = [this, box, has_arrays, first_loop](const Syntax& syntax) {
      return meaning_of(syntax, box, has_arrays, first_loop);
    };
    scope.names = names_;
    scope.real = real;
    scope.is_checked = true;
    return scope;
  }
  Meaning meaning_of(const Syntax& syntax, const Ranges& box, bool has_arrays, std::size_t first_loop) {
    if (syntax.form == Form::call) return {Meaning::number, true, 0, size_in(syntax), {}, {0, 0}};
    const std::string& word = syntax.word;
    const auto loop = std::find(loop_names_.begin(), loop_names_.end(), word);
    const NestText::Parameter* parameter = parameter_of(word);
    if (syntax.form == Form::subscript && (loop != loop_names_.end() || parameter != nullptr)) {
      throw Fault{syntax.at, quote(word) + " is a number: it has no subscripts"};
    }
    if (loop != loop_names_.end()) {
      return index_of(syntax, static_cast<std::size_t>(loop - loop_names_.begin()), box, first_loop);
    }
    if (parameter != nullptr) {
      const formula::Number& number = parameter->number;
      return {Meaning::number, number.is_whole, number.real, number.whole, {}, {0, 0}};
    }
    const int array = array_of(word), input = input_of(word);
    if (array < 0 && input < 0) return {};
    if (syntax.form == Form::name) {
      throw Fault{syntax.at, quote(word) + " is an array: an element of it is " + word + "[...]"};
    }
    check_brackets(syntax);
    if (array >= 0 && !has_arrays) {
      throw Fault{syntax.at, "`outside` reads inputs alone, and " + quote(word) + " is written by statements"};
    }
    return array >= 0 ? read_of_array(syntax, array) : read_of_input(syntax, input, first_loop);
  }
  Meaning index_of(const Syntax& syntax, std::size_t loop, const Ranges& box, std::size_t first_loop) const {
    if (loop < first_loop) {
      throw Fault{syntax.at, quote(syntax.word) + " is no subscript of this array, which lacks that loop"};
    }
    Meaning meaning;
    meaning.kind = Meaning::node;
    meaning.of_node = {Operation::index, Type::i64};
    meaning.of_node.number = static_cast<int>(loop);
    meaning.bounds = {box[loop].begin, std::max(box[loop].begin, box[loop].end - 1)};
    return meaning;
  }
  Meaning read_node(ElementType type, formula::Bounds bounds, Access access) {
    const auto found = std::find(nest_.accesses.begin(), nest_.accesses.end(), access);
    Meaning meaning;
    meaning.kind = Meaning::node;
    meaning.of_node = {Operation::read, type_in_formulas(type)};
    meaning.of_node.number = static_cast<int>(found - nest_.accesses.begin());
    meaning.bounds = bounds;
    if (found == nest_.accesses.end()) nest_.accesses.push_back(std::move(access));
    return meaning;
  }
  Meaning read_of_array(const Syntax& syntax, int number) {
    const Array& array = nest_.arrays[static_cast<std::size_t>(number)];
    Access access{false, number, {}, offsets_in(syntax, array, false)};
    for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
      access.loops.push_back(static_cast<int>(array.first_loop + axis));
    }
    return read_node(array.type, bounds_of(array.type), std::move(access));
  }
  Meaning read_of_input(const Syntax& syntax, int number, std::size_t first_loop) {
    const Input& input = nest_.inputs[static_cast<std::size_t>(number)];
    const std::size_t rank = input.shape.size();
    if (syntax.children.size() != rank) {
      throw Fault{syntax.at, quote(syntax.word) + " has " + counted(static_cast<i64>(rank), "subscript") +
                                 ", and here " + std::to_string(syntax.children.size())};
    }
    const formula::Bounds bounds{input.least, input.most};
    Access access{true, number, {}, {}};
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::optional<Affine> affine = affine_of(*syntax.children[axis], affine_names());
      const std::optional<int> loop = affine ? affine->loop() : std::nullopt;
      if (!loop) return look_up_of(syntax, number, axis, bounds);
      if (*loop >= 0 && *loop < static_cast<int>(first_loop)) {
        throw Fault{syntax.children[axis]->at, quote(loop_names_[static_cast<std::size_t>(*loop)]) +
                                                   " is no subscript of this array, which lacks that loop"};
      }
      access.loops.push_back(*loop);
      access.offset.push_back(affine->constant);
    }
    return read_node(input.type, bounds, std::move(access));
  }
  Meaning look_up_of(const Syntax& syntax, int number, std::size_t axis, formula::Bounds bounds) const {
    const Input& input = nest_.inputs[static_cast<std::size_t>(number)];
    double bytes = static_cast<double>(size_of(input.type));
    for (const i64 extent : input.shape) bytes *= static_cast<double>(extent);
    if (bytes > static_cast<double>(most_look_up_bytes) || input.shape.size() > 3) {
      throw Fault{
          syntax.children[axis]->at,
          "subscript " + std::to_string(axis) + " of " + quote(syntax.word) +
              " is no loop plus or minus a constant: such look-ups take inputs of at most 64 KiB and three axes"};
    }
    Meaning meaning;
    meaning.kind = Meaning::node;
    meaning.looks_up = true;
    meaning.of_node = {Operation::look_up, type_in_formulas(input.type)};
    meaning.of_node.number = number;
    meaning.bounds = bounds;
    return meaning;
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
      const auto type = in_cell(
          cell, [&] { return formula::type_of(*parsed_[cell].value, scope_of(statement.box, true, 0, Type::f64)); });
      if (formula::is_real(type)) return true;
    }
    return false;
  }

  /// The elements that each array has.
  void make_boxes() {
    for (std::size_t n = 0; n < nest_.arrays.size(); ++n) {
      Array& array = nest_.arrays[n];
      array.box = array.written;
      if (array.from >= 0) take_from(array);
    }
  }
  void take_from(Array& array) const {
    const Input& from = nest_.inputs[static_cast<std::size_t>(array.from)];
    const std::string setting = name_of_setting("arrays", array.name) + ".from";
    const std::size_t rank = array.written.size();
    if (from.has_letters) refuse(setting, -1, 0, "it holds letters of a sequence, where numbers are wanted");
    array.from_slices = array.first_loop == 0 && from.shape.size() + 1 == rank;
    const std::size_t first = array.from_slices ? 1 : 0;
    if (from.shape.size() + first != rank || from.shape.empty()) {
      refuse(setting, -1, 0,
             "it has " + counted(static_cast<i64>(from.shape.size()), "dimension") + ", and " + quote(array.name) +
                 " " + counted(static_cast<i64>(rank), "subscript") +
                 (array.first_loop == 0 && rank > 1 ? ": as many are wanted, or one fewer for the first slice"
                                                    : ": as many are wanted"));
    }
    for (std::size_t axis = first; axis < rank; ++axis) array.box[axis] = {0, from.shape[axis - first]};
    if (!holds(array.box, array.written)) {
      refuse(setting, -1, 0,
             "it has the elements " + to_string(array.box) + ", and statements write " + to_string(array.written));
    }
    const formula::Bounds own = bounds_of(array.type);
    const bool fits =
        is_floating(array.type) || (is_whole(from.type) && from.least >= own.least && from.most <= own.most);
    if (fits) return;
    refuse(name_of_setting("arrays", array.name) + ".type", -1, 0,
           "not all values of `from`, which is " + std::string(terrace::name_of(from.type)) + ", are values of " +
               std::string(terrace::name_of(array.type)));
  }

  void make_values() {
    for (std::size_t cell = 0; cell < nest_.statements.size(); ++cell) {
      Statement& statement = nest_.statements[cell];
      const Type type = type_in_formulas(nest_.arrays[static_cast<std::size_t>(statement.array)].type);
      in_cell(cell, [&] {
        statement.value = checked(*parsed_[cell].value, scope_of(statement.box, true, 0, real_for(type)), type);
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
      in(setting_of_outside(array), -1, [&] {
        array.outside =
            checked(*formula::parse(*text), scope_of(anywhere, false, array.first_loop, real_for(type)), type);
      });
    }
  }
  static std::string setting_of_outside(const Array& array) {
    return name_of_setting("arrays", array.name) + ".outside";
  }

  // Elements that are read.

  void check_reads() {
    std::vector<Dependence> flow;
    try {
      flow = flow_of(nest_);
    } catch (const DistanceFault& fault) {
      const auto cell = static_cast<std::size_t>(fault.statement);
      refuse(setting_of_cell(cell), -1, place_of_read(nest_.statements[cell].value, fault.access), fault.what);
    }
    for (std::size_t cell = 0; cell < nest_.statements.size(); ++cell) {
      const Statement& statement = nest_.statements[cell];
      visit_needed(statement.value, statement.box, nest_.inputs, nest_.accesses, [&](const Node& node) {
        if (node.operation != Operation::read) return;
        const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
        in_cell(cell, [&] {
          if (access.is_input) check_input(nest_, access, statement.box, node.at);
          else check_array(access, statement, node.at, flow);
        });
      });
    }
  }
  static std::size_t place_of_read(const Formula& formula, int access) {
    for (const Node& node : formula.nodes()) {
      if (node.operation == Operation::read && node.number == access) return node.at;
    }
    return 0;
  }
  /// Refuses reads of elements that neither a statement nor `from` nor `outside` has.
  void check_array(const Access& access, const Statement& statement, std::size_t at,
                   const std::vector<Dependence>& flow) const {
    const Array& array = nest_.arrays[static_cast<std::size_t>(access.array)];
    const Ranges read = statement.elements(array.first_loop, access.offset);
    std::vector<Ranges> others = difference(read, array.written);
    if (array.from < 0 && reads_first_values(nest_, flow, access.array)) others = {read};
    for (const Ranges& part : others) {
      Ranges kept = array.box;
      if (array.from_slices) kept[0] = part[0];
      for (const Ranges& rest : array.from >= 0 ? difference(part, kept) : std::vector<Ranges>{part}) {
        if (!array.outside) refuse_missing(array, access, rest, at);
        check_outside(access.array, rest);
      }
    }
  }
  [[noreturn]] void refuse_missing(const Array& array, const Access& access, const Ranges& rest,
                                   std::size_t at) const {
    const bool is_first = !is_empty(intersection(rest, array.written));
    throw Fault{at, nest_.in_words(access) + " is read where " +
                        (is_first ? "no statement has written it yet" : "no statement writes it") + ", as in " +
                        array.name + " " + to_string(rest) + ": give " + quote(array.name) +
                        " an `outside`, a formula of " + example("", array.first_loop) +
                        ", or an array that it begins as by `from`"};
  }
  void check_outside(int array, const Ranges& elements) const {
    if (const auto fault = outside_fault(nest_, array, elements)) {
      throw NestFault{setting_of_outside(nest_.arrays[static_cast<std::size_t>(array)]), -1, *fault};
    }
  }

  static constexpr i64 most_offset = i64{1} << 31;
  const NestText& text_;
  Nest nest_;
  std::vector<std::string> names_, loop_names_;
  std::vector<Assignment> parsed_;
};

}  // namespace

std::optional<Fault> outside_fault(const Nest& nest, int number, const Ranges& elements) {
  const Array& array = nest.arrays[static_cast<std::size_t>(number)];
  Ranges box = nest.ranges();
  for (std::size_t axis = 0; axis < elements.size(); ++axis) box[array.first_loop + axis] = elements[axis];
  try {
    visit_needed(*array.outside, box, nest.inputs, nest.accesses, [&](const Node& node) {
      if (node.operation != Operation::read) return;
      check_input(nest, nest.accesses[static_cast<std::size_t>(node.number)], box, node.at);
    });
  } catch (const Fault& fault) {
    return fault;
  }
  return std::nullopt;
}

Nest write(const NestText& text) { return Writer(text).write(); }

}  // namespace terrace::nest
