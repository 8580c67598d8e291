#include "kernels/graph/cuda/plain.hpp"

#include <utility>

#include "kernels/graph/cuda/graph_blocks.hpp"
#include "kernels/graph/cuda/ktiler.hpp"
#include "kernels/graph/iteration_strips.hpp"

namespace terrace::graph {
namespace {

template <class T>
class PlainOnCuda final : public GraphBlocks<T> {
 public:
  using GraphBlocks<T>::GraphBlocks;

 private:
  void launch(SlabWork& work) override {
    for (const Step& step : work.steps) step.launch(step.work, this->stream());
  }
};

template <class T>
class StripsOnCuda final : public GraphBlocks<T> {
 public:
  StripsOnCuda(const GraphSpec& spec, device::Context& context, void* workspace, Lifetimes lifetimes, bool streams)
      : GraphBlocks<T>(spec, context, workspace, std::move(lifetimes), streams), strips_(times_of(spec)) {}

 private:
  void launch(SlabWork& work) override { strips_.launch(work.steps, this->stream()); }

  StripLauncher strips_;
};

template <template <class> class Blocks>
std::unique_ptr<device::BlockKernel> make(const GraphSpec& spec, device::Context& context, void* workspace,
                                          bool streams) {
  const Lifetimes lifetimes = lifetimes_of(*spec.graph);
  if (spec.graph->type == ElementType::f32) {
    return std::make_unique<Blocks<float>>(spec, context, workspace, lifetimes, streams);
  }
  return std::make_unique<Blocks<double>>(spec, context, workspace, lifetimes, streams);
}

}  // namespace

std::size_t plain_cuda_bytes(const GraphSpec& spec) { return workspace_bytes(spec, lifetimes_of(*spec.graph)); }

std::unique_ptr<device::BlockKernel> make_plain_cuda(const GraphSpec& spec, device::Context& context,
                                                     void* workspace) {
  return make<PlainOnCuda>(spec, context, workspace, false);
}

std::unique_ptr<device::BlockKernel> make_streamed_cuda(const GraphSpec& spec, device::Context& context,
                                                        void* workspace) {
  return make<PlainOnCuda>(spec, context, workspace, true);
}

std::unique_ptr<device::BlockKernel> make_ktiler_cuda(const GraphSpec& spec, device::Context& context,
                                                      void* workspace) {
  return make<StripsOnCuda>(spec, context, workspace, false);
}

}  // namespace terrace::graph
