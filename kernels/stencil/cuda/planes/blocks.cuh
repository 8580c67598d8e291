// Blocks of updates in three dimensions that make several steps at a time.
#pragma once

#include <memory>
#include <vector>

#include "kernels/stencil/constants.hpp"
#include "kernels/stencil/cuda/planes/volumes.hpp"
#include "kernels/stencil/cuda/steps/blocks.cuh"
#include "kernels/stencil/operators/linear.hpp"
#include "kernels/values/type_list.hpp"

namespace terrace::stencil {

/// True if a formula has a kernel that streams planes.
template <class F>
inline constexpr bool has_planes = values::same_type<F, LinearSum> || InTwoParts<F>;

/// No constant arrays: kernels that stream planes read none.
template <class T>
struct NoArrays {
  TERRACE_HOST_DEVICE T array(i32) const { return T(0); }
};

/// The kernel that streams planes of a stencil of formula F, which has one.
template <class F, class T>
VolumeKernel<T> volume_kernel_for(const StencilSpec& spec) {
  if constexpr (InTwoParts<F>) return CudaPartsKernel<F, T>::kernel();
  else return sum_kernel_for<T>(volume_kind(spec).value(), spec.radius);
}
/// Its operands (VolumeTask).
template <class F, class T>
std::vector<T> volume_operands(const StencilSpec& spec) {
  if constexpr (InTwoParts<F>) {
    return {
        F::template factor<T>(F::template constants<T>(ConstantsReader<T>(spec, nullptr, nullptr)), NoArrays<T>{})};
  } else {
    return coefficients_of<T>(spec);
  }
}

/// @tparam Base blocks of F that make one step at a time
template <class F, class T, class Base>
class VolumeBlocks final : public Base {
 public:
  VolumeBlocks(const StencilSpec& spec, device::Context& context, void* workspace, const StepKernels<F, T>& step,
               const VolumeKernel<T>& kernel, const std::vector<T>& operands)
      : Base(spec, context, workspace, step), streamer_(spec, kernel, operands) {}

 protected:
  i64 most_levels(const StencilTask& task) const override { return streamer_.most_levels(task); }
  void make_levels(const StencilTask&, const Levels<T>& levels) override {
    if (streamer_.makes(levels.count)) streamer_.launch(Base::state(), Base::stream(), levels);
    else Base::make_step(levels);
  }

 private:
  VolumeStreamer<T> streamer_;
};

}  // namespace terrace::stencil
