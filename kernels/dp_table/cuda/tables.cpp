#include "kernels/dp_table/cuda/tables.hpp"

#include <algorithm>
#include <string>

#include "kernels/device/memory.hpp"
#include "kernels/dp_table/cuda/plan.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::dp_table {

// Named here, defined in rules.cuh.
template <class T, bool least, Costs costs>
struct BestOf;
template <class T, Costs costs>
using Least = BestOf<T, true, costs>;
template <class T, Costs costs>
using Largest = BestOf<T, false, costs>;
template <class T, Costs costs>
struct CountOf;
template <class T, Costs costs>
struct ReachedOf;

namespace {

using Make = std::unique_ptr<TableKernel> (*)(const Table&, device::Context&, void*, std::size_t);

Make make_best(Combine combine, ElementType type) {
  const bool least = combine == Combine::min;
  switch (type) {
    case ElementType::u8:
      return least ? make_tables_of<Least, device::u8> : nullptr;
    case ElementType::i8:
      return least ? make_tables_of<Least, device::i8> : make_tables_of<Largest, device::i8>;
    case ElementType::u16:
      return least ? make_tables_of<Least, device::u16> : nullptr;
    case ElementType::i16:
      return least ? make_tables_of<Least, device::i16> : make_tables_of<Largest, device::i16>;
    case ElementType::i32:
      return least ? make_tables_of<Least, device::i32> : make_tables_of<Largest, device::i32>;
    case ElementType::i64:
      return least ? make_tables_of<Least, device::i64> : make_tables_of<Largest, device::i64>;
    case ElementType::f32:
      return least ? make_tables_of<Least, float> : make_tables_of<Largest, float>;
    case ElementType::f64:
      return least ? make_tables_of<Least, double> : make_tables_of<Largest, double>;
    default:
      return nullptr;
  }
}

Make make_count(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return make_tables_of<CountOf, device::u8>;
    case ElementType::u16:
      return make_tables_of<CountOf, device::u16>;
    case ElementType::i32:
      return make_tables_of<CountOf, device::i32>;
    case ElementType::i64:
      return make_tables_of<CountOf, device::i64>;
    default:
      return nullptr;
  }
}

Make make_for(Combine combine, ElementType type) {
  if (combine == Combine::count) return make_count(type);
  if (combine != Combine::any) return make_best(combine, type);
  return type == ElementType::u8 ? make_tables_of<ReachedOf, device::u8> : nullptr;
}

}  // namespace

std::size_t tables_cuda_bytes(const std::vector<Table>& tables) {
  std::size_t bytes = state_bytes;
  i64 levels = 0;
  for (const Table& table : tables) {
    if (table.order == Order::unordered) continue;  // no lists: a step is an argument of its kernel
    const TablePlan plan(table);
    bytes += plan.places.bytes;
    levels = std::max(levels, plan.block_levels);
  }
  return bytes + device::aligned_bytes(static_cast<std::size_t>(levels) * sizeof(u64));
}

double tile_cuda_seconds(const Table& table) {
  return table.order == Order::unordered ? 0 : TablePlan(table).cut.nanoseconds * 1e-9;
}

std::unique_ptr<TableKernel> make_tables_cuda(const Table& table, device::Context& context, void* workspace,
                                              std::size_t bytes) {
  if (table.schedule == Schedule::levels) throw DeviceError("tables", "the schedule `levels` is for the CPU only");
  const Make make = make_for(table.combine, table.type);
  if (make == nullptr) {
    throw DeviceError("tables", "there is no kernel for " + std::string(name_of(table.combine)) + " in " +
                                    std::string(name_of(table.type)) + " on CUDA");
  }
  return make(table, context, workspace, bytes);
}

}  // namespace terrace::dp_table
