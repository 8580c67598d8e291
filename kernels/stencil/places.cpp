#include "kernels/stencil/places.hpp"

#include <algorithm>
#include <optional>

namespace terrace::stencil {
namespace {

using formula::Bounds;
using formula::Formula;
using formula::Node;
using formula::Operation;
using formula::Type;
using formula::Wide;

constexpr Bounds any_step{0, Wide{1} << 62};

/// What is known of the values of nodes in a part of a grid.
class Knowledge {
 public:
  Knowledge(const Formula& cells, const GridPart& part) {
    for (const Node& node : cells.nodes()) bounds_.push_back(bounds_of(cells, node, part));
  }
  /// The value of a condition, if it is the same in all cells.
  std::optional<bool> condition(int node) const {
    const auto& bounds = bounds_[static_cast<std::size_t>(node)];
    if (!bounds || bounds->least != bounds->most) return std::nullopt;
    return bounds->least != 0;
  }

 private:
  /// Nothing for real numbers, and for whole ones of which nothing is known.
  std::optional<Bounds> bounds_of(const Formula& cells, const Node& node, const GridPart& part) const {
    const auto axis = static_cast<std::size_t>(node.number);
    const auto of = [&](std::size_t operand) { return bounds_[static_cast<std::size_t>(node.operands[operand])]; };
    if (formula::is_real(node.type)) return std::nullopt;
    switch (node.operation) {
      case Operation::constant:
        return Bounds{node.whole, node.whole};
      case Operation::index:
        return Bounds{part.first[axis] + node.offset[0], part.last[axis] + node.offset[0]};
      case Operation::extent:
        return Bounds{part.extents[axis], part.extents[axis]};
      case Operation::step:
        return any_step;
      default:
        break;
    }
    for (std::size_t n = 0; n < static_cast<std::size_t>(node.operand_count()); ++n) {
      if (!of(n)) return of_unknown(node, of(0));
    }
    if (formula::is_real(cells[node.operands[0]].type)) return Bounds{0, 1};
    return bounds_of_known(node, *of(0), node.operand_count() > 1 ? *of(1) : Bounds{0, 0},
                           node.operand_count() > 2 ? *of(2) : Bounds{0, 0});
  }
  /// Of an operation on values of which one is not known.
  std::optional<Bounds> of_unknown(const Node& node, const std::optional<Bounds>& first) const {
    if (node.type != Type::boolean) return std::nullopt;
    // false && x, true || x, in either order
    if (node.operation == Operation::both || node.operation == Operation::either) {
      const Wide decides = node.operation == Operation::either ? 1 : 0;
      const auto second = bounds_[static_cast<std::size_t>(node.operands[1])];
      for (const auto& side : {first, second}) {
        if (side && side->least == decides && side->most == decides) return Bounds{decides, decides};
      }
    }
    return Bounds{0, 1};
  }
  static Bounds truth(bool always, bool never) { return {always ? 1 : 0, never ? 0 : 1}; }
  static std::optional<Bounds> bounds_of_known(const Node& node, const Bounds& a, const Bounds& b, const Bounds& c) {
    switch (node.operation) {
      case Operation::negate:
        return Bounds{-a.most, -a.least};
      case Operation::add:
        return Bounds{a.least + b.least, a.most + b.most};
      case Operation::subtract:
        return Bounds{a.least - b.most, a.most - b.least};
      case Operation::multiply: {
        const Wide corners[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
        Bounds all{corners[0], corners[0]};
        for (const Wide corner : corners) {
          all = {corner < all.least ? corner : all.least, all.most < corner ? corner : all.most};
        }
        return all;
      }
      case Operation::divide:
      case Operation::remainder:
        if (a.least != a.most || b.least != b.most || b.least == 0) return std::nullopt;
        return node.operation == Operation::divide ? Bounds{a.least / b.least, a.least / b.least}
                                                   : Bounds{a.least % b.least, a.least % b.least};
      case Operation::equal:
        return truth(a.least == a.most && b.least == b.most && a.least == b.least,
                     a.most < b.least || b.most < a.least);
      case Operation::not_equal:
        return truth(a.most < b.least || b.most < a.least,
                     a.least == a.most && b.least == b.most && a.least == b.least);
      case Operation::less:
        return truth(a.most < b.least, a.least >= b.most);
      case Operation::less_equal:
        return truth(a.most <= b.least, a.least > b.most);
      case Operation::both:
        return Bounds{a.least * b.least, a.most * b.most};
      case Operation::either:
        return Bounds{a.least + b.least > 0 ? 1 : 0, a.most + b.most > 0 ? 1 : 0};
      case Operation::inverse:
        return Bounds{1 - a.most, 1 - a.least};
      case Operation::convert:
        return a;
      case Operation::choose:
        if (a.least == a.most) return a.least != 0 ? b : c;
        return Bounds{b.least < c.least ? b.least : c.least, b.most < c.most ? c.most : b.most};
      default:
        return std::nullopt;
    }
  }

  std::vector<std::optional<Bounds>> bounds_;
};

/// Copies what is left of a formula.
class Decider {
 public:
  Decider(const Formula& cells, const GridPart& part)
      : cells_(cells), known_(cells, part), place_(cells.nodes().size(), -1), used_(cells.nodes().size(), false) {}

  Formula all() {
    for (const int result : cells_.results()) decided_.add_result(copy(result));
    return std::move(decided_);
  }
  const std::vector<bool>& used() const { return used_; }

 private:
  int copy(int number) {
    int& place = place_[static_cast<std::size_t>(number)];
    if (place >= 0) return place;
    used_[static_cast<std::size_t>(number)] = true;
    Node node = cells_[number];
    if (node.type == Type::boolean && node.operation != Operation::constant) {
      if (const auto value = known_.condition(number)) {
        Node constant{Operation::constant, Type::boolean};
        constant.whole = *value ? 1 : 0;
        constant.at = node.at;
        return place = decided_.add(constant);
      }
    }
    if (node.operation == Operation::choose) {
      if (const auto value = known_.condition(node.operands[0])) return place = copy(node.operands[*value ? 1 : 2]);
    }
    // One side of && that holds, or of || that does not, is as if it were not there.
    if (node.operation == Operation::both || node.operation == Operation::either) {
      for (std::size_t side = 0; side < 2; ++side) {
        if (known_.condition(node.operands[side])) return place = copy(node.operands[1 - side]);
      }
    }
    for (int& operand : node.operands) {
      if (operand >= 0) operand = copy(operand);
    }
    return place = decided_.add(node);
  }

  const Formula& cells_;
  Knowledge known_;
  std::vector<int> place_;
  std::vector<bool> used_;
  Formula decided_;
};

bool has_axis(const StencilSpec& spec, std::size_t axis) {
  return axis == 0 || (axis == 1 ? spec.rank == 3 : spec.rank >= 2);
}

/// The parts of an axis: single cells near its ends, and those between.
std::vector<std::pair<i64, i64>> ranges_of(const StencilSpec& spec, std::size_t axis) {
  const i64 extent = spec.extents[axis], reach = has_axis(spec, axis) ? spec.radius : 0;
  std::vector<std::pair<i64, i64>> ranges;
  for (i64 index = 0; index < std::min(reach, extent); ++index) ranges.emplace_back(index, index);
  if (extent > 2 * reach) ranges.emplace_back(reach, extent - reach - 1);
  for (i64 index = std::max(reach, extent - reach); index < extent; ++index) ranges.emplace_back(index, index);
  return ranges;
}

}  // namespace

GridPart inner_part(const StencilSpec& spec) {
  GridPart part{{0, 0, 0}, {0, 0, 0}, spec.extents};
  for (std::size_t axis = 0; axis < most_rank; ++axis) {
    const i64 reach = has_axis(spec, axis) ? spec.radius : 0;
    part.first[axis] = reach;
    part.last[axis] = std::max(reach, spec.extents[axis] - reach - 1);
  }
  return part;
}

std::vector<GridPart> parts_of(const StencilSpec& spec) {
  std::vector<GridPart> parts;
  for (const auto& rows : ranges_of(spec, 0)) {
    for (const auto& middles : ranges_of(spec, 1)) {
      for (const auto& lasts : ranges_of(spec, 2)) {
        parts.push_back(
            {{rows.first, middles.first, lasts.first}, {rows.second, middles.second, lasts.second}, spec.extents});
      }
    }
  }
  return parts;
}

Formula decided(const Formula& cells, const GridPart& part, std::vector<bool>* used) {
  Decider decider(cells, part);
  Formula all = decider.all();
  if (used != nullptr) *used = decider.used();
  return all;
}

bool reads_inside(const Formula& cells, int fields, const GridPart& part) {
  return std::all_of(cells.nodes().begin(), cells.nodes().end(), [&](const Node& node) {
    if (node.operation != Operation::read || node.number >= fields) return true;
    for (std::size_t axis = 0; axis < most_rank; ++axis) {
      if (part.first[axis] + node.offset[axis] < 0) return false;
      if (part.last[axis] + node.offset[axis] >= part.extents[axis]) return false;
    }
    return true;
  });
}

bool know_distances_alone(const Formula& cells, const StencilSpec& spec) {
  const auto parts = parts_of(spec);
  return std::all_of(parts.begin(), parts.end(), [&](const GridPart& part) {
    GridPart known = part;
    for (std::size_t axis = 0; axis < most_rank; ++axis) {
      if (!has_axis(spec, axis)) continue;
      const bool low = part.first[axis] == 0, high = part.last[axis] + 1 == part.extents[axis];
      known.extents[axis] = low && high ? 1 : 3;
      known.first[axis] = known.last[axis] = low ? 0 : high ? 2 : 1;
    }
    const Formula here = decided(cells, part);
    const auto depends = [](const Node& node) {
      return node.operation == Operation::index || node.operation == Operation::extent;
    };
    return std::none_of(here.nodes().begin(), here.nodes().end(), depends) &&
           here.canonical() == decided(cells, known).canonical();
  });
}

}  // namespace terrace::stencil
