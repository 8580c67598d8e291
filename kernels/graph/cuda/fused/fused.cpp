#include "kernels/graph/cuda/fused/fused.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/compiled/store.hpp"
#include "kernels/graph/cuda/fused/kernels.hpp"
#include "kernels/graph/cuda/fused/launches.hpp"
#include "kernels/graph/cuda/fused/source.hpp"
#include "kernels/graph/cuda/graph_blocks.hpp"

namespace terrace::graph {
namespace {

/// A spec whose nodes are ordered by clusters.
struct Clustered {
  GraphSpec spec;
  std::vector<Cluster> clusters;
  Lifetimes lifetimes;
};

/// True of inputs that clusters alone read, as they are stored.
std::vector<bool> read_by_clusters(const Graph& graph, const std::vector<Cluster>& clusters) {
  const Readers readers(graph);
  std::vector<bool> is_member(at_value(graph.values())), found(graph.inputs.size());
  for (const Cluster& cluster : clusters) {
    for (const StreamedValue& member : cluster.members) is_member[at_value(member.value)] = true;
  }
  for (int input = 0; at_value(input) < graph.inputs.size(); ++input) {
    found[at_value(input)] =
        is_read_as_stored(graph, input) && !readers.is_target[at_value(input)] &&
        std::ranges::all_of(readers.nodes[at_value(input)], [&](int node) { return is_member[at_value(node)]; });
  }
  return found;
}

/// Values live until the last cluster that reads them is made; those within a cluster are never in memory.
Lifetimes lifetimes_of_clusters(const Graph& graph, const std::vector<Cluster>& clusters) {
  Lifetimes made = lifetimes_of(graph);
  std::vector<int> end(at_value(graph.values()));
  for (int value = 0; value < graph.values(); ++value) end[at_value(value)] = value;
  for (const Cluster& cluster : clusters) {
    for (const StreamedValue& member : cluster.members) {
      end[at_value(member.value)] = cluster.members.back().value;
      made.has_memory[at_value(member.value)] = std::ranges::find(cluster.made, member.value) != cluster.made.end();
    }
  }
  for (int& last : made.last) last = end[at_value(last)];
  const std::vector<bool> by_clusters = read_by_clusters(graph, clusters);
  for (std::size_t input = 0; input < by_clusters.size(); ++input) {
    if (by_clusters[input]) made.has_memory[input] = false;
  }
  return made;
}

Clustered clustered_spec(const GraphSpec& spec) {
  ClusteredGraph own = clustered(*spec.graph, groups_of(spec));
  Clustered made{spec, {}, lifetimes_of_clusters(own.graph, own.clusters)};
  made.spec.graph = std::make_shared<Graph>(std::move(own.graph));
  made.clusters = std::move(own.clusters);
  return made;
}

/// For each cluster which of the values that it reads it looks through for NaN: the first cluster that reads an
/// input.
std::vector<std::vector<bool>> checks_of(const Graph& graph, const std::vector<Cluster>& clusters) {
  std::vector<bool> is_checked(graph.inputs.size());
  std::vector<std::vector<bool>> all;
  for (const Cluster& cluster : clusters) {
    std::vector<bool>& own = all.emplace_back();
    for (const StreamedValue& read : cluster.reads) {
      const bool is_input = !graph.is_node(read.value);
      const bool checks = is_input && !is_checked[at_value(read.value)] &&
                          !graph.inputs[at_value(read.value)].may_be_nan &&
                          graph.inputs[at_value(read.value)].type == graph.type;
      if (checks) is_checked[at_value(read.value)] = true;
      own.push_back(checks);
    }
  }
  return all;
}

/// Bytes of values that a thread may keep in local memory. Not measured.
constexpr int most_local_bytes = 64;

/// Kernels that keep their values in registers, with fewer thread blocks on a multiprocessor if need be.
ClusterKernels compile(const Graph& graph, const Cluster& cluster, const std::vector<bool>& checks,
                       device::Context& context) {
  for (int blocks = cluster.blocks;; --blocks) {
    auto module = context.modules()->module(source_of(graph, cluster, checks, blocks), context);
    if (blocks <= 2 || module->local_bytes(0) <= most_local_bytes) return {cluster, std::move(module)};
  }
}

template <class T>
class FusedOnCuda final : public GraphBlocks<T> {
 public:
  FusedOnCuda(Clustered all, device::Context& context, void* workspace)
      : GraphBlocks<T>(all.spec, context, workspace, all.lifetimes, false),
        clusters_(std::move(all.clusters)),
        checks_(checks_of(this->graph(), clusters_)),
        read_by_clusters_(read_by_clusters(this->graph(), clusters_)),
        cluster_of_(at_value(this->graph().values()), -1) {
    if (context.modules() == nullptr) throw DeviceError("graph", "there is no place for kernels of clusters");
    for (std::size_t n = 0; n < clusters_.size(); ++n) {
      kernels_.push_back(compile(this->graph(), clusters_[n], checks_[n], context));
      for (const StreamedValue& member : clusters_[n].members)
        cluster_of_[at_value(member.value)] = static_cast<int>(n);
    }
  }

 private:
  using Launches = std::vector<std::vector<ClusterLaunch>>;

  void launch(SlabWork& work) override {
    point_to_stored(work);
    Launches launches;
    for (std::size_t n = 0; n < clusters_.size(); ++n) {
      const ClusterLaunches own(this->graph(), clusters_[n], this->memory(), kernels_[n].resident_blocks());
      launches.push_back(own.of(work));
    }
    const std::vector<Rows> looked_at = rows_looked_at(launches);
    std::vector<bool> is_launched(clusters_.size());
    for (const Step& step : work.steps) {
      const int cluster = cluster_of_[at_value(step.value)];
      const bool is_load = !this->graph().is_node(step.value) && !step.stores;
      if (is_load && read_by_clusters_[at_value(step.value)]) continue;
      if (is_load && !looked_at[at_value(step.value)].empty()) {
        check(step, looked_at[at_value(step.value)]);
      } else if (cluster < 0 || step.stores) {
        step.launch(step.work, this->stream());
      } else if (!is_launched[at_value(cluster)]) {
        is_launched[at_value(cluster)] = true;
        for (const ClusterLaunch& own : launches[at_value(cluster)]) {
          kernels_[at_value(cluster)].launch(own, this->stream());
        }
      }
    }
  }
  /// Finds the rows of inputs that clusters read as they are stored: those that would be loaded.
  void point_to_stored(SlabWork& work) const {
    std::vector<bool> is_found(this->graph().inputs.size());
    for (const Step& step : work.steps) {
      if (step.stores || !is_read_as_stored(this->graph(), step.value)) continue;
      Pieces& pieces = work.pieces[at_value(step.value)];
      if (!is_found[at_value(step.value)]) pieces.clear();
      is_found[at_value(step.value)] = true;
      pieces.push_back({step.work.rows, step.work.operands[0]});
    }
  }

  /// The rows of inputs that clusters look through for NaN.
  std::vector<Rows> rows_looked_at(const Launches& launches) const {
    std::vector<Rows> found(this->graph().inputs.size());
    for (std::size_t n = 0; n < clusters_.size(); ++n) {
      const ClusterLaunches own(this->graph(), clusters_[n], this->memory(), kernels_[n].resident_blocks());
      for (std::size_t read = 0; read < checks_[n].size(); ++read) {
        if (!checks_[n][read]) continue;
        for (const ClusterLaunch& launch : launches[n]) {
          found[at_value(clusters_[n].reads[read].value)].add(own.looked_at(launch, read));
        }
      }
    }
    return found;
  }
  /// Looks through the rows of a step that no cluster looks through.
  void check(const Step& step, const Rows& looked_at) const {
    Work work = step.work;
    const auto look_at = [&](i64 begin, i64 end) {
      work.rows = {begin, end};
      if (work.rows.size() > 0) step.launch(work, this->stream());
    };
    i64 at = step.work.rows.begin;
    for (const Range& done : looked_at.ranges()) {
      look_at(at, std::min(done.begin, step.work.rows.end));
      at = std::max(at, done.end);
    }
    look_at(at, step.work.rows.end);
  }

  std::vector<Cluster> clusters_;
  std::vector<std::vector<bool>> checks_;
  std::vector<bool> read_by_clusters_;  // by input
  std::vector<int> cluster_of_;         // by value; -1: made alone, or an input
  std::vector<ClusterKernels> kernels_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_fused_cuda(const GraphSpec& spec, device::Context& context,
                                                     void* workspace) {
  Clustered all = clustered_spec(spec);
  if (spec.graph->type == ElementType::f32)
    return std::make_unique<FusedOnCuda<float>>(std::move(all), context, workspace);
  return std::make_unique<FusedOnCuda<double>>(std::move(all), context, workspace);
}

std::size_t fused_cuda_bytes(const GraphSpec& spec) {
  const Clustered all = clustered_spec(spec);
  return workspace_bytes(all.spec, all.lifetimes);
}

}  // namespace terrace::graph
