// Totals of a table of distances as a program of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/recursive/updates.hpp"
#include "pipeline/run/program.hpp"
#include "stages/device_memory.hpp"

namespace terrace::stages {

/// How a table is read.
struct QueryPlan {
  ElementType value = ElementType::f32;
  std::int64_t nodes = 0;
  std::int64_t rows = 1;  // of a block, with all of their columns
  bool totals = false;    // whether it is read at all
  bool each = false;      // whether the largest distance from each node is kept
};

/// What the finite distances between different nodes come to. Those of integer types are whole, of others real.
struct DistanceTotals {
  std::int64_t finite = 0;
  std::int64_t least = 0, most = 0;
  std::int64_t high = 0, low = 0;  // the sum is high * 2^32 + low, low below 2^32
  double least_real = 0, most_real = 0, sum_real = 0;
  std::vector<std::int64_t> farthest;  // from each node, in integer types; infinity: from it none is finite
  std::vector<double> farthest_real;   // in others
};

/// One phase: a block reads some rows of the table.
class QueryProgram : public run::Program {
 public:
  QueryProgram(QueryPlan plan, std::shared_ptr<io::Source> matrix);
  ~QueryProgram() override;

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number) override;
  bool needs_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t number, std::int64_t index) const override;
  void open(device::Context& context, int device) override;
  std::size_t descriptor_bytes() const override;
  std::size_t result_bytes() const override;
  void describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, std::int64_t number, const device::Port& port, int attempt,
           device::Context& context, int device) override;
  void failed(const run::Phase& phase, std::int64_t number, std::int64_t index, int attempt) override;
  void fold(const run::Phase& phase, std::int64_t number, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const QueryPlan& plan() const { return plan_; }
  std::int64_t blocks() const;
  const DistanceTotals& totals() const { return totals_; }

 private:
  struct Opened {
    std::unique_ptr<DeviceMemory> workspace;
    std::unique_ptr<recursive::Updates> updates;
  };

  QueryPlan plan_;
  std::vector<run::ArraySpec> arrays_;
  std::vector<Opened> opened_;  // one a device
  DistanceTotals totals_;
};

}  // namespace terrace::stages
