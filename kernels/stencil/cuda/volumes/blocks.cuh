// Blocks of updates in three dimensions that make several steps at a time. Included by cuda/formula.cuh, which has
// the blocks that make one.
#pragma once

#include <memory>
#include <optional>

#include "kernels/stencil/constants.hpp"
#include "kernels/stencil/cuda/volumes/volumes.hpp"
#include "kernels/stencil/operators/heat.hpp"
#include "kernels/stencil/operators/linear.hpp"
#include "kernels/stencil/operators/wave.hpp"

namespace terrace::stencil {

/// The kernel that streams planes of a formula, and its operands. Other formulas have none.
template <class F, class T>
struct VolumeOf {
  static std::optional<VolumeKernel<T>> kernel(const StencilSpec&) { return std::nullopt; }
  static std::vector<T> operands(const StencilSpec&) { return {}; }
};
template <class T>
struct VolumeOf<LinearSum, T> {
  static std::optional<VolumeKernel<T>> kernel(const StencilSpec& spec) { return volume_of_sum<T>(spec); }
  static std::vector<T> operands(const StencilSpec& spec) { return coefficients_of<T>(spec); }
};
template <class T>
struct VolumeOf<Heat<3>, T> {
  static std::optional<VolumeKernel<T>> kernel(const StencilSpec& spec) {
    return volume_of_formula<T>(spec, VolumeKind::heat);
  }
  static std::vector<T> operands(const StencilSpec& spec) {
    const auto k = Heat<3>::constants<T>(ConstantsReader<T>(spec, nullptr, nullptr));
    return {times(k.dt, k.diffusivity.value)};
  }
};
template <class T>
struct VolumeOf<Wave<3>, T> {
  static std::optional<VolumeKernel<T>> kernel(const StencilSpec& spec) {
    return volume_of_formula<T>(spec, VolumeKind::wave);
  }
  static std::vector<T> operands(const StencilSpec& spec) {
    const auto k = Wave<3>::constants<T>(ConstantsReader<T>(spec, nullptr, nullptr));
    const T courant = times(k.dt, k.speed.value);
    return {times(courant, courant)};
  }
};

/// @tparam Base blocks of F that make one step at a time
template <class F, class T, class Base>
class VolumeBlocks final : public Base {
 public:
  VolumeBlocks(const StencilSpec& spec, const VolumeKernel<T>& kernel, device::Context& context, void* workspace)
      : Base(spec, context, workspace), streamer_(spec, kernel, VolumeOf<F, T>::operands(spec)) {}

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
