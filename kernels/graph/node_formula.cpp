#include "kernels/graph/node_formula.hpp"

#include <algorithm>
#include <utility>

#include "kernels/formula/syntax.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::graph {
namespace {

using formula::Fault;
using formula::Form;
using formula::Meaning;
using formula::Operation;
using formula::Syntax;
using formula::Type;

constexpr const char* index_names[] = {"i", "j"};

/// The names of a formula.
class Names {
 public:
  Names(const std::vector<std::string>& operands, Shape shape, Type type)
      : operands_(operands), extents_{shape.rows, shape.columns}, type_(type) {}

  formula::Scope scope() const {
    std::vector<std::string> all(std::begin(index_names), std::end(index_names));
    all.insert(all.end(), operands_.begin(), operands_.end());
    return {[this](const Syntax& syntax) { return meaning_of(syntax); }, all, type_};
  }

 private:
  Meaning meaning_of(const Syntax& syntax) const {
    if (syntax.form == Form::call) return extent_of(syntax);
    const auto operand = std::ranges::find(operands_, syntax.word);
    if (operand != operands_.end()) {
      Meaning meaning = node(Operation::read, type_, static_cast<int>(operand - operands_.begin()));
      meaning.of_node.offset = offset_of(syntax);
      return meaning;
    }
    for (int axis = 0; axis < 2; ++axis) {
      if (syntax.word != index_names[axis]) continue;
      if (syntax.form == Form::subscript)
        throw Fault{syntax.at, quote(syntax.word) + " is an index: it has no neighbours"};
      Meaning meaning = node(Operation::index, Type::i64, axis);
      meaning.bounds = {0, extents_[axis] - 1};
      return meaning;
    }
    return {};
  }
  Meaning extent_of(const Syntax& syntax) const {
    const i64 axis = syntax.children.size() == 1 ? formula::constant_of(*syntax.children[0]) : -1;
    if (axis < 0 || axis > 1) throw Fault{syntax.at, "size(0) has the rows of the array, size(1) its columns"};
    Meaning meaning = node(Operation::extent, Type::i64, static_cast<int>(axis));
    meaning.bounds = {extents_[axis], extents_[axis]};
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
  static std::array<int, formula::most_axes> offset_of(const Syntax& syntax) {
    std::array<int, formula::most_axes> offset{};
    if (syntax.form == Form::name) return offset;
    if (syntax.groups.size() != 1 || syntax.children.size() != 2) {
      throw Fault{syntax.at, "a neighbour is written with offsets of its row and its column, as " +
                                 printable(syntax.word) + "[-1, 0]"};
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const i64 along = formula::constant_of(*syntax.children[axis]);
      if (along < -most_radius || along > most_radius) {
        throw Fault{syntax.children[axis]->at,
                    "a formula reaches at most " + std::to_string(most_radius) + " rows and columns"};
      }
      offset[axis] = static_cast<int>(along);
    }
    return offset;
  }

  const std::vector<std::string>& operands_;
  i64 extents_[2];
  Type type_;
};

}  // namespace

formula::Reach reach_of_source(const formula::Formula& cells, int source) {
  formula::Reach reach;
  for (const formula::Node& node : cells.nodes()) {
    if (node.operation != Operation::read || node.number != source) continue;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      reach.low[axis] = std::min(reach.low[axis], node.offset[axis]);
      reach.high[axis] = std::max(reach.high[axis], node.offset[axis]);
    }
  }
  return reach;
}

std::shared_ptr<const NodeFormula> parse_node_formula(const std::string& text, const std::vector<std::string>& names,
                                                      Shape shape, ElementType type) {
  const Type value = type == ElementType::f32 ? Type::f32 : Type::f64;
  const Names known(names, shape, value);
  formula::Formula cells;
  cells.add_result(formula::check(*formula::parse(text), known.scope(), value, cells));
  auto made = std::make_shared<NodeFormula>();
  made->cells = cells.compact();
  for (std::size_t operand = 0; operand < names.size(); ++operand) {
    made->reach.push_back(reach_of_source(made->cells, static_cast<int>(operand)));
  }
  return made;
}

NodeSettings settings_of(std::shared_ptr<const NodeFormula> formula, Boundary boundary, double boundary_value) {
  NodeSettings made;
  const formula::Reach reach = formula->cells.reach();
  made.row_radius = std::max(-reach.low[0], reach.high[0]);
  made.column_radius = std::max(-reach.low[1], reach.high[1]);
  made.boundary = boundary;
  made.boundary_value = boundary_value;
  made.formula = std::move(formula);
  return made;
}

std::string canonical_formula(const std::string& text, const std::vector<std::string>& names) {
  return formula::canonical(*formula::parse(text), [&](const std::string& word) {
    const auto at = std::ranges::find(names, word);
    return at == names.end() ? word : "operand " + std::to_string(at - names.begin());
  });
}

}  // namespace terrace::graph
