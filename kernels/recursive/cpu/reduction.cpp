// Totals of rows of distances on the CPU.
#include "kernels/recursive/reduction.hpp"

#include <algorithm>
#include <string>

#include "kernels/recursive/cpu/bin_counts.hpp"
#include "kernels/recursive/cpu/blocks.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

/// @param histogram null: none is made
template <class T>
RowTotals totals_of(const T* row, i64 columns, i64 self, BinCounts* histogram) {
  RowTotals totals{};
  Found<T> found;
  for (i64 j = 0; j < columns; ++j) {
    if (j == self || !(row[j] < infinity<T>())) continue;
    found.add(row[j]);
    ++totals.finite;
    if (histogram != nullptr && !histogram->add(static_cast<double>(row[j]))) ++totals.outside;
    if constexpr (std::is_floating_point_v<T>) {
      totals.sum_real += static_cast<double>(row[j]);
    } else {
      const auto value = static_cast<i64>(row[j]);
      totals.high += value >> 32;
      totals.low += value & 0xFFFFFFFF;
    }
  }
  totals.least = extremes(found.least).whole;
  totals.most = extremes(found.most).whole;
  totals.least_real = extremes(found.least).real;
  totals.most_real = extremes(found.most).real;
  return totals;
}

template <class T>
class ReductionOnCpu : public CpuBlocks<ReductionTask, ReductionResult> {
 public:
  using CpuBlocks::CpuBlocks;

 private:
  ReductionResult compute(const ReductionTask& task) override {
    ReductionResult result{};
    const double operations = static_cast<double>(task.rows) * static_cast<double>(task.columns);
    ThreadCounts counts(task.histogram != nullptr ? &task.bins : nullptr, threads());
    in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
      for (i64 i = begin; i < end; ++i) {
        result.rows[i] = totals_of(static_cast<const T*>(task.data) + i * task.stride, task.columns, task.self[i],
                                   counts.of(thread));
      }
    });
    counts.add_to(task.histogram, task.makes_histogram != 0);
    return result;
  }
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_reduction_cpu(ElementType value, device::Context& context) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_reduction_cpu", context.limits().name + " is not a CPU");
  if (!is_distance_type(value)) {
    throw DeviceError("make_reduction_cpu", "there are no distances of " + std::string(name_of(value)));
  }
  return visit_value(value, [&](auto zero) -> std::unique_ptr<device::BlockKernel> {
    using T = decltype(zero);
    return std::make_unique<ReductionOnCpu<T>>(cpu->pool());
  });
}

}  // namespace terrace::recursive
