#include <algorithm>
#include <map>
#include <utility>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/node_formula.hpp"

namespace terrace::graph {
namespace {

using formula::Operation;

/// The formulas of a body as one: in place of reads of nodes stand their formulas.
class Joiner {
 public:
  explicit Joiner(const Graph& body) : body_(body), places_(static_cast<std::size_t>(body.values()), -1) {}

  /// False if a node is no formula, or reads another one elsewhere than at its own place.
  bool add_nodes() {
    for (int value = 0; value < body_.values(); ++value) {
      if (body_.is_node(value) && !add_node(value)) return false;
    }
    return true;
  }
  void add_result(int value) {
    int& place = places_[static_cast<std::size_t>(value)];
    if (place < 0) {
      formula::Node read{Operation::read, body_.type == ElementType::f32 ? formula::Type::f32 : formula::Type::f64};
      read.number = source_of({value, Boundary::edge, 0});
      place = made_.cells.add(read);
    }
    made_.cells.add_result(place);
  }
  JoinedFormula take() {
    made_.cells = made_.cells.compact();
    return std::move(made_);
  }

 private:
  bool add_node(int value) {
    const Node& node = body_.node(value);
    if (!node.settings.formula) return false;
    const formula::Formula& cells = node.settings.formula->cells;
    std::vector<int> places;
    for (formula::Node own : cells.nodes()) {
      for (int& operand : own.operands) {
        if (operand >= 0) operand = places[static_cast<std::size_t>(operand)];
      }
      if (own.operation == Operation::read) {
        const int read = node.operands[static_cast<std::size_t>(own.number)];
        if (body_.is_node(read)) {
          if (own.offset != std::array<int, formula::most_axes>{}) return false;
          places.push_back(places_[static_cast<std::size_t>(read)]);
          continue;
        }
        own.number = source_of({read, node.settings.boundary, node.settings.boundary_value});
      }
      places.push_back(made_.cells.add(own));
    }
    places_[static_cast<std::size_t>(value)] = places[static_cast<std::size_t>(cells.results().front())];
    return made_.cells.nodes().size() <= most_nodes_of_formula;
  }
  int source_of(const FormulaSource& source) {
    const auto at = std::ranges::find(made_.sources, source);
    const auto number = static_cast<int>(at - made_.sources.begin());
    if (at == made_.sources.end()) made_.sources.push_back(source);
    return number;
  }

  static constexpr std::size_t most_nodes_of_formula = 4096;
  const Graph& body_;
  std::vector<int> places_;  // of the nodes' results
  JoinedFormula made_;
};

}  // namespace

std::optional<JoinedFormula> joined_formula(const Iteration& iteration) {
  Joiner joiner(iteration.body);
  if (!joiner.add_nodes()) return std::nullopt;
  for (const int value : iteration.next) joiner.add_result(value);
  return joiner.take();
}

}  // namespace terrace::graph
