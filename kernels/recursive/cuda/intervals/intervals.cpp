#include "kernels/recursive/cuda/intervals/intervals.hpp"

#include <string>

#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

/// Calls call(CudaIntervals<T>{}) with the kernels' own type for a type of values.
template <class Call>
auto visit_intervals(ElementType type, const Call& call) {
  switch (type) {
    case ElementType::i16:
      return call(CudaIntervals<device::i16>{});
    case ElementType::i32:
      return call(CudaIntervals<device::i32>{});
    case ElementType::i64:
      return call(CudaIntervals<device::i64>{});
    case ElementType::f64:
      return call(CudaIntervals<double>{});
    default:
      throw DeviceError("intervals", "there are no kernels for " + std::string(name_of(type)) + " on CUDA");
  }
}

}  // namespace

std::size_t intervals_cuda_bytes(const IntervalSpec& spec, std::int64_t side) {
  return visit_intervals(spec.value, [&]<class Intervals>(Intervals) { return Intervals::workspace(spec, side); });
}

std::unique_ptr<device::BlockKernel> make_intervals_cuda(const IntervalSpec& spec, std::int64_t side,
                                                         device::Context& context, void* workspace) {
  return visit_intervals(spec.value,
                         [&]<class Intervals>(Intervals) { return Intervals::make(spec, side, context, workspace); });
}

}  // namespace terrace::recursive
