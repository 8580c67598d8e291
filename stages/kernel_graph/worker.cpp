#include "stages/kernel_graph/worker.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/graph/methods.hpp"

namespace terrace::stages {

GraphWorker::GraphWorker(const GraphPlan& plan, device::Context& context) : plan_(plan) {
  std::shared_ptr<graph::Rooms> rooms;
  if (context.shares_host_memory()) {
    std::vector<graph::GraphSpec> specs;
    for (const PlannedPart& part : plan.parts()) specs.push_back(part.spec);
    rooms = graph::rooms_for(specs);
  } else {
    workspace_ = std::make_unique<device::Memory>(context, workspace_bytes(plan, context.limits()));
  }
  for (const PlannedPart& part : plan.parts()) {
    graph::GraphSpec spec = part.spec;
    spec.rooms = rooms;
    kernels_.push_back(part.method->make(spec, context, workspace_ ? workspace_->data() : nullptr));
  }
}

void GraphWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  const graph::GraphTask task = plan_.task(phase, view);
  std::memcpy(descriptor, &task, sizeof task);
}

void GraphWorker::run(const run::Phase& phase, const device::Port& port, int) {
  kernels_[static_cast<std::size_t>(phase.number)]->run(port);
}

}  // namespace terrace::stages
