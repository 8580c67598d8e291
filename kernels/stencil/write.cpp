#include "kernels/stencil/write.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/places.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::stencil {
namespace {

using formula::Bounds;
using formula::Fault;
using formula::Form;
using formula::Formula;
using formula::Meaning;
using formula::Node;
using formula::Operation;
using formula::Scope;
using formula::Syntax;
using formula::Type;

constexpr const char* index_names[] = {"i", "j", "k"};
using Shift = std::array<int, most_rank>;  // along the axes of StencilSpec

Type type_of(const StencilSpec& spec) { return spec.value == ElementType::f32 ? Type::f32 : Type::f64; }

/// The names of a stage's formulas.
class Names {
 public:
  Names(const WrittenText& text, const StencilSpec& spec) : text_(text), spec_(spec) {
    for (int axis = 0; axis < spec.rank; ++axis) add(index_names[axis]);
    add("t");
    for (const auto* names : {&text.fields, &text.arrays, &text.series}) {
      for (const std::string& name : *names) add(name);
    }
    for (const NamedNumber& number : text.parameters) add(number.name);
  }

  Scope scope() const {
    return {[this](const Syntax& syntax) { return meaning_of(syntax); }, all_, type_of(spec_)};
  }

 private:
  void add(const std::string& name) {
    const auto refuse = [&](const std::string& what) { throw WrittenFault{WrittenFault::none, {0, what}, name}; };
    if (!formula::is_name(name)) {
      refuse(quote(name) + " cannot be a name in formulas: a name has letters, digits and _, begins with a letter, " +
             "and is no function");
    }
    if (std::find(all_.begin(), all_.end(), name) != all_.end()) {
      const bool is_own =
          std::find(all_.begin(), all_.begin() + spec_.rank + 1, name) != all_.begin() + spec_.rank + 1;
      refuse(quote(name) +
             (is_own ? name == "t" ? " is the step in formulas" : " is an index of the cell in formulas"
                     : " stands for two things in formulas") +
             ": take another name");
    }
    all_.push_back(name);
  }

  Meaning meaning_of(const Syntax& syntax) const {
    if (syntax.form == Form::call) return extent_of(syntax);
    const std::string& word = syntax.word;
    Meaning meaning;
    const auto number = [&](const std::vector<std::string>& names) {
      const auto found = std::find(names.begin(), names.end(), word);
      return found == names.end() ? -1 : static_cast<int>(found - names.begin());
    };
    if (const int field = number(text_.fields); field >= 0) {
      meaning = node(Operation::read, type_of(spec_), field);
      meaning.of_node.offset = offset_of(syntax);
      return meaning;
    }
    if (const int array = number(text_.arrays); array >= 0) {
      meaning = node(Operation::read, type_of(spec_), static_cast<int>(text_.fields.size()) + array);
      if (offset_of(syntax) != meaning.of_node.offset) {
        throw Fault{syntax.at, "the array " + quote(word) +
                                   " is read at the cell alone; a field whose formula is its " +
                                   "own name is constant, and is read at neighbours, too"};
      }
      return meaning;
    }
    meaning = meaning_of_scalar(word, number(text_.series));
    if (meaning.kind != Meaning::unknown && syntax.form == Form::subscript) {
      throw Fault{syntax.at, quote(word) + " is a number: it has no neighbours"};
    }
    return meaning;
  }
  Meaning meaning_of_scalar(const std::string& word, int series) const {
    if (series >= 0) return node(Operation::series, type_of(spec_), series);
    for (const NamedNumber& one : text_.parameters) {
      if (one.name == word) return {Meaning::number, one.is_whole, one.real, one.whole, {}, {}};
    }
    for (int axis = 0; axis < spec_.rank; ++axis) {
      if (word != index_names[axis]) continue;
      Meaning meaning = node(Operation::index, Type::i64, axis_of(axis, spec_.rank));
      meaning.bounds = {0, std::max<i64>(0, spec_.extents[static_cast<std::size_t>(meaning.of_node.number)] - 1)};
      return meaning;
    }
    if (word != "t") return {};
    Meaning meaning = node(Operation::step, Type::i64, 0);
    meaning.bounds = {0, std::max<i64>(0, text_.steps - 1)};
    return meaning;
  }
  Meaning extent_of(const Syntax& syntax) const {
    const i64 axis = syntax.children.size() == 1 ? formula::constant_of(*syntax.children[0]) : -1;
    if (axis < 0 || axis >= spec_.rank) {
      throw Fault{syntax.at, "size(axis) has the cells of the grid along an axis: one of 0 to " +
                                 std::to_string(spec_.rank - 1)};
    }
    Meaning meaning = node(Operation::extent, Type::i64, axis_of(static_cast<int>(axis), spec_.rank));
    const i64 extent = spec_.extents[static_cast<std::size_t>(meaning.of_node.number)];
    meaning.bounds = {extent, extent};
    return meaning;
  }
  static Meaning node(Operation operation, Type type, int number) {
    Meaning meaning;
    meaning.kind = Meaning::node;
    meaning.of_node.operation = operation;
    meaning.of_node.type = type;
    meaning.of_node.number = number;
    return meaning;
  }
  /// The offsets of a name's subscripts, along the axes of StencilSpec.
  std::array<int, formula::most_axes> offset_of(const Syntax& syntax) const {
    std::array<int, formula::most_axes> offset{};
    if (syntax.form == Form::name) return offset;
    if (syntax.groups.size() != 1 || static_cast<int>(syntax.children.size()) != spec_.rank) {
      constexpr const char* examples[] = {"[-1]", "[-1, 0]", "[-1, 0, 0]"};
      throw Fault{syntax.at, "a neighbour in a grid of " + std::to_string(spec_.rank) +
                                 (spec_.rank == 1 ? " dimension" : " dimensions") + " is written as " +
                                 printable(syntax.word) + examples[spec_.rank - 1]};
    }
    const i64 most = spec_.rank == 3 ? most_written_radius_3d : most_radius;
    for (int axis = 0; axis < spec_.rank; ++axis) {
      const Syntax& child = *syntax.children[static_cast<std::size_t>(axis)];
      const i64 along = formula::constant_of(child);
      if (along < -most || along > most) {
        throw Fault{child.at, "a formula reaches at most " + std::to_string(most) + " cells in a grid of " +
                                  std::to_string(spec_.rank) + " dimensions"};
      }
      offset[static_cast<std::size_t>(axis_of(axis, spec_.rank))] = static_cast<int>(along);
    }
    return offset;
  }

  const WrittenText& text_;
  const StencilSpec& spec_;
  std::vector<std::string> all_;
};

/// Formulas of which each reads the cells of the step before, as one; those that are made in turn stand in place of
/// the reads of their results.
class Joined {
 public:
  Joined(const WrittenText& text, const StencilSpec& spec, const std::vector<Formula>& alone)
      : text_(text), spec_(spec), alone_(alone), place_(text.fields.size(), text.cells.size()) {
    for (std::size_t cell = 0; cell < text.cells.size(); ++cell) place_[text.cells[cell].field] = cell;
  }

  Formula formula() {
    Formula all;
    for (std::size_t field = 0; field < text_.fields.size(); ++field) {
      all.add_result(result_of(place_[field], Shift{}, all));
    }
    return all;
  }

  /// Checks that no cell reads a new value outside the grid. @param spec with the radius of the formulas
  void check_neighbours(const Formula& all, const StencilSpec& spec) const {
    if (neighbours_.empty()) return;
    for (const GridPart& part : parts_of(spec)) {
      std::vector<bool> used;
      decided(all, part, &used);
      for (const Neighbour& one : neighbours_) {
        if (used[static_cast<std::size_t>(one.node)]) check_inside(one, part);
      }
    }
  }

 private:
  /// A new value of a neighbour.
  struct Neighbour {
    int node;
    std::size_t cell;  // that reads it
    Node read;
    Shift there;
  };
  void check_inside(const Neighbour& one, const GridPart& part) const {
    for (std::size_t axis = 0; axis < most_rank; ++axis) {
      if (one.there[axis] == 0 || spec_.faces[axis].low == Face::periodic) continue;
      const i64 first = part.first[axis] + one.there[axis], last = part.last[axis] + one.there[axis];
      if (first >= 0 && last < part.extents[axis]) continue;
      refuse(one.cell, one.read,
             "the new " + quote(text_.fields[static_cast<std::size_t>(one.read.number)]) +
                 " of a neighbour is read, which lies outside the grid at its ends: take `boundary: periodic`, or " +
                 "if(...) with a condition on the index there");
    }
  }
  /// The result of a formula for the cell at an offset.
  int result_of(std::size_t cell, const Shift& shift, Formula& all) {
    const auto known = known_.find({cell, shift});
    if (known != known_.end()) return known->second;
    const Formula& own = alone_[cell];
    std::vector<int> places;
    for (const Node& given : own.nodes()) {
      Node node = given;
      for (int& operand : node.operands) {
        if (operand >= 0) operand = places[static_cast<std::size_t>(operand)];
      }
      places.push_back(place_of(cell, node, shift, all));
      if (all.nodes().size() > most_nodes) {
        throw WrittenFault{cell,
                           {node.at,
                            "formulas that are made in turn are too long together: they read one "
                            "another at too many neighbours"},
                           ""};
      }
    }
    return known_.emplace(std::pair(cell, shift), places[static_cast<std::size_t>(own.results().front())])
        .first->second;
  }
  int place_of(std::size_t cell, Node node, const Shift& shift, Formula& all) {
    if (node.operation == Operation::index) node.offset[0] += shift[static_cast<std::size_t>(node.number)];
    if (node.operation != Operation::read) return all.add(node);
    if (node.number >= static_cast<int>(text_.fields.size())) {
      if (shift != Shift{}) {
        refuse(cell, node,
               "a formula reads the new value of a neighbour, whose formula reads the array " +
                   quote(text_.arrays[static_cast<std::size_t>(node.number) - text_.fields.size()]) +
                   ": arrays are read at the cell alone");
      }
      return all.add(node);
    }
    Shift there = shift;
    for (std::size_t axis = 0; axis < most_rank; ++axis) there[axis] += node.offset[axis];
    const std::size_t other = place_[static_cast<std::size_t>(node.number)];
    if (text_.in_turn && other < cell) {
      if (there == Shift{}) return result_of(other, there, all);
      check_neighbour(cell, node, there);
      const int result = result_of(other, there, all);
      neighbours_.push_back({result, cell, node, there});
      return result;
    }
    const int most = spec_.rank == 3 ? most_written_radius_3d : most_radius;
    for (std::size_t axis = 0; axis < most_rank; ++axis) {
      node.offset[axis] = there[axis];
      if (std::abs(there[axis]) > most) {
        refuse(cell, node,
               "made in turn, the formulas reach " + std::to_string(std::abs(there[axis])) +
                   " cells together: at most " + std::to_string(most));
      }
    }
    return all.add(node);
  }
  /// New values of neighbours are those that the formula has there: so all of them have to be made by it.
  void check_neighbour(std::size_t cell, const Node& node, const Shift& there) const {
    const std::string what =
        "the new " + quote(text_.fields[static_cast<std::size_t>(node.number)]) + " of a neighbour is read, which ";
    if (spec_.mask >= 0) refuse(cell, node, what + "`mask` may keep");
    for (std::size_t axis = 0; axis < most_rank; ++axis) {
      if (there[axis] == 0) continue;
      if (spec_.faces[axis].low == Face::fixed || spec_.faces[axis].high == Face::fixed) {
        refuse(cell, node,
               what + "a `fixed` boundary may keep: take `periodic`, or another one and if(...) at the ends");
      }
    }
  }
  [[noreturn]] static void refuse(std::size_t cell, const Node& node, const std::string& what) {
    throw WrittenFault{cell, {node.at, what}, ""};
  }

  static constexpr std::size_t most_nodes = 16384;
  const WrittenText& text_;
  const StencilSpec& spec_;
  const std::vector<Formula>& alone_;
  std::vector<std::size_t> place_;  // of a field's formula
  std::map<std::pair<std::size_t, Shift>, int> known_;
  std::vector<Neighbour> neighbours_;
};

/// Written::own_faces. @param spec with the formulas' radius
bool has_own_faces(const Written& written, const StencilSpec& spec) {
  if (!written.cells.uses(Operation::index) || spec.radius > 1) return false;
  for (std::size_t axis = 0; axis < most_rank; ++axis) {
    if (axis == 1 ? spec.rank < 3 : axis == 2 && spec.rank < 2) continue;
    for (const Face face : {spec.faces[axis].low, spec.faces[axis].high}) {
      if (face == Face::fixed || face == Face::periodic) return false;
    }
  }
  for (const GridPart& part : parts_of(spec)) {
    if (!reads_inside(decided(written.cells, part), written.fields, part)) return false;
  }
  // What all formulas read beside the cell is brought together for inner cells.
  const auto& inner = written.inner.nodes();
  for (const Node& node : written.cells.nodes()) {
    if (node.operation != Operation::read || node.offset[2] == 0) continue;
    const bool is_there = std::any_of(inner.begin(), inner.end(), [&](const Node& other) {
      return other.operation == Operation::read && other.number == node.number && other.offset == node.offset;
    });
    if (!is_there) return false;
  }
  return know_distances_alone(written.cells, spec);
}

}  // namespace

std::shared_ptr<const Written> write(const WrittenText& text, const StencilSpec& spec) {
  const Names names(text, spec);
  const Scope scope = names.scope();
  std::vector<Formula> alone;
  for (std::size_t cell = 0; cell < text.cells.size(); ++cell) {
    try {
      Formula formula;
      formula.add_result(formula::check(*formula::parse(text.cells[cell].text), scope, type_of(spec), formula));
      alone.push_back(std::move(formula));
    } catch (const Fault& fault) {
      throw WrittenFault{cell, fault, ""};
    }
  }
  auto written = std::make_shared<Written>();
  written->fields = static_cast<int>(text.fields.size());
  written->series_steps = text.steps;
  Joined joined(text, spec, alone);
  written->cells = joined.formula();
  StencilSpec reaching = spec;
  reaching.radius = radius_of(*written);
  joined.check_neighbours(written->cells, reaching);
  written->cells = written->cells.compact();
  written->inner = decided(written->cells, inner_part(reaching)).compact();
  written->own_faces = has_own_faces(*written, reaching);
  return written;
}

std::vector<int> own_arrays(const Written& written) {
  std::set<int> arrays;
  for (const Node& node : written.cells.nodes()) {
    if (node.operation == Operation::read && node.number >= written.fields)
      arrays.insert(node.number - written.fields);
  }
  return {arrays.begin(), arrays.end()};
}

bool depends_on_place(const Written& written) {
  for (const Operation operation : {Operation::series, Operation::index, Operation::extent, Operation::step}) {
    if ((written.own_faces ? written.inner : written.cells).uses(operation)) return true;
  }
  return false;
}

int radius_of(const Written& written) {
  const formula::Reach reach = written.cells.reach();
  int radius = 1;
  for (std::size_t axis = 0; axis < most_rank; ++axis) {
    radius = std::max({radius, -reach.low[axis], reach.high[axis]});
  }
  return radius;
}

}  // namespace terrace::stencil
