#include "stages/kernel_graph/worker.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <future>
#include <system_error>
#include <utility>

#include "kernels/graph/methods.hpp"

namespace terrace::stages {
namespace {

/// Threads that make kernels, most of whose time is a compiler's.
constexpr std::size_t most_makers = 8;

}  // namespace

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
  make_kernels();
}

void GraphWorker::make_kernels() {
  std::atomic<std::size_t> next{0};
  const auto make = [&] {
    for (std::size_t part = next++; part < kernels_.size(); part = next++)
      make_kernel(part, plan_.parts()[part].spec);
  };
  std::vector<std::future<void>> others;
  try {
    while (others.size() + 1 < std::min(most_makers, kernels_.size())) {
      others.push_back(std::async(std::launch::async, make));
    }
  } catch (const std::system_error&) {  // no more threads: those that are there make all
  }
  std::exception_ptr failure;
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      next = kernels_.size();
      if (!failure) failure = std::current_exception();
    }
  };
  guarded(make);
  for (std::future<void>& other : others) guarded([&] { other.get(); });
  if (failure) std::rethrow_exception(failure);
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
