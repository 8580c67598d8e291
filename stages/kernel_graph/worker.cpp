#include "stages/kernel_graph/worker.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/graph/methods.hpp"

namespace terrace::stages {

GraphWorker::GraphWorker(const GraphPlan& plan, device::Context& context) : plan_(plan), context_(context) {
  if (context.shares_host_memory()) {
    std::vector<graph::GraphSpec> specs;
    for (const PlannedPart& part : plan.parts()) specs.push_back(part.spec);
    rooms_ = graph::rooms_for(specs, static_cast<std::size_t>(plan.workspace()));
  } else {
    workspace_ = std::make_unique<device::Memory>(context, static_cast<std::size_t>(plan.workspace()));
  }
  kernels_.resize(plan.parts().size());
  specs_.resize(plan.parts().size());
  for (std::size_t part = 0; part < kernels_.size(); ++part) make_kernel(part, plan.parts()[part].spec);
}

void GraphWorker::make_kernel(std::size_t part, graph::GraphSpec spec) {
  specs_[part] = spec;
  spec.rooms = rooms_;
  kernels_[part] = plan_.parts()[part].compiled->make(spec, context_, workspace_.get());
}

void GraphWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  const graph::GraphTask task = plan_.task(phase, view);
  std::memcpy(descriptor, &task, sizeof task);
}

void GraphWorker::run(const run::Phase& phase, const device::Port& port, int) {
  const std::size_t part = plan_.turn_of(phase).part;
  graph::GraphSpec spec = plan_.spec_of(phase);
  if (spec.slab_rows != specs_[part].slab_rows || spec.known != specs_[part].known)
    make_kernel(part, std::move(spec));
  kernels_[part]->run(port);
}

}  // namespace terrace::stages
