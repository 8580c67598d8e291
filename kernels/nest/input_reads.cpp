#include "kernels/nest/input_reads.hpp"

#include <algorithm>

namespace terrace::nest {

namespace {

Box empty_box(std::size_t rank) {
  return {Extents::filled(static_cast<int>(rank), 0), Extents::filled(static_cast<int>(rank), 0)};
}

void unite(Box& box, const Ranges& ranges) {
  if (is_empty(ranges)) return;
  const bool is_first = volume(box.shape()) == 0;
  for (std::size_t n = 0; n < ranges.size(); ++n) {
    const int axis = static_cast<int>(n);
    box.begin[axis] = is_first ? ranges[n].begin : std::min<std::int64_t>(box.begin[axis], ranges[n].begin);
    box.end[axis] = is_first ? ranges[n].end : std::max<std::int64_t>(box.end[axis], ranges[n].end);
  }
}

Ranges whole_of(const Input& input) {
  Ranges all;
  for (const i64 extent : input.shape) all.push_back({0, extent});
  return all;
}

}  // namespace

std::vector<Box> InputReads::none() const {
  std::vector<Box> boxes;
  for (const Input& one : nest_.inputs) boxes.push_back(empty_box(one.shape.size()));
  return boxes;
}

void InputReads::read_whole(int number, std::vector<Box>& boxes) const {
  unite(boxes[static_cast<std::size_t>(number)], whole_of(nest_.inputs[static_cast<std::size_t>(number)]));
}

void InputReads::read_access(const Access& access, const Ranges& loops, std::vector<Box>& boxes) const {
  Ranges read;
  for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
    Range range{0, 1};
    if (access.loops[axis] >= 0) range = loops[static_cast<std::size_t>(access.loops[axis])];
    read.push_back(range.shifted(access.offset[axis]));
  }
  const auto number = static_cast<std::size_t>(access.array);
  unite(boxes[number], intersection(read, whole_of(nest_.inputs[number])));
}

void InputReads::read_first(int number, const Ranges& elements, std::vector<Box>& boxes) const {
  const Array& array = nest_.arrays[static_cast<std::size_t>(number)];
  if (is_empty(elements)) return;
  if (array.from >= 0) {
    const auto at = static_cast<std::size_t>(array.from);
    const Ranges own(elements.begin() + (array.from_slices ? 1 : 0), elements.end());
    unite(boxes[at], intersection(own, whole_of(nest_.inputs[at])));
  }
  if (!array.outside) return;
  Ranges loops = nest_.ranges();
  for (std::size_t axis = 0; axis < elements.size(); ++axis) loops[array.first_loop + axis] = elements[axis];
  for (const formula::Node& node : array.outside->nodes()) {
    if (node.operation == formula::Operation::look_up) read_whole(node.number, boxes);
    if (node.operation == formula::Operation::read) {
      read_access(nest_.accesses[static_cast<std::size_t>(node.number)], loops, boxes);
    }
  }
}

std::vector<Box> InputReads::by_iterations(const Ranges& ranges) const {
  std::vector<Box> boxes = none();
  for (std::size_t n = 0; n < nest_.statements.size(); ++n) {
    const Ranges loops = sweep_.iterations(static_cast<int>(n), ranges);
    if (is_empty(loops)) continue;
    for (const formula::Node& node : nest_.statements[n].value.nodes()) {
      if (node.operation == formula::Operation::look_up) read_whole(node.number, boxes);
      if (node.operation != formula::Operation::read) continue;
      const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
      if (access.is_input) {
        read_access(access, loops, boxes);
        continue;
      }
      Ranges elements;
      for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
        elements.push_back(loops[static_cast<std::size_t>(access.loops[axis])].shifted(access.offset[axis]));
      }
      read_first(access.array, elements, boxes);
    }
  }
  return boxes;
}

}  // namespace terrace::nest
