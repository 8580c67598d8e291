// The names of nodes that a stage of a job reads.
#pragma once

#include <memory>

#include "io/node_names.hpp"

namespace terrace::app {

/// Collects the names of the nodes whose matrices a step reads.
class NodesRead {
 public:
  void add(const std::shared_ptr<const io::NodeNames>& nodes) {
    if (!nodes) return;
    if (!nodes_) nodes_ = nodes;
    else differ_ = differ_ || !(*nodes_ == *nodes);
  }
  /// The names; null if there are none, or different ones.
  std::shared_ptr<const io::NodeNames> nodes() const { return differ_ ? nullptr : nodes_; }

 private:
  std::shared_ptr<const io::NodeNames> nodes_;
  bool differ_ = false;
};

}  // namespace terrace::app
