#include "kernels/graph/reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "kernels/formula/evaluate.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operators.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {
namespace {

/// An array with its boundary.
template <class T>
struct Bounded {
  const Array<T>& array;
  const NodeSettings& settings;

  /// Goes back into the array step by step; false: the value outside is meant.
  bool enter(i64& index, i64 extent) const {
    while (index < 0 || index >= extent) {
      const bool is_below = index < 0;
      switch (settings.boundary) {
        case Boundary::value:
          return false;
        case Boundary::edge:
          index = is_below ? 0 : extent - 1;
          break;
        case Boundary::periodic:
          index += is_below ? extent : -extent;
          break;
        case Boundary::symmetric:
          index = is_below ? -1 - index : 2 * extent - 1 - index;
          break;
        case Boundary::reflect:
          index = extent == 1 ? 0 : is_below ? -index : 2 * extent - 2 - index;
          break;
      }
    }
    return true;
  }
  T operator()(i64 i, i64 j) const {
    if (!enter(i, array.shape.rows) || !enter(j, array.shape.columns)) return static_cast<T>(settings.boundary_value);
    return array.at(i, j);
  }
};

template <class T>
T stencil_at(const NodeSettings& settings, const Bounded<T>& x, i64 i, i64 j) {
  const i64 height = 2 * settings.row_radius + 1, width = 2 * settings.column_radius + 1;
  const auto number = [&](i64 at) { return static_cast<T>(settings.numbers[static_cast<std::size_t>(at)]); };
  T all = 0;
  for (i64 a = 0; a < height; ++a) {
    T row = 0;
    for (i64 b = 0; b < width; ++b) {
      const T value = x(i + a - settings.row_radius, j + b - settings.column_radius);
      if (settings.is_separable) {
        const T term = number(height + b) * value;
        row = b == 0 ? term : row + term;
      } else {
        const T term = number(a * width + b) * value;
        all = a == 0 && b == 0 ? term : all + term;
      }
    }
    if (!settings.is_separable) continue;
    const T term = number(a) * row;
    all = a == 0 ? term : all + term;
  }
  return all;
}

template <class T>
T box_at(i64 radius, const Bounded<T>& x, i64 i, i64 j) {
  T all = 0;
  for (i64 a = -radius; a <= radius; ++a) {
    T row = x(i + a, j - radius);
    for (i64 b = 1 - radius; b <= radius; ++b) row = row + x(i + a, j + b);
    all = a == -radius ? row : all + row;
  }
  return all;
}

template <class T>
T sobel_at(int axis, const Bounded<T>& x, i64 i, i64 j) {
  T differences[3];
  for (i64 at = -1; at <= 1; ++at) {
    differences[at + 1] = axis == 1 ? x(i + at, j + 1) - x(i + at, j - 1) : x(i + 1, j + at) - x(i - 1, j + at);
  }
  return (differences[0] + 2 * differences[1] + differences[2]) / 8;
}

template <class T>
T pyramid_down_at(const Bounded<T>& x, i64 i, i64 j) {
  constexpr T weights[5] = {1, 4, 6, 4, 1};
  T all = 0;
  for (i64 a = 0; a < 5; ++a) {
    T row = x(2 * i + a - 2, 2 * j - 2);
    for (i64 b = 1; b < 5; ++b) row = row + weights[b] * x(2 * i + a - 2, 2 * j + b - 2);
    all = a == 0 ? row : all + weights[a] * row;
  }
  return all / 256;
}

/// The sum of the values at the even places of five around `index` of an array with zeros between its values.
template <class T, class At>
T spread_at(i64 index, const At& at) {
  if (index % 2 != 0) return 4 * (at((index - 1) / 2) + at((index + 1) / 2));
  return at(index / 2 - 1) + 6 * at(index / 2) + at(index / 2 + 1);
}

/// Bilinear: t00, t10 (the next column), t01, t11.
template <class T>
T bilinear(const Bounded<T>& x, T row, T column) {
  const T whole_row = std::trunc(row), whole_column = std::trunc(column);
  const T dy = std::abs(row - whole_row), dx = std::abs(column - whole_column);
  const auto inside = [](T whole, i64 n) {
    auto k = static_cast<i64>(whole);
    if (k < 0) k = -k - 1;
    if (k >= n) k = 2 * n - 1 - k;
    return k;
  };
  const i64 i = inside(whole_row, x.array.shape.rows), j = inside(whole_column, x.array.shape.columns);
  T sum = x(i, j) * (1 - dx) * (1 - dy);
  sum += x(i, j + 1) * dx * (1 - dy);
  sum += x(i + 1, j) * (1 - dx) * dy;
  sum += x(i + 1, j + 1) * dx * dy;
  return sum;
}

template <class T>
T warped_at(const std::vector<const Array<T>*>& operands, i64 i, i64 j) {
  const Shape shape = operands[0]->shape;
  const auto clamped = [](T at, i64 n) { return std::clamp(at, static_cast<T>(1 - n), static_cast<T>(2 * n - 2)); };
  for (const std::size_t by : {1, 2}) {
    if (std::isnan(operands[by]->at(i, j))) return std::numeric_limits<T>::quiet_NaN();
  }
  const NodeSettings mirrored;
  return bilinear({*operands[0], mirrored}, clamped(static_cast<T>(i) + operands[2]->at(i, j), shape.rows),
                  clamped(static_cast<T>(j) + operands[1]->at(i, j), shape.columns));
}

template <class T>
T formula_at(const Node& node, const std::vector<const Array<T>*>& operands, i64 i, i64 j) {
  const formula::Formula& cells = node.settings.formula->cells;
  std::vector<formula::CellValue> values;
  const auto leaf = [&](const formula::Node& one) -> formula::CellValue {
    const bool along_rows = one.number == 0;
    if (one.operation == formula::Operation::index) return {0, (along_rows ? i : j) + one.offset[0]};
    if (one.operation == formula::Operation::extent) return {0, along_rows ? node.shape.rows : node.shape.columns};
    const Bounded<T> x{*operands[static_cast<std::size_t>(one.number)], node.settings};
    return {x(i + one.offset[0], j + one.offset[1]), 0};
  };
  formula::evaluate(cells, leaf, values);
  return static_cast<T>(values[static_cast<std::size_t>(cells.results().front())].real);
}

template <class T>
T cell_as_defined(const Node& node, const std::vector<const Array<T>*>& operands, i64 i, i64 j) {
  const std::string_view name = operators()[static_cast<std::size_t>(node.op)].name;
  const NodeSettings& settings = node.settings;
  const Bounded<T> x{*operands[0], settings};
  const auto number = [&](std::size_t at) { return static_cast<T>(settings.numbers[at]); };
  const auto at = [&](std::size_t operand) { return operands[operand]->at(i, j); };
  if (name == "add") return at(0) + at(1);
  if (name == "subtract") return at(0) - at(1);
  if (name == "product") return at(0) * at(1);
  if (name == "scale") return at(0) * number(0) + number(1);
  if (name == "mix") return at(0) * (1 - at(2)) + at(1) * at(2);
  if (name == "threshold") return at(0) < number(0) ? 0 : at(0);
  if (name == "harris") {
    const T trace = at(0) + at(2);
    return at(0) * at(2) - at(1) * at(1) - number(0) * (trace * trace);
  }
  if (name == "stencil") return stencil_at(settings, x, i, j);
  if (name == "sobel") return sobel_at(settings.axis, x, i, j);
  if (name == "box_sum") return box_at(settings.row_radius, x, i, j);
  if (name == "downscale") {
    return (x(2 * i, 2 * j) + x(2 * i + 1, 2 * j) + x(2 * i, 2 * j + 1) + x(2 * i + 1, 2 * j + 1)) / 4;
  }
  if (name == "upscale") {
    return bilinear(x, (static_cast<T>(i) - T(0.5)) / 2, (static_cast<T>(j) - T(0.5)) / 2);
  }
  if (name == "pyramid_down") return pyramid_down_at(x, i, j);
  if (name == "pyramid_up") {
    const auto row = [&](i64 at_row) { return spread_at<T>(j, [&](i64 column) { return x(at_row, column); }); };
    return spread_at<T>(i, row) / 64;
  }
  if (name == "peaks") {
    for (i64 a = -1; a <= 1; ++a) {
      for (i64 b = -1; b <= 1; ++b) {
        if (x(i + a, j + b) > at(0)) return 0;
      }
    }
    return at(0);
  }
  if (name == "warp") return warped_at(operands, i, j);
  if (name == "constant") return number(0);
  if (name == "formula") return formula_at(node, operands, i, j);
  throw Error("operator " + std::string(name) + " has no definition");
}

template <class T>
Array<T> iteration_as_defined(const Node& node, const std::vector<const Array<T>*>& operands) {
  const Iteration& iteration = *node.settings.iteration;
  std::vector<Array<T>> inputs;
  inputs.reserve(operands.size());
  for (const Array<T>* operand : operands) inputs.push_back(*operand);
  for (i64 step = 0; step < iteration.times; ++step) {
    const std::vector<Array<T>> all = compute_as_defined(iteration.body, inputs);
    for (std::size_t state = 0; state < iteration.states(); ++state) {
      inputs[state] = all[static_cast<std::size_t>(iteration.next[state])];
    }
  }
  return inputs[static_cast<std::size_t>(node.settings.state)];
}

}  // namespace

template <class T>
Array<T> node_as_defined(const Node& node, const std::vector<const Array<T>*>& operands) {
  if (node.settings.iteration) return iteration_as_defined(node, operands);
  Array<T> made = cells_as_defined(node, operands, Cells::of({{0, node.shape.rows}, {0, node.shape.columns}}));
  made.part.reset();
  return made;
}

template <class T>
Array<T> cells_as_defined(const Node& node, const std::vector<const Array<T>*>& operands, const Cells& cells) {
  Array<T> made{node.shape, {}, cells};
  made.values.reserve(static_cast<std::size_t>(cells.count()));
  for (const Range& rows : cells.rows.ranges()) {
    for (i64 i = rows.begin; i < rows.end; ++i) {
      for (const Range& columns : cells.columns.ranges()) {
        for (i64 j = columns.begin; j < columns.end; ++j) {
          made.values.push_back(cell_as_defined(node, operands, i, j));
        }
      }
    }
  }
  return made;
}

template <class T>
std::vector<Array<T>> compute_as_defined(const Graph& graph, std::vector<Array<T>> inputs) {
  std::vector<Array<T>> all = std::move(inputs);
  all.reserve(static_cast<std::size_t>(graph.values()));
  for (const Node& node : graph.nodes) {
    std::vector<const Array<T>*> operands;
    for (const int operand : node.operands) operands.push_back(&all[static_cast<std::size_t>(operand)]);
    all.push_back(node_as_defined(node, operands));
  }
  return all;
}

template Array<float> cells_as_defined(const Node&, const std::vector<const Array<float>*>&, const Cells&);
template Array<double> cells_as_defined(const Node&, const std::vector<const Array<double>*>&, const Cells&);
template Array<float> node_as_defined(const Node&, const std::vector<const Array<float>*>&);
template Array<double> node_as_defined(const Node&, const std::vector<const Array<double>*>&);
template std::vector<Array<float>> compute_as_defined(const Graph&, std::vector<Array<float>>);
template std::vector<Array<double>> compute_as_defined(const Graph&, std::vector<Array<double>>);

}  // namespace terrace::graph
