#include "kernels/stencil/cuda/planes/written_parts.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/stencil/cuda/common/choice.hpp"
#include "kernels/stencil/cuda/common/formula_arrays.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {
namespace {

using formula::Formula;
using formula::Node;
using formula::Operation;
using formula::Type;

/// More values of a cell than any level keeps.
constexpr int too_many = 16;

/// Ways through a network, each of one unit, no more through an edge than it takes.
class Flow {
 public:
  static constexpr int any = 1 << 30;

  explicit Flow(std::size_t points) : edges_of_(points) {}

  void add_edge(std::size_t from, std::size_t to, int most) {
    edges_of_[from].push_back(edges_.size());
    edges_.push_back({to, most});
    edges_of_[to].push_back(edges_.size());
    edges_.push_back({from, 0});
  }
  /// Adds a way. @return false if there is none
  bool add_way(std::size_t from, std::size_t to) {
    std::vector<std::size_t> by(edges_of_.size(), edges_.size()), points{from};
    for (std::size_t n = 0; n < points.size() && by[to] == edges_.size(); ++n) {
      for (const std::size_t edge : edges_of_[points[n]]) {
        const std::size_t next = edges_[edge].to;
        if (edges_[edge].left == 0 || next == from || by[next] != edges_.size()) continue;
        by[next] = edge;
        points.push_back(next);
      }
    }
    if (by[to] == edges_.size()) return false;
    for (std::size_t point = to; point != from; point = edges_[by[point] ^ 1].to) {
      --edges_[by[point]].left;
      ++edges_[by[point] ^ 1].left;
    }
    return true;
  }
  /// The points from which more could go to `to`.
  std::vector<bool> reaching(std::size_t to) const {
    std::vector<bool> reaches(edges_of_.size(), false);
    std::vector<std::size_t> points{to};
    reaches[to] = true;
    while (!points.empty()) {
      const std::size_t point = points.back();
      points.pop_back();
      for (const std::size_t edge : edges_of_[point]) {
        const std::size_t before = edges_[edge].to;
        if (edges_[edge ^ 1].left == 0 || reaches[before]) continue;
        reaches[before] = true;
        points.push_back(before);
      }
    }
    return reaches;
  }

 private:
  struct Edge {  // the one with the other direction has the number ^ 1
    std::size_t to;
    int left;
  };
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> edges_of_;
};

/// The cells that nodes depend on.
struct Depends {
  std::vector<bool> on_below;   // on a cell of the plane below
  std::vector<bool> on_others;  // on none of these, but on others than the cell's own: `begin` alone reads them

  explicit Depends(const Formula& cells) : on_below(cells.nodes().size()), on_others(cells.nodes().size()) {
    for (std::size_t n = 0; n < cells.nodes().size(); ++n) {
      const Node& node = cells.nodes()[n];
      bool below = false, others = false;
      if (node.operation == Operation::read) {
        below = node.offset[0] > 0;
        others = node.offset != decltype(node.offset){};
      }
      for (int o = 0; o < node.operand_count(); ++o) {
        const auto operand = static_cast<std::size_t>(node.operands[static_cast<std::size_t>(o)]);
        below = below || on_below[operand];
        others = others || on_others[operand];
      }
      on_below[n] = below;
      on_others[n] = others && !below;
    }
  }
};

/// The values to hand on: a least set of nodes on all ways from what `begin` alone reads to what `end` makes; of all
/// such sets the one with which `begin` makes most. too_many of them stand for any number of as many or more.
std::vector<int> least_handed(const Formula& cells, Type type) {
  const Depends depends(cells);
  const std::size_t count = cells.nodes().size(), source = 2 * count, sink = source + 1;
  Flow flow(sink + 1);  // each node has two points: its value is taken from the second
  const auto want = [&](int node) {
    const auto n = static_cast<std::size_t>(node);
    if (depends.on_others[n]) flow.add_edge(2 * n + 1, sink, Flow::any);
  };
  for (std::size_t n = 0; n < count; ++n) {
    const Node& node = cells.nodes()[n];
    if (depends.on_others[n]) {
      const bool can_be_handed = node.type == type || node.type == Type::boolean;
      flow.add_edge(2 * n, 2 * n + 1, can_be_handed ? 1 : Flow::any);
      if (node.operation == Operation::read) flow.add_edge(source, 2 * n, Flow::any);
    }
    for (int o = 0; o < node.operand_count(); ++o) {
      const int operand = node.operands[static_cast<std::size_t>(o)];
      if (depends.on_below[n]) want(operand);
      else if (depends.on_others[static_cast<std::size_t>(operand)])
        flow.add_edge(2 * static_cast<std::size_t>(operand) + 1, 2 * n, Flow::any);
    }
  }
  for (const int result : cells.results()) want(result);
  for (int ways = 0; flow.add_way(source, sink);) {
    if (++ways == too_many) return std::vector<int>(too_many);
  }
  const std::vector<bool> reaches = flow.reaching(sink);
  std::vector<int> handed;
  for (std::size_t n = 0; n < count; ++n) {
    if (depends.on_others[n] && reaches[2 * n + 1] && !reaches[2 * n]) handed.push_back(static_cast<int>(n));
  }
  return handed;
}

/// The nodes that are needed to make some, in their order. @param given nodes that are there already
std::vector<int> needed(const Formula& cells, const std::vector<int>& made, const std::vector<int>& given) {
  std::vector<bool> is_needed(cells.nodes().size(), false), is_given(cells.nodes().size(), false);
  for (const int node : given) is_given[static_cast<std::size_t>(node)] = true;
  for (const int node : made) is_needed[static_cast<std::size_t>(node)] = true;
  for (std::size_t n = is_needed.size(); n-- > 0;) {
    if (!is_needed[n] || is_given[n]) continue;
    for (const int operand : cells.nodes()[n].operands) {
      if (operand >= 0) is_needed[static_cast<std::size_t>(operand)] = true;
    }
  }
  std::vector<int> nodes;
  for (std::size_t n = 0; n < is_needed.size(); ++n) {
    if (is_needed[n] && !is_given[n]) nodes.push_back(static_cast<int>(n));
  }
  return nodes;
}

/// True if formulas read what parts have; how many values of a cell they need is another matter.
bool may_have_parts(const StencilSpec& spec) {
  const Written& written = *spec.written;
  if (spec.rank != 3 || spec.radius != 1 || spec.fields() > 2) return false;
  if (formula_arrays(spec) > 0 || depends_on_place(written)) return false;
  if (!std::ranges::all_of(spec.faces, keeps_or_wraps)) return false;
  return std::ranges::none_of(written.cells.nodes(), [](const Node& node) {
    const bool beside = node.offset[1] != 0 || node.offset[2] != 0;
    return node.operation == Operation::read && node.offset[0] != 0 && beside;
  });
}

}  // namespace

PlaneParts plane_parts(const StencilSpec& spec) {
  PlaneParts parts;
  if (!may_have_parts(spec)) return parts;
  const Formula& cells = spec.written->cells;
  parts.fields = spec.fields();
  parts.handed = least_handed(cells, spec.value == ElementType::f32 ? Type::f32 : Type::f64);
  parts.sizes = measured::CudaVolume::part_sizes(parts.fields, static_cast<int>(parts.handed.size()),
                                                 static_cast<int>(size_of(spec.value)));
  parts.fit = parts.sizes.levels > 0;
  if (!parts.fit) return parts;
  parts.begin = needed(cells, parts.handed, {});
  parts.end = needed(cells, cells.results(), parts.handed);
  for (const int n : parts.begin) {
    const Node& node = cells[n];
    if (node.operation != Operation::read || (node.offset[1] == 0 && node.offset[2] == 0)) continue;
    parts.near |= 1u << node.number;
    parts.corners = parts.corners || (node.offset[1] != 0 && node.offset[2] != 0);
  }
  return parts;
}

}  // namespace terrace::stencil
