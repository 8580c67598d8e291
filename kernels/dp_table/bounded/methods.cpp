#include "kernels/dp_table/bounded_methods.hpp"

#include "kernels/dp_table/bounded/cpu/sweep.hpp"
#include "kernels/dp_table/bounded/kernels.hpp"
#include "kernels/dp_table/measured_rates.hpp"

namespace terrace::dp_table {
namespace {

using device::Backend;
using device::Limits;

device::Cost cost(const BoundedSpec& spec, const Limits& limits) {
  const double bytes = static_cast<double>(size_of(spec.table.stored)) / static_cast<double>(spec.table.packed());
  return {.seconds = bytes / (measured::cpu_bounded_bytes * limits.processors)};
}

std::size_t workspace(const BoundedSpec& spec, const Limits& limits) {
  const auto element = static_cast<i64>(size_of(spec.table.stored));
  return static_cast<std::size_t>(spec.most_reach * element) +
         static_cast<std::size_t>(limits.processors) *
             PassSweep::copy_bytes(spec.most_elements + spec.most_reach, element, limits.processors);
}

std::unique_ptr<device::BlockKernel> make(const BoundedSpec& spec, device::Context& context, void*) {
  return make_bounded_cpu(spec.table, context);
}

constexpr BoundedMethod cpu_methods[] = {
    {"bounded", "segments of a table take several steps that may be taken `each` times, in place", Backend::cpu, "",
     true, device::never_unfit<BoundedSpec>, cost, workspace, make}};

}  // namespace

std::span<const BoundedMethod> bounded_methods() {
  static const auto all = device::joined_methods<BoundedSpec>(bounded_cuda_methods(), cpu_methods);
  return all;
}

}  // namespace terrace::dp_table
