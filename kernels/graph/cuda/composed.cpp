#include "kernels/graph/cuda/composed.hpp"

#include <utility>

#include "kernels/graph/cuda/fused/clusters.hpp"
#include "kernels/graph/cuda/graph_blocks.hpp"
#include "kernels/graph/cuda/ktiler.hpp"
#include "kernels/graph/iteration_strips.hpp"

namespace terrace::graph {
namespace {

/// Step after step, those of a cluster by its kernel.
template <class T>
class ComposedOnCuda final : public GraphBlocks<T> {
 public:
  ComposedOnCuda(const GraphSpec& spec, std::shared_ptr<const Composition> all, device::Context& context,
                 void* workspace)
      : GraphBlocks<T>(spec, std::move(all), context, workspace),
        clusters_(this->composition(), this->memory(), context),
        strips_(times_of(spec)) {}

 private:
  void launch(SlabWork& work) override {
    FusedClusters::Slab slab(clusters_, work);
    for (const Step& step : work.steps) {
      if (slab.launch(step, this->stream())) continue;
      if (is_in_strips(step)) strips_.launch({step}, this->stream());
      else step.launch(step.work, this->stream());
    }
  }
  bool is_in_strips(const Step& step) const {
    return step.many && this->composition()->iterations.at(step.value).by == StepsBy::strips;
  }

  FusedClusters clusters_;
  StripLauncher strips_;
};

/// All steps in strips.
template <class T>
class StripsOnCuda final : public GraphBlocks<T> {
 public:
  StripsOnCuda(const GraphSpec& spec, std::shared_ptr<const Composition> all, device::Context& context,
               void* workspace)
      : GraphBlocks<T>(spec, std::move(all), context, workspace), strips_(times_of(spec)) {}

 private:
  void launch(SlabWork& work) override { strips_.launch(work.steps, this->stream()); }

  StripLauncher strips_;
};

template <template <class> class Blocks>
std::unique_ptr<device::BlockKernel> make(const GraphSpec& spec, std::shared_ptr<const Composition> all,
                                          device::Context& context, void* workspace) {
  if (spec.graph->type == ElementType::f32) {
    return std::make_unique<Blocks<float>>(spec, std::move(all), context, workspace);
  }
  return std::make_unique<Blocks<double>>(spec, std::move(all), context, workspace);
}

}  // namespace

std::unique_ptr<device::BlockKernel> make_composed_cuda(const GraphSpec& spec, Schedule schedule,
                                                        device::Context& context, void* workspace) {
  auto all = composition_of(spec, schedule, context.limits());
  if (schedule == Schedule::ktiler) return make<StripsOnCuda>(spec, std::move(all), context, workspace);
  return make<ComposedOnCuda>(spec, std::move(all), context, workspace);
}

std::size_t composed_cuda_bytes(const GraphSpec& spec, Schedule schedule, const device::Limits& limits) {
  return workspace_bytes(spec, *composition_of(spec, schedule, limits));
}

}  // namespace terrace::graph
