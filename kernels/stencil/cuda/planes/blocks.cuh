// Blocks of updates in three dimensions that make several steps at a time.
#pragma once

#include <memory>
#include <vector>

#include "kernels/stencil/constants.hpp"
#include "kernels/stencil/cuda/planes/volumes.hpp"
#include "kernels/stencil/cuda/steps/blocks.cuh"
#include "kernels/stencil/operators/heat.hpp"
#include "kernels/stencil/operators/linear.hpp"
#include "kernels/stencil/operators/wave.hpp"

namespace terrace::stencil {

/// The operands of the kernel that streams planes of a formula. Other formulas have none.
template <class F, class T>
struct VolumeOperands {
  static constexpr bool exist = false;
};
template <class T>
struct VolumeOperands<LinearSum, T> {
  static constexpr bool exist = true;
  static std::vector<T> of(const StencilSpec& spec) { return coefficients_of<T>(spec); }
};
template <class T>
struct VolumeOperands<Heat<3>, T> {
  static constexpr bool exist = true;
  static std::vector<T> of(const StencilSpec& spec) {
    const auto k = Heat<3>::constants<T>(ConstantsReader<T>(spec, nullptr, nullptr));
    return {times(k.dt, k.diffusivity.value)};
  }
};
template <class T>
struct VolumeOperands<Wave<3>, T> {
  static constexpr bool exist = true;
  static std::vector<T> of(const StencilSpec& spec) {
    const auto k = Wave<3>::constants<T>(ConstantsReader<T>(spec, nullptr, nullptr));
    const T courant = times(k.dt, k.speed.value);
    return {times(courant, courant)};
  }
};

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
