#include "stages/makespan/worker.hpp"

#include <cstring>

namespace terrace::stages {

void MakespanWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  const dp_table::TableTask task = plan_.task(phase, view);
  std::memcpy(descriptor, &task, sizeof task);
}

void MakespanWorker::run(const run::Phase& phase, const device::Port& port, int) {
  set_tables(phase);
  kernel_->run(port);
}

/// All launches of earlier phases are over: a phase depends on their results.
void MakespanWorker::set_tables(const run::Phase& phase) {
  const std::shared_ptr<const RoundTables> round = plan_.tables_of(phase);
  if (round == tables_) return;
  std::vector<dp_table::Table> tables;
  for (const ProbeTable& probe : round->probes) tables.push_back(probe.sized.table);
  if (context_.shares_host_memory()) {
    if (!kernel_) kernel_ = dp_table::make_tables_cpu(tables.front(), context_);
  } else if (const std::size_t bytes = dp_table::tables_cuda_bytes(tables); !kernel_ || bytes > workspace_bytes_) {
    kernel_.reset();
    workspace_.reset();
    workspace_ = std::make_unique<device::Memory>(context_, bytes);
    workspace_bytes_ = bytes;
    kernel_ = dp_table::make_tables_cuda(tables.front(), context_, workspace_->data(), bytes);
  }
  kernel_->set_tables(tables);
  tables_ = round;
}

}  // namespace terrace::stages
