#include "kernels/graph/cuda/plain.hpp"

#include <vector>

#include "kernels/device/memory.hpp"
#include "kernels/graph/cuda/steps.hpp"
#include "kernels/graph/operator_list.hpp"
#include "kernels/graph/operators.hpp"
#include "kernels/launch/cuda_blocks.cuh"

namespace terrace::graph {
namespace {

static_assert(most_checked == most_inputs && (i64{1} << column_bits) >= most_extent);

std::size_t count_numbers(const Graph& graph) {
  std::size_t count = 0;
  for (const Node& node : graph.nodes) count += node.settings.numbers.size();
  return count;
}

GraphMemory memory_in(void* workspace, const Graph& graph) {
  auto* at = static_cast<std::byte*>(workspace);
  GraphMemory memory{static_cast<GraphState*>(workspace), at + device::aligned_bytes(sizeof(GraphState)), nullptr};
  memory.rooms = memory.numbers + device::aligned_bytes(count_numbers(graph) * size_of(graph.type));
  return memory;
}

/// @tparam T of values
template <class T>
GraphLaunches launches_of(const Graph& graph) {
  GraphLaunches made;
  for (const Input& input : graph.inputs) made.loads.push_back(SlabLaunches<T>::load(input.type));
  for (const Kept& kept : graph.kept) made.keeps.push_back(SlabLaunches<T>::keep(kept.type));
  for (const Node& node : graph.nodes) {
    Operators::visit(node.op, [&]<class Op>(Op) { made.nodes.push_back(launch_of_operator<Op, T>(node.settings)); });
  }
  return made;
}

template <class T>
class PlainOnCuda final : public device::CudaBlocks<GraphTask, GraphResult> {
 public:
  PlainOnCuda(const GraphSpec& spec, device::Context& context, void* workspace)
      : CudaBlocks("graph", context),
        graph_(spec.graph),
        memory_(memory_in(workspace, *spec.graph)),
        steps_(spec, launches_of<T>(*spec.graph), memory_) {}

 private:
  bool submit(const device::Port& port, u64 block, const GraphTask& task) override {
    const std::vector<Step> steps = steps_.of(task);
    around_.begin(port, memory_.state, block, stream());
    around_.bring(numbers_in(task), reinterpret_cast<T*>(memory_.numbers), stream());
    for (const Step& step : steps) step.launch(step.work, stream());
    around_.report(port, memory_.state, block, stream());
    return true;
  }

  /// The constants of all nodes, one after another.
  std::vector<T> numbers_in(const GraphTask& task) const {
    std::vector<T> all;
    for (const Node& node : graph_->nodes) {
      const std::vector<T> own = numbers_of<T>(node.settings, task.numbers);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  std::shared_ptr<const Graph> graph_;
  GraphMemory memory_;
  SlabSteps steps_;
  SlabLaunches<T> around_;
};

}  // namespace

std::size_t plain_cuda_bytes(const GraphSpec& spec) {
  const GraphMemory memory = memory_in(nullptr, *spec.graph);
  return static_cast<std::size_t>(memory.rooms - static_cast<std::byte*>(nullptr)) + most_room_bytes(spec);
}

std::unique_ptr<device::BlockKernel> make_plain_cuda(const GraphSpec& spec, device::Context& context,
                                                     void* workspace) {
  if (spec.graph->type == ElementType::f32) return std::make_unique<PlainOnCuda<float>>(spec, context, workspace);
  return std::make_unique<PlainOnCuda<double>>(spec, context, workspace);
}

}  // namespace terrace::graph
