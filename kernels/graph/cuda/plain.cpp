#include "kernels/graph/cuda/plain.hpp"

#include <algorithm>
#include <vector>

#include "kernels/device/memory.hpp"
#include "kernels/graph/cuda/steps.hpp"
#include "kernels/graph/operator_list.hpp"
#include "kernels/graph/operators.hpp"
#include "kernels/graph/slabs.hpp"
#include "kernels/launch/cuda_blocks.cuh"

namespace terrace::graph {
namespace {

static_assert(most_checked == most_inputs && (i64{1} << column_bits) >= most_extent);

std::size_t count_numbers(const Graph& graph) {
  std::size_t count = 0;
  for (const Node& node : graph.nodes) count += node.settings.numbers.size();
  return count;
}

/// The most rows of a slab that a reduction reads.
std::size_t reduced_rows(const GraphSpec& spec) {
  i64 most = 0;
  for (std::size_t n = spec.graph->kept.size(); n < spec.graph->targets(); ++n) {
    most = std::max(most, most_rows_of_slab(spec, n));
  }
  return static_cast<std::size_t>(most);
}

/// Parts of a workspace, one after another.
class Layout {
 public:
  explicit Layout(const GraphSpec& spec) {
    add(sizeof(GraphState), numbers);
    add(count_numbers(*spec.graph) * size_of(spec.graph->type), row_results);
    add(reduced_rows(spec) * sizeof(double), rooms);
  }
  GraphMemory in(void* workspace) const {
    auto* at = static_cast<std::byte*>(workspace);
    return {static_cast<GraphState*>(workspace), at + numbers, reinterpret_cast<double*>(at + row_results),
            at + rooms};
  }

  std::size_t numbers = 0, row_results = 0, rooms = 0;  // where they begin, in bytes

 private:
  /// @param next the begin of what comes after so many bytes
  void add(std::size_t bytes, std::size_t& next) { end_ += device::aligned_bytes(bytes), next = end_; }

  std::size_t end_ = 0;
};

/// @tparam T of values
template <class T>
GraphLaunches launches_of(const Graph& graph) {
  GraphLaunches made;
  for (const Input& input : graph.inputs) made.loads.push_back(SlabLaunches<T>::load(input.type));
  for (const Kept& kept : graph.kept) made.keeps.push_back(SlabLaunches<T>::keep(kept.type));
  for (const Reduction& own : graph.reductions) {
    using Slab = SlabLaunches<T>;
    if (own.counts) made.reductions.push_back({Slab::clear_counts(), Slab::count()});
    else made.reductions.push_back({Slab::reduce(own.measure), Slab::fold(own.measure)});
  }
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
        memory_(Layout(spec).in(workspace)),
        steps_(spec, launches_of<T>(*spec.graph), memory_) {}

 private:
  bool submit(const device::Port& port, u64 block, const GraphTask& task) override {
    const std::vector<Step> steps = steps_.of(task);
    around_.begin(port, memory_.state, block, stream());
    around_.bring(numbers_in(task), reinterpret_cast<T*>(memory_.numbers), stream());
    for (const Step& step : steps) step.launch(step.work, stream());
    around_.report(port, memory_.state, block, reduced_in(task), stream());
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

  Reduced reduced_in(const GraphTask& task) const {
    Reduced all{};
    for (std::size_t n = 0; n < graph_->reductions.size(); ++n) {
      if (!graph_->reductions[n].counts) all.numbers[n] = static_cast<const double*>(task.reduced[n]);
    }
    return all;
  }

  std::shared_ptr<const Graph> graph_;
  GraphMemory memory_;
  SlabSteps steps_;
  SlabLaunches<T> around_;
};

}  // namespace

std::size_t plain_cuda_bytes(const GraphSpec& spec) { return Layout(spec).rooms + most_room_bytes(spec); }

std::unique_ptr<device::BlockKernel> make_plain_cuda(const GraphSpec& spec, device::Context& context,
                                                     void* workspace) {
  if (spec.graph->type == ElementType::f32) return std::make_unique<PlainOnCuda<float>>(spec, context, workspace);
  return std::make_unique<PlainOnCuda<double>>(spec, context, workspace);
}

}  // namespace terrace::graph
