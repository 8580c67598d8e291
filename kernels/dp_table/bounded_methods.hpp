// The methods of tables whose steps are bounded (launch/method.hpp). Their cost is of a cell and pass.
#pragma once

#include <span>

#include "kernels/dp_table/bounded_table.hpp"
#include "kernels/launch/method.hpp"

namespace terrace::dp_table {

/// A table with its passes, which outlives this.
struct BoundedSpec {
  const BoundedTable& table;
  i64 most_elements = 0;  // of a block
  i64 most_reach = 0;     // elements before them that a block reads, at most
};

using BoundedMethod = device::Method<BoundedSpec>;

/// All methods: those of CUDA, where this program has them, then those of the CPU.
std::span<const BoundedMethod> bounded_methods();

/// The rows of CUDA (cuda/methods.cpp); none in a program without it.
std::span<const BoundedMethod> bounded_cuda_methods();

}  // namespace terrace::dp_table
