// The operators of graphs as jobs and plans see them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/graph/graph.hpp"

namespace terrace::graph {

/// What the key of an operator holds.
enum class OwnKey : std::uint8_t { arrays, number, formula, iteration };

/// An operator of cells, or a reduction.
struct OperatorInfo {
  OwnKey own_key;
  const char* name;
  const char* help;  // one sentence, no full stop
  int operands;      // that the operator's own key takes; of a formula those that it names
  int more;          // further ones, after these
  const char *more_key, *more_help;
  int radius;  // of its neighbourhood, if no parameter says it
  ParameterList parameters;
  CoefficientKeys coefficient_keys;
  const char* number_key;  // a parameter that may be a number of a reduction; "": none
  bool is_reduction;       // a number, or a list: of its members only those above and `makes` have a meaning
  Makes makes;
  bool takes_size;    // its result may have one of several sizes
  bool has_boundary;  // its cells may read values outside of its operands, which a boundary says
  i64 (*extent)(i64 n);
  bool (*fits)(i64 n, i64 wanted);
  Area (*reach)(const NodeSettings& settings, int operand, Shape shape, const Area& area);
};

/// All operators, in the order of their numbers: those of Operators, those that a job writes, reductions.
std::span<const OperatorInfo> operators();

/// True if nodes of an iteration may have the operator: its results have the size of its operands, and its cells read
/// a neighbourhood of their own place.
bool may_iterate(const OperatorInfo& info);

/// The number of an operator; nullopt if there is none of that name.
std::optional<int> find_operator(std::string_view name);

/// All that the cells of an area of a node read of its operand number `operand`; it may lie outside of that.
/// @param known as GraphSpec::known
Area reach_of(const Graph& graph, const Node& node, int operand, const Area& area,
              std::span<const double> known = {});

/// The reason why operands of these shapes do not fit the operator of a node; empty: they do. Sets the node's shape.
/// @param wanted the shape that the result is to have; nullopt: the operator's own
std::string take_shape(Node& node, const std::vector<Shape>& operands, std::optional<Shape> wanted);

/// "3 x 4".
std::string to_string(Shape shape);

}  // namespace terrace::graph
