#include "kernels/nest/write/reads.hpp"

#include <utility>

#include "kernels/nest/value_ranges.hpp"
#include "kernels/nest/write/faults.hpp"
#include "kernels/nest/write/subscripts.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::nest {

using formula::Fault;
using formula::Formula;
using formula::Node;
using formula::Operation;

namespace {

/// Refuses reads of an input beyond its ends. @param box iterations @throws Fault
void check_input(const Nest& nest, const Access& access, const Ranges& box, std::size_t at) {
  const Input& input = nest.inputs[static_cast<std::size_t>(access.array)];
  for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
    Range range{0, 1};
    if (access.loops[axis] >= 0) range = box[static_cast<std::size_t>(access.loops[axis])];
    range = range.shifted(access.offset[axis]);
    const i64 extent = input.shape[axis];
    if (range.begin >= 0 && range.end <= extent) continue;
    const i64 index = range.begin < 0 ? range.begin : range.end - 1;
    throw Fault{at, nest.in_words(access) + " is read outside the input: along axis " + std::to_string(axis) +
                        " the subscript reaches " + std::to_string(index) + ", and the input has " +
                        counted(extent, "element") +
                        "; change the loop's range, or the statement's by {for: {...}, do: ...}"};
  }
}

std::size_t place_of_read(const Formula& formula, int access) {
  for (const Node& node : formula.nodes()) {
    if (node.operation == Operation::read && node.number == access) return node.at;
  }
  return 0;
}

}  // namespace

void ReadCheck::check() const {
  std::vector<Dependence> flow;
  try {
    flow = flow_of(nest_);
  } catch (const DistanceFault& fault) {
    const auto cell = static_cast<std::size_t>(fault.statement);
    refuse(setting_of_cell(text_, cell), -1, place_of_read(nest_.statements[cell].value, fault.access), fault.what);
  }
  for (std::size_t cell = 0; cell < nest_.statements.size(); ++cell) {
    const Statement& statement = nest_.statements[cell];
    visit_needed(statement.value, statement.box, nest_.inputs, nest_.accesses, [&](const Node& node) {
      if (node.operation != Operation::read) return;
      const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
      in_cell(text_, cell, [&] {
        if (access.is_input) check_input(nest_, access, statement.box, node.at);
        else check_array(access, statement, node.at, flow);
      });
    });
  }
}

void ReadCheck::check_array(const Access& access, const Statement& statement, std::size_t at,
                            const std::vector<Dependence>& flow) const {
  const Array& array = nest_.arrays[static_cast<std::size_t>(access.array)];
  const Ranges read = statement.elements(array.first_loop, access.offset);
  std::vector<Ranges> others = difference(read, array.written);
  if (array.from < 0 && reads_first_values(nest_, flow, access.array)) others = {read};
  for (const Ranges& part : others) {
    Ranges kept = array.box;
    if (array.from_slices) kept[0] = part[0];
    for (const Ranges& rest : array.from >= 0 ? difference(part, kept) : std::vector<Ranges>{part}) {
      if (!array.outside) refuse_missing(array, access, rest, at);
      check_outside(access.array, rest);
    }
  }
}

void ReadCheck::refuse_missing(const Array& array, const Access& access, const Ranges& rest, std::size_t at) const {
  const bool is_first = !is_empty(intersection(rest, array.written));
  throw Fault{at, nest_.in_words(access) + " is read where " +
                      (is_first ? "no statement has written it yet" : "no statement writes it") + ", as in " +
                      array.name + " " + to_string(rest) + ": give " + quote(array.name) +
                      " an `outside`, a formula of " + example_of(nest_, "", array.first_loop) +
                      ", or an array that it begins as by `from`"};
}

void ReadCheck::check_outside(int array, const Ranges& elements) const {
  if (const auto fault = outside_fault(nest_, array, elements)) {
    throw NestFault{setting_of_outside(nest_.arrays[static_cast<std::size_t>(array)]), -1, *fault};
  }
}

std::optional<Fault> outside_fault(const Nest& nest, int number, const Ranges& elements) {
  const Array& array = nest.arrays[static_cast<std::size_t>(number)];
  Ranges box = nest.ranges();
  for (std::size_t axis = 0; axis < elements.size(); ++axis) box[array.first_loop + axis] = elements[axis];
  try {
    visit_needed(*array.outside, box, nest.inputs, nest.accesses, [&](const Node& node) {
      if (node.operation != Operation::read) return;
      check_input(nest, nest.accesses[static_cast<std::size_t>(node.number)], box, node.at);
    });
  } catch (const Fault& fault) {
    return fault;
  }
  return std::nullopt;
}

}  // namespace terrace::nest
