// The methods of tables with many dimensions (launch/method.hpp). Their cost is of a cell, in all passes together.
#pragma once

#include <span>

#include "kernels/dp_table/table.hpp"
#include "kernels/launch/method.hpp"

namespace terrace::dp_table {

/// A table, cut into tiles, which outlives this: its steps may be many.
struct TableSpec {
  const Table& table;
  bool choice = false;  // choices are kept
};

using TableMethod = device::Method<TableSpec>;

/// All methods: those of CUDA, where this program has them, then those of the CPU. Kernels are made for the one
/// table.
std::span<const TableMethod> table_methods();

/// The rows of CUDA (cuda/methods.cpp); none in a program without it.
std::span<const TableMethod> table_cuda_methods();

/// The name of a schedule in jobs.
const char* name_of(Schedule schedule);

/// Look-ups of a step's cell that a cell of the table takes.
double look_ups_of(const Table& table);

/// Look-ups of a step's cell of a type a second that a device's instructions allow; 0 if not known.
double look_up_limit(ElementType type, device::Backend backend, const device::Limits& limits);

/// The reason why kernels of one order do not compute a table; empty: they do.
template <Order order>
std::string unfit_but_for(const TableSpec& spec, const device::Limits&) {
  if (spec.table.order == order) return "";
  return order == Order::ordered ? "it counts sequences of steps: `order: ordered`"
                                 : "it counts combinations of steps: `order: unordered`";
}

}  // namespace terrace::dp_table
