#include "kernels/graph/methods.hpp"

#include <algorithm>

#include "kernels/graph/cuda/plain.hpp"
#include "kernels/graph/measured.hpp"
#include "kernels/graph/operators.hpp"
#include "kernels/graph/slabs.hpp"

namespace terrace::graph {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;

double bytes_of(Shape shape, ElementType type) {
  return static_cast<double>(shape.rows) * static_cast<double>(shape.columns) * static_cast<double>(size_of(type));
}

/// The bytes that launches read and write in all, and their number in a slab.
struct Traffic {
  double bytes = 0, launches = 2;  // the slab is begun and reported

  void add(double moved) { bytes += moved, launches += 1; }
};

Traffic traffic_of(const Graph& graph) {
  Traffic all;
  for (const Input& input : graph.inputs) {
    const double own = input.type == graph.type ? 0 : bytes_of(input.shape, graph.type);
    all.add(bytes_of(input.shape, input.type) + own);
  }
  for (const Node& node : graph.nodes) {
    double moved = bytes_of(node.shape, graph.type);
    for (const int operand : node.operands) moved += bytes_of(graph.shape(operand), graph.type);
    all.add(moved);
  }
  for (const Kept& kept : graph.kept) {
    if (kept.type == graph.type) continue;  // made where it is kept
    const Shape shape = graph.shape(kept.value);
    all.add(bytes_of(shape, graph.type) + bytes_of(shape, kept.type));
  }
  for (const Reduction& own : graph.reductions) {
    all.add(bytes_of(graph.shape(own.value), graph.type));
    all.add(0);
  }
  return all;
}

std::string unfit(const GraphSpec& spec, const Limits&) {
  for (const Node& node : spec.graph->nodes) {
    if (!is_on_cuda(node.op))
      return "`" + std::string(operators()[static_cast<std::size_t>(node.op)].name) + "` is computed on the CPU";
  }
  return "";
}

Cost plain_cost(const GraphSpec& spec, const Limits&) {
  const Graph& graph = *spec.graph;
  double kept = 1;
  for (std::size_t n = 0; n < graph.targets(); ++n) {
    kept = std::max(kept, bytes_of(graph.shape(graph.target(n)), ElementType::u8));
  }
  const Traffic traffic = traffic_of(graph);
  const double launches = traffic.launches * static_cast<double>(slabs_of(spec));
  return {.seconds = (traffic.bytes / (measured::cuda_bytes_per_second * measured::cuda_efficiency) +
                      launches * measured::cuda_launch_seconds) /
                     kept,
          .bytes = traffic.bytes / kept};
}

constexpr GraphMethod cuda_methods[] = {
    {.name = "plain",
     .help = "node after node, each by a launch, over the rows that a slab of the kept nodes needs",
     .backend = Backend::cuda,
     .schedule = "plain",
     .automatic = true,
     .unfit = unfit,
     .cost = plain_cost,
     .workspace = [](const GraphSpec& spec, const Limits&) { return plain_cuda_bytes(spec); },
     .make = make_plain_cuda}};

}  // namespace

std::span<const GraphMethod> graph_cuda_methods() { return cuda_methods; }

}  // namespace terrace::graph
