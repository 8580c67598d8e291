#include "kernels/graph/moves.hpp"

#include <algorithm>

#include "kernels/graph/operators.hpp"
#include "kernels/graph/operators/constant.hpp"
#include "kernels/graph/operators/warp.hpp"

namespace terrace::graph {
namespace {

bool is_op(const Node& node, const char* name) {
  return std::string_view(operators()[static_cast<std::size_t>(node.op)].name) == name;
}

/// The coordinate of a row and a displacement, rounded and clamped as the warp's cells do it, towards zero.
template <class T>
i64 whole_coordinate(i64 row, double move, i64 extent) {
  const T at = values::plus(static_cast<T>(row), static_cast<T>(move));
  return static_cast<i64>(std::clamp(at, static_cast<T>(1 - extent), static_cast<T>(2 * extent - 2)));
}

}  // namespace

std::optional<int> row_displacement(const Node& node) {
  return is_op(node, Warp::name) ? std::optional(node.operands.at(2)) : std::nullopt;
}

std::optional<Moves> moves_of(const Graph& graph, const Node& node, std::span<const double> known) {
  if (node.settings.moves && !known.empty()) {
    return Moves{known[static_cast<std::size_t>(node.settings.moves->smallest)],
                 known[static_cast<std::size_t>(node.settings.moves->largest)]};
  }
  const std::optional<int> by = row_displacement(node);
  if (!by || !graph.is_node(*by) || !is_op(graph.node(*by), Constant::name)) return std::nullopt;
  const double number = graph.node(*by).settings.numbers.at(0);
  return Moves{number, number};
}

Range rows_warped(ElementType type, i64 extent, Range rows, const Moves& moves) {
  if (!(moves.smallest <= moves.largest) || rows.size() <= 0) return {};
  const auto coordinate = [&](i64 row, double move) {
    return type == ElementType::f32 ? whole_coordinate<float>(row, move, extent)
                                    : whole_coordinate<double>(row, move, extent);
  };
  const i64 first = coordinate(rows.begin, moves.smallest), last = coordinate(rows.end - 1, moves.largest);
  // A cell reads its row, mirrored, and the next one. Rows that are mirrored at an end lie beside those that are not.
  i64 begin = extent, end = 0;
  const auto add = [&](i64 low, i64 high) {
    if (low > high) return;
    begin = std::min(begin, low);
    end = std::max(end, std::min(high + 2, extent));
  };
  add(std::max<i64>(first, 0), std::min(last, extent - 1));
  add(-std::min<i64>(last, -1) - 1, -first - 1);
  add(2 * extent - 1 - last, 2 * extent - 1 - std::max(first, extent));
  return {begin, end};
}

}  // namespace terrace::graph
