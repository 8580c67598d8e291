// The way back through passes, and the cells of a table from its elements, for the CPU and for devices.
#pragma once

#include "kernels/dp_table/bounded_task.hpp"
#include "kernels/dp_table/rules.hpp"

namespace terrace::dp_table {

/// Goes back from a cell through the passes of a block, and notes those that it took.
/// @param passes of the table @param packed cells of an element
TERRACE_HOST_DEVICE void walk_passes(const BoundedPass* passes, i64 packed, const BoundedTask& task,
                                     BoundedResult& result) {
  i64 bit = task.cell;
  for (i64 pass = task.end_pass; pass-- > task.first_pass;) {
    const i64 number = pass - task.first_pass;
    const u64 word = task.taken[number * task.taken_stride + bit / 64 - task.taken_first];
    if ((word >> (bit % 64) & 1) == 0) continue;
    result.walked[number / 64] |= u64{1} << (number % 64);
    bit -= passes[pass].offset * packed + passes[pass].bits;
  }
}

/// The value of a table of type T, whose unreached value is `to`, from that of an element, whose one is `from`.
template <class T, class V>
TERRACE_HOST_DEVICE T value_of_element(V value, V from, T to) {
  return value == from ? to : static_cast<T>(value);
}

}  // namespace terrace::dp_table
