// The worker of a search: the kernel of tables, told which ones a phase has.
#pragma once

#include <memory>

#include "kernels/device/memory.hpp"
#include "pipeline/run/worker.hpp"
#include "stages/makespan/plan.hpp"

namespace terrace::stages {

class MakespanWorker : public run::Worker {
 public:
  /// @param plan outlives it
  MakespanWorker(const MakespanPlan& plan, device::Context& context) : plan_(plan), context_(context) {}

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  void set_tables(const run::Phase& phase);

  const MakespanPlan& plan_;
  device::Context& context_;
  std::unique_ptr<device::Memory> workspace_;  // outlives the kernel
  std::size_t workspace_bytes_ = 0;
  std::unique_ptr<dp_table::TableKernel> kernel_;
  std::shared_ptr<const RoundTables> tables_;  // that the kernel has
};

}  // namespace terrace::stages
