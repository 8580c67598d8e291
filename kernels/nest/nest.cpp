#include "kernels/nest/nest.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace terrace::nest {

formula::Bounds bounds_of(ElementType type) {
  return dispatch(type, [](auto value) {
    using T = decltype(value);
    if constexpr (std::is_floating_point_v<T>) {
      return formula::Bounds{0, 0};
    } else {
      constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
      constexpr auto most_i64 = static_cast<std::uint64_t>(std::numeric_limits<i64>::max());
      return formula::Bounds{static_cast<i64>(std::numeric_limits<T>::lowest()),
                             static_cast<i64>(std::min(most, most_i64))};
    }
  });
}

bool is_empty(const Ranges& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [](const Range& range) { return range.size() <= 0; });
}

Ranges intersection(const Ranges& a, const Ranges& b) {
  Ranges both(a.size());
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    both[axis].begin = std::max(a[axis].begin, b[axis].begin);
    both[axis].end = std::max(both[axis].begin, std::min(a[axis].end, b[axis].end));
  }
  return both;
}

bool holds(const Ranges& outer, const Ranges& inner) {
  if (is_empty(inner)) return true;
  for (std::size_t axis = 0; axis < inner.size(); ++axis) {
    if (inner[axis].begin < outer[axis].begin || inner[axis].end > outer[axis].end) return false;
  }
  return true;
}

Point first_point(const Ranges& box) {
  Point at{};
  for (std::size_t axis = 0; axis < box.size(); ++axis) at[axis] = box[axis].begin;
  return at;
}

bool step(const Ranges& box, std::size_t axes, Point& at) {
  for (std::size_t axis = axes; axis-- > 0;) {
    if (++at[axis] < box[axis].end) return true;
    at[axis] = box[axis].begin;
  }
  return false;
}

std::vector<Ranges> difference(const Ranges& a, const Ranges& b) {
  if (is_empty(a)) return {};
  if (is_empty(intersection(a, b))) return {a};
  std::vector<Ranges> parts;
  Ranges rest = a;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (rest[axis].begin < b[axis].begin) {
      parts.push_back(rest);
      parts.back()[axis].end = b[axis].begin;
      rest[axis].begin = b[axis].begin;
    }
    if (rest[axis].end > b[axis].end) {
      parts.push_back(rest);
      parts.back()[axis].begin = b[axis].end;
      rest[axis].end = b[axis].end;
    }
  }
  return parts;
}

std::string to_string(const Ranges& ranges) {
  std::string text;
  for (const Range& range : ranges) {
    text += text.empty() ? "" : " x ";
    text.append("[").append(std::to_string(range.begin)).append(", ");
    text.append(std::to_string(range.end)).append(")");
  }
  return text;
}

Ranges Statement::elements(std::size_t first_loop, const std::vector<i64>& at) const {
  Ranges all;
  for (std::size_t axis = 0; axis < at.size(); ++axis) all.push_back(box[first_loop + axis].shifted(at[axis]));
  return all;
}

Ranges Nest::ranges() const {
  Ranges all;
  for (const Loop& loop : loops) all.push_back(loop.range);
  return all;
}

bool Nest::is_equations() const {
  return std::all_of(arrays.begin(), arrays.end(), [](const Array& array) { return array.first_loop == 0; });
}

double Nest::cells() const {
  double all = 0;
  for (const Statement& statement : statements) {
    double cells = 1;
    for (const Range& range : statement.box) cells *= static_cast<double>(range.size());
    all += cells;
  }
  return all;
}

std::string Nest::in_words(const Access& access) const {
  const auto at = static_cast<std::size_t>(access.array);
  std::string text = access.is_input ? inputs[at].name : arrays[at].name;
  for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
    const i64 offset = access.offset[axis];
    const bool has_loop = access.loops[axis] >= 0;
    text += "[";
    if (has_loop) text += loops[static_cast<std::size_t>(access.loops[axis])].name;
    if (!has_loop || offset != 0) text += (has_loop && offset > 0 ? "+" : "") + std::to_string(offset);
    text += "]";
  }
  return text;
}

std::string Nest::element_in_words(const Statement& statement, const Point& at) const {
  const Array& array = arrays[static_cast<std::size_t>(statement.array)];
  std::string text = array.name;
  for (std::size_t axis = 0; axis < statement.offset.size(); ++axis) {
    text.append("[").append(std::to_string(at[array.first_loop + axis] + statement.offset[axis])).append("]");
  }
  return text;
}

std::string Nest::canonical() const {
  std::string text = order == Order::statements ? "statements" : "cells";
  for (const Loop& loop : loops) text += " " + to_string(Ranges{loop.range});
  text += '\n';
  for (const Array& array : arrays) {
    text.append("array ").append(name_of(array.type)).append(" ").append(std::to_string(array.first_loop));
    text.append(" ").append(std::to_string(array.from)).append(" ").append(to_string(array.box)).append("\n");
    if (array.outside) text += array.outside->canonical();
  }
  for (const Access& access : accesses) {
    text.append("access ").append(access.is_input ? "input " : "array ").append(std::to_string(access.array));
    for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
      text.append(" ").append(std::to_string(access.loops[axis])).append(":");
      text.append(std::to_string(access.offset[axis]));
    }
    text += '\n';
  }
  for (const Statement& statement : statements) {
    text.append("statement ").append(std::to_string(statement.array));
    for (const i64 offset : statement.offset) text.append(" ").append(std::to_string(offset));
    text.append(" ").append(to_string(statement.box)).append("\n").append(statement.value.canonical());
  }
  return text;
}

}  // namespace terrace::nest
