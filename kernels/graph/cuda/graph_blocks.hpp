// The common base of kernels that make a graph's slabs on CUDA, whatever the order of their launches.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kernels/graph/cuda/launches.hpp"
#include "kernels/graph/cuda/steps.hpp"
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
std::size_t workspace_bytes(const GraphSpec& spec, const Lifetimes& lifetimes);

/// The launches of the kernels of a graph. @tparam T of values
template <class T>
class Launches {
 public:
  Launches(const Graph& graph, const WrittenModule& module, const device::Limits& limits)
      : graph_(graph), module_(module), limits_(limits) {}

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
    for (const int value : iterations_of(graph_)) {
      made.iterations[value] = of_iteration(*graph_.node(value).settings.iteration);
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
  IterationLaunches of_iteration(const Iteration& iteration) const {
    IterationLaunches made;
    made.copy = SlabLaunches<T>::keep(graph_.type);
    if (iteration.joined) made.joined = of_formula(written_formula(iteration), iteration.shape());
    else made.bodies = of_nodes(iteration.body);
    made.streamed = passes_of(iteration);
    return made;
  }
  /// Null if the module has no kernel for them.
  std::shared_ptr<const StreamedPasses> passes_of(const Iteration& iteration) const {
    StreamedPlan plan = plan_stream(iteration, limits_);
    const void* kernel = module_.streamed_kernel(iteration, plan);
    if (kernel == nullptr) return nullptr;
    StreamedLaunch launch = SlabLaunches<T>::streamed(kernel, StreamedPasses::layouts(iteration, plan));
    return std::make_shared<StreamedPasses>(iteration, std::move(plan), std::move(launch));
  }
  WrittenKernel of_formula(const WrittenFormula& formula, Shape shape) const {
    const WrittenTile tile = written_tile(reads_neighbours(*formula.cells), formula.cells->operations());
    return written_kernel(SlabLaunches<T>::written(module_.kernel(formula), tile), *formula.cells, formula.sources,
                          shape);
  }

  const Graph& graph_;
  const WrittenModule& module_;
  const device::Limits& limits_;
};

template <class T>
class GraphBlocks : public device::CudaBlocks<GraphTask, GraphResult> {
 public:
  /// @param streams true if rows of iterations stream
  GraphBlocks(const GraphSpec& spec, device::Context& context, void* workspace, Lifetimes lifetimes, bool streams)
      : CudaBlocks("graph", context),
        graph_(spec.graph),
        memory_(Layout(spec).in(workspace)),
        written_(*spec.graph, context, streams),
        steps_(spec, Launches<T>(*spec.graph, written_, context.limits()).all(), memory_, std::move(lifetimes)) {}

 protected:
  const Graph& graph() const { return *graph_; }
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
    for (const Node* node : numbered_nodes(*graph_)) {
      const std::vector<T> own = numbers_of<T>(node->settings, task.numbers);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  Reduced reduced_in(const GraphTask& task) const {
    Reduced all{};
    for (std::size_t n = 0; n < graph_->reductions.size(); ++n) {
      const Reduction& own = graph_->reductions[n];
      if (own.makes == Makes::counts) continue;
      const i64 at = own.makes == Makes::positions ? own.positions.number_at() : 0;
      all.numbers[n] = static_cast<const double*>(task.reduced[n]) + at;
    }
    return all;
  }

  std::shared_ptr<const Graph> graph_;
  GraphMemory memory_;
  WrittenModule written_;  // outlives the launches of its kernels
  SlabSteps steps_;
  SlabLaunches<T> around_;
};

}  // namespace terrace::graph
