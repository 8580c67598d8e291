#include "stages/dp_table/bounded/way.hpp"

#include <algorithm>

#include "pipeline/base/rounding.hpp"

namespace terrace::stages {

BoundedWay::BoundedWay(std::int64_t groups, WaySizes sizes) : groups_(groups), sizes_(sizes) {
  if (sizes_.levels == 0) sizes_.leaf = std::max<std::int64_t>(1, groups);
}

std::int64_t BoundedWay::leaves() const { return ceiling(groups_, sizes_.leaf); }

std::int64_t BoundedWay::most_saved() const {
  if (sizes_.levels == 0) return 0;
  return std::min(leaves(), (sizes_.parts - 1) * sizes_.levels - 1);
}

BoundedWay::Division BoundedWay::division(std::int64_t groups, int level) const {
  std::int64_t part = sizes_.leaf;
  for (std::int64_t below = level + 1; below < sizes_.levels && part < groups; ++below) part *= sizes_.parts;
  const std::int64_t parts = ceiling(groups, part);
  return {part, parts, groups - (parts - 1) * part};
}

/// Elements are stored before each part but the first one, and before the last one only if it is divided.
std::int64_t BoundedWay::forward_steps(const Division& division) const {
  if (division.parts == 1) return 0;
  return (division.parts - 1) * (division.part + 1) - (division.last > sizes_.leaf ? 0 : 1);
}

BoundedWay::Count BoundedWay::count(std::int64_t groups, int level) const {
  if (is_leaf(groups, level)) return {2 * groups, groups};
  const Division to = division(groups, level);
  const Count last = count(to.last, level + 1);
  if (to.parts == 1) return last;
  const Count part = count(to.part, level + 1);
  const std::int64_t others = to.parts - 1;
  return {forward_steps(to) + last.steps + others * (1 + part.steps),
          others * to.part + last.made + others * (1 + part.made)};
}

std::int64_t BoundedWay::steps_before_walk() const {
  std::int64_t groups = groups_, steps = 0;
  for (int level = 0; !is_leaf(groups, level); ++level) {
    const Division to = division(groups, level);
    steps += forward_steps(to);
    groups = to.last;
  }
  return steps + groups;
}

WayStep BoundedWay::step(std::int64_t number) const {
  std::int64_t first = 0, groups = groups_, made = 1;
  for (int level = 0; !is_leaf(groups, level); ++level) {
    const Division to = division(groups, level);
    const std::int64_t forward = forward_steps(to);
    if (number < forward) {
      const std::int64_t part = number / (to.part + 1), rest = number % (to.part + 1);
      const WayWork work = rest == to.part ? WayWork::save : WayWork::passes;
      return {work, first + part * to.part + rest, made + part * to.part + rest, false, false};
    }
    number -= forward;
    made += (to.parts - 1) * to.part;
    const Count last = count(to.last, level + 1);
    if (number < last.steps) {
      first += (to.parts - 1) * to.part;
      groups = to.last;
      continue;
    }
    number -= last.steps;
    made += last.made;
    // The other parts, from the last to the first.
    const Count part = count(to.part, level + 1);
    const std::int64_t turn = number / (1 + part.steps);
    number %= 1 + part.steps;
    made += turn * (1 + part.made);
    first += (to.parts - 2 - turn) * to.part;
    groups = to.part;
    if (number-- == 0) return {WayWork::restore, first, made, false, is_leaf(groups, level + 1)};
    ++made;
  }
  if (number < groups) return {WayWork::passes, first + number, made + number, true, false};
  return {WayWork::walk, first + 2 * groups - 1 - number, made + groups, false, false};
}

}  // namespace terrace::stages
