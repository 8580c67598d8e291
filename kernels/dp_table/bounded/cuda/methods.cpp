#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/dp_table/bounded/cuda/bounded.hpp"
#include "kernels/dp_table/bounded/measured.hpp"
#include "kernels/dp_table/bounded/visit.hpp"
#include "kernels/dp_table/measured_rates.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::dp_table {
namespace {

using device::Backend;
using device::Limits;

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

device::Cost cost(const BoundedSpec& spec, const Limits&) {
  const double bytes = static_cast<double>(size_of(spec.table.stored)) / static_cast<double>(spec.table.packed());
  return {.seconds = bytes / measured::cuda_bounded_bytes};
}

std::size_t workspace(const BoundedSpec& spec, const Limits&) { return BoundedPlaces(spec).bytes; }

/// Rules whose values have the types of devices.
template <class T>
using DeviceValue = std::conditional_t<std::is_same_v<T, std::int64_t>, device::i64, T>;
template <class T, bool least>
Best<DeviceValue<T>, least> on_device(Best<T, least>) {
  return {};
}
template <class T>
Count<DeviceValue<T>> on_device(Count<T>) {
  return {};
}
Reached on_device(Reached rule) { return rule; }

std::unique_ptr<device::BlockKernel> make(const BoundedSpec& spec, device::Context& context, void* memory) {
  std::unique_ptr<device::BlockKernel> kernel;
  visit_bounded(spec.table.table.combine, spec.table.stored,
                [&](auto rule) { kernel = make_bounded_of<decltype(on_device(rule))>(spec, context, memory); });
  return kernel;
}

constexpr BoundedMethod methods[] = {
    {"bounded", "segments of a table take several steps that may be taken `each` times, in shared memory",
     Backend::cuda, "", true, device::never_unfit<BoundedSpec>, cost, workspace, make}};

}  // namespace

BoundedPlaces::BoundedPlaces(const BoundedSpec& spec) {
  // The state is at the start.
  passes = alignment;
  std::size_t at = passes + aligned(spec.table.passes.size() * sizeof(BoundedPass));
  const std::size_t buffer =
      aligned(static_cast<std::size_t>(spec.most_elements + spec.most_reach + 64) * size_of(spec.table.stored));
  for (std::size_t& place : buffers) {
    place = at;
    at += buffer;
  }
  bytes = at;
}

std::size_t bounded_shared_bytes(const Limits& limits) {
  const auto most = static_cast<std::size_t>(measured::BoundedCuda::shared_bytes);
  return limits.block_shared_bytes == 0 ? most : std::min(most, limits.block_shared_bytes);
}

std::span<const BoundedMethod> bounded_cuda_methods() { return methods; }

}  // namespace terrace::dp_table
