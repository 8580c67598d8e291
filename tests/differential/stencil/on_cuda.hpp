// Stencils on CUDA in tests, and sums on wide grids, which it makes many steps at a time.
#pragma once

#include "kernels/stencil/methods.hpp"
#include "tests/differential/stencil/compare.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::stencil {

/// A kernel with its workspace.
class CudaStencil final : public device::BlockKernel {
 public:
  CudaStencil(const StencilSpec& spec, device::Context& context)
      : CudaStencil(choose_stencil_method(spec, device::Backend::cuda, context.limits()), spec, context) {}
  CudaStencil(const StencilMethod& method, const StencilSpec& spec, device::Context& context)
      : workspace_(context, static_cast<std::int64_t>(method.workspace(spec, context.limits()))),
        kernel_(method.make(spec, context, workspace_.data())),
        context_(context) {}
  ~CudaStencil() override {
    context_.record(device::Queue::compute)->wait();
    CHECK(workspace_.is_intact());
  }
  void run(const device::Port& port) override { kernel_->run(port); }

 private:
  testing::GuardedMemory workspace_;
  std::unique_ptr<device::BlockKernel> kernel_;
  device::Context& context_;
};

/// Compares what the method that is chosen makes with the definition, on a real GPU also all others that fit.
/// @param all also on a simulated one
inline void check(testing::SampleMaker& maker, const testing::Sample& sample, device::Context& context,
                  bool all = false) {
  const device::Limits& limits = context.limits();
  const StencilMethod& chosen = choose_stencil_method(sample.spec, device::Backend::cuda, limits);
  for (const auto& rated : device::rate_methods(stencil_methods(), device::Backend::cuda, sample.spec, limits)) {
    // A small grid with points may have another method than the same grid without.
    const bool each = all || sample.spec.points || !test::few_cases(context);
    const bool other = rated.method->automatic && rated.unfit.empty() && each;
    if (rated.method != &chosen && !other) continue;
    INFO("method " << rated.method->name);
    testing::check_sample(maker, sample, context, [&](const StencilSpec& spec) {
      return std::make_unique<CudaStencil>(*rated.method, spec, context);
    });
  }
}

/// A sum over a star or a box on a wide grid, which is made many steps at a time.
template <class T>
testing::Sample wide_sample(testing::SampleMaker& maker, Shape shape, int radius, std::int64_t most_rows,
                            std::int64_t least_width, std::int64_t more_width) {
  testing::Sample sample;
  StencilSpec& spec = sample.spec;
  spec.name = shape == Shape::star ? "star2d" : "box2d";
  spec.value = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
  spec.radius = radius;
  spec.extents = {radius + 1 + maker.below(most_rows), 1, least_width + maker.below(more_width)};
  if (maker.chance(50)) spec.extents[2] = (spec.extents[2] + 3) / 4 * 4;
  for (const std::size_t axis : {0, 2}) {
    spec.faces[axis].low = spec.faces[axis].high = maker.chance(60) ? Face::fixed : Face::periodic;
  }
  spec.faces[1].low = spec.faces[1].high = Face::edge;
  spec.terms = terms_of(shape, 2, radius);
  for (Term<double>& term : spec.terms) term.coefficient *= 0.5 + 0.125 * static_cast<double>(maker.below(9));
  spec.norm = maker.chance(50) ? Norm::max : Norm::l2;
  sample.step = maker.below(5);
  sample.steps = 1 + maker.below(maker.chance(50) ? 6 : 36);
  spec.pass_steps = 1 + maker.below(sample.steps);
  spec.depth = maker.chance(70) ? 0 : 1 + maker.below(16);
  maker.set_slabs(spec, maker.least_rows(radius), 20, 40);
  spec.parts = 1 + maker.below(3);
  testing::SampleMaker::make_room(spec);
  return sample;
}

}  // namespace terrace::stencil
