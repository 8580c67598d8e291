// The common base of kernels that make a graph's slabs on CUDA, whatever the order of their launches.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kernels/graph/cuda/composition.hpp"
#include "kernels/graph/cuda/fused/passes.hpp"
#include "kernels/graph/cuda/launches.hpp"
#include "kernels/graph/cuda/steps.hpp"
#include "kernels/graph/cuda/streamed/passes.hpp"
#include "kernels/graph/cuda/written/module.hpp"
#include "kernels/graph/operator_list.hpp"
#include "kernels/graph/print_cell.hpp"
#include "kernels/launch/cuda_blocks.cuh"

namespace terrace::graph {

/// Parts of a workspace, one after another.
class Layout {
 public:
  explicit Layout(const GraphSpec& spec);
  GraphMemory in(void* workspace) const;

  std::size_t numbers = 0, row_results = 0, rooms = 0;  // where they begin, in bytes

 private:
  /// @param next the begin of what comes after so many bytes
  void add(std::size_t bytes, std::size_t& next);

  std::size_t end_ = 0;
};

/// Bytes of a workspace.
std::size_t workspace_bytes(const GraphSpec& spec, const Composition& all);

/// A spec with the graph of a composition.
GraphSpec composed_spec(const GraphSpec& spec, const Composition& all);

/// The launches of the kernels of a graph. @tparam T of values
template <class T>
class Launches {
 public:
  Launches(const Composition& all, const WrittenModule& module, device::Context& context)
      : all_(all), graph_(*all.graph), module_(module), context_(context) {}

  GraphLaunches all() const {
    using Slab = SlabLaunches<T>;
    GraphLaunches made;
    for (const Input& input : graph_.inputs) made.loads.push_back(Slab::load(input.type));
    for (const Kept& kept : graph_.kept) made.keeps.push_back(Slab::keep(kept.type));
    for (const Reduction& own : graph_.reductions) {
      if (own.makes == Makes::counts) made.reductions.push_back({Slab::clear(), Slab::count()});
      else if (own.makes == Makes::positions)
        made.reductions.push_back({Slab::clear(), Slab::count_listed(), Slab::place_rows(), Slab::list()});
      else made.reductions.push_back({Slab::reduce(own.measure), Slab::fold(own.measure)});
    }
    made.nodes = of_nodes(graph_);
    for (const auto& [value, choice] : all_.iterations) {
      made.iterations[value] = of_iteration(*graph_.node(value).settings.iteration, choice);
    }
    return made;
  }

 private:
  std::vector<NodeLaunch> of_nodes(const Graph& graph) const {
    std::vector<NodeLaunch> made;
    for (const Node& node : graph.nodes) {
      made.emplace_back();
      if (node.settings.iteration) continue;
      if (const WrittenFormula formula = written_formula(node); formula.cells != nullptr) {
        made.back().written = of_formula(formula, node.shape);
        continue;
      }
      Operators::visit(node.op, [&]<class Op>(Op) { made.back().cells = launch_of_operator<Op, T>(node.settings); });
    }
    return made;
  }
  IterationLaunches of_iteration(const Iteration& iteration, const IterationChoice& choice) const {
    IterationLaunches made;
    made.copy = SlabLaunches<T>::keep(graph_.type);
    if (choice.by == StepsBy::streaming) made.passes = streamed(iteration, choice.streamed);
    else if (choice.by == StepsBy::clusters) made.passes = std::make_shared<FusedPasses>(choice.unrolled, context_);
    else if (iteration.joined) made.joined = of_formula(written_formula(iteration), iteration.shape());
    else made.bodies = of_nodes(iteration.body);
    return made;
  }
  std::shared_ptr<const IterationPasses> streamed(const Iteration& iteration, const StreamedPlan& plan) const {
    const void* kernel = module_.streamed_kernel(iteration, plan);
    return std::make_shared<StreamedPasses>(
        iteration, plan, SlabLaunches<T>::streamed(kernel, StreamedPasses::layouts(iteration, plan)));
  }
  /// Without launch if clusters alone have the formula.
  WrittenKernel of_formula(const WrittenFormula& formula, Shape shape) const {
    const void* kernel = module_.kernel(formula);
    if (kernel == nullptr) return {};
    const WrittenTile tile = written_tile(reads_neighbours(*formula.cells), formula.cells->operations());
    return written_kernel(SlabLaunches<T>::written(kernel, tile), *formula.cells, formula.sources, shape);
  }

  const Composition& all_;
  const Graph& graph_;
  const WrittenModule& module_;
  device::Context& context_;
};

template <class T>
class GraphBlocks : public device::CudaBlocks<GraphTask, GraphResult> {
 public:
  GraphBlocks(const GraphSpec& spec, std::shared_ptr<const Composition> all, device::Context& context,
              void* workspace)
      : CudaBlocks("graph", context),
        all_(std::move(all)),
        memory_(Layout(composed_spec(spec, *all_)).in(workspace)),
        written_(*all_, context),
        steps_(composed_spec(spec, *all_), Launches<T>(*all_, written_, context).all(), memory_,
               lifetimes_of(*all_)) {}

 protected:
  const std::shared_ptr<const Composition>& composition() const { return all_; }
  const GraphMemory& memory() const { return memory_; }

 private:
  /// Submits what makes the values of a slab.
  virtual void launch(SlabWork& work) = 0;

  bool submit(const device::Port& port, u64 block, const GraphTask& task) override {
    SlabWork work = steps_.of(task);
    around_.begin(port, memory_.state, block, this->stream());
    around_.bring(numbers_in(task), reinterpret_cast<T*>(memory_.numbers), this->stream());
    launch(work);
    around_.report(port, memory_.state, block, reduced_in(task), this->stream());
    return true;
  }

  /// The constants of all nodes, one after another.
  std::vector<T> numbers_in(const GraphTask& task) const {
    std::vector<T> all;
    for (const Node* node : numbered_nodes(*all_->graph)) {
      const std::vector<T> own = numbers_of<T>(node->settings, task.numbers);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  Reduced reduced_in(const GraphTask& task) const {
    Reduced all{};
    for (std::size_t n = 0; n < all_->graph->reductions.size(); ++n) {
      const Reduction& own = all_->graph->reductions[n];
      if (own.makes == Makes::counts) continue;
      const i64 at = own.makes == Makes::positions ? own.positions.number_at() : 0;
      all.numbers[n] = static_cast<const double*>(task.reduced[n]) + at;
    }
    return all;
  }

  std::shared_ptr<const Composition> all_;  // outlives the launches
  GraphMemory memory_;
  WrittenModule written_;  // outlives the launches of its kernels
  SlabSteps steps_;
  SlabLaunches<T> around_;
};

}  // namespace terrace::graph
