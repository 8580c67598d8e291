#include "kernels/graph/cuda/fused/clusters.hpp"

#include <algorithm>
#include <utility>

#include "kernels/graph/cuda/fused/compile.hpp"

namespace terrace::graph {
namespace {

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

}  // namespace

FusedClusters::FusedClusters(std::shared_ptr<const Composition> all, const GraphMemory& memory,
                             device::Context& context)
    : all_(std::move(all)),
      memory_(memory),
      checks_(checks_of(*all_->graph, all_->clusters)),
      read_by_clusters_(read_by_clusters(*all_)),
      cluster_of_(cluster_of_values(*all_)) {
  for (std::size_t n = 0; n < all_->clusters.size(); ++n) {
    kernels_.push_back(compile(*all_->graph, all_->clusters[n], checks_[n], context));
  }
}

FusedClusters::Slab::Slab(const FusedClusters& own, SlabWork& work)
    : own_(own), graph_(*own.all_->graph), is_launched_(own.kernels_.size()) {
  if (own.kernels_.empty()) return;
  point_to_stored(work);
  find_launches(work);
}

bool FusedClusters::Slab::launch(const Step& step, cudaStream_t stream) {
  if (own_.kernels_.empty() || step.stores) return false;
  const std::size_t value = at_value(step.value);
  if (!graph_.is_node(step.value)) {
    if (own_.read_by_clusters_[value]) return true;
    if (looked_at_[value].empty()) return false;
    check(step, looked_at_[value], stream);
    return true;
  }
  if (own_.cluster_of_[value] < 0) return false;
  const std::size_t cluster = at_value(own_.cluster_of_[value]);
  if (is_launched_[cluster]) return true;
  is_launched_[cluster] = true;
  for (const ClusterLaunch& launch : launches_[cluster]) own_.kernels_[cluster].launch(launch, stream);
  return true;
}

/// Finds the rows of inputs that clusters read as they are stored: those that would be loaded.
void FusedClusters::Slab::point_to_stored(SlabWork& work) const {
  std::vector<bool> is_found(graph_.inputs.size());
  for (const Step& step : work.steps) {
    if (step.stores || !is_read_as_stored(graph_, step.value)) continue;
    Pieces& pieces = work.pieces[at_value(step.value)];
    if (!is_found[at_value(step.value)]) pieces.clear();
    is_found[at_value(step.value)] = true;
    pieces.push_back({step.work.rows, step.work.operands[0]});
  }
}

/// Finds the launches, and the rows of inputs that these look through for NaN.
void FusedClusters::Slab::find_launches(const SlabWork& work) {
  looked_at_.resize(graph_.inputs.size());
  for (std::size_t n = 0; n < own_.kernels_.size(); ++n) {
    const Cluster& cluster = own_.all_->clusters[n];
    const ClusterLaunches all(graph_, cluster, own_.memory_.state, own_.memory_.numbers,
                              own_.kernels_[n].resident_blocks());
    launches_.push_back(all.of(work));
    for (std::size_t read = 0; read < own_.checks_[n].size(); ++read) {
      if (!own_.checks_[n][read]) continue;
      for (const ClusterLaunch& launch : launches_.back()) {
        looked_at_[at_value(cluster.reads[read].value)].add(all.looked_at(launch, read));
      }
    }
  }
}

/// Looks through the rows of a step that no cluster looks through.
void FusedClusters::Slab::check(const Step& step, const Rows& looked_at, cudaStream_t stream) {
  Work work = step.work;
  const auto look_at = [&](i64 begin, i64 end) {
    work.rows = {begin, end};
    if (work.rows.size() > 0) step.launch(work, stream);
  };
  i64 at = step.work.rows.begin;
  for (const Range& done : looked_at.ranges()) {
    look_at(at, std::min(done.begin, step.work.rows.end));
    at = std::max(at, done.end);
  }
  look_at(at, step.work.rows.end);
}

}  // namespace terrace::graph
