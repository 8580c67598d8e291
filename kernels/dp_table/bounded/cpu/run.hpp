// Adjacent elements that take a pass, on the CPU.
#pragma once

#include "kernels/dp_table/bounded_task.hpp"
#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {

/// Elements [0, count) take a pass from the last to the first: `source` may be some elements before `elements` in the
/// same memory.
struct BoundedRun {
  const BoundedPass* pass;
  void* elements;
  const void* source;
  i64 count;
  i64 modulus;    // of counts; 0: none
  bool starts;    // true: before the first source there is none, as bits are shifted in
  u64* taken;     // the words of bits, to which those of the elements are added; null: none are kept
  i64 taken_bit;  // the bit of element 0, counted from the first word; of Combine::any its word
};

/// @return the first element whose count leaves its type; -1: none
using BoundedFunction = i64 (*)(const BoundedRun& run);

namespace sse2 {
BoundedFunction bounded_function(Combine combine, ElementType stored);
}
namespace avx2 {
BoundedFunction bounded_function(Combine combine, ElementType stored);
}
namespace avx512 {
BoundedFunction bounded_function(Combine combine, ElementType stored);
}

}  // namespace terrace::dp_table
