// In-place sweeps as a plan of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/in_place/sweep.hpp"
#include "kernels/in_place/task.hpp"
#include "pipeline/run/plan.hpp"

namespace terrace::stages {

/// The names of what a slab reads and writes, as in wavefront::InPlaceTask.
enum class InPlaceSlot { grid, before, result, above, below };

/// A phase is a pass: a chain of slabs (kernels/in_place/task.hpp). Pass p turns generation p of the grid,
/// the input where p is 0, into generation p + 1, whose rows lie against the slabs shifted by the pass's sweeps.
/// `border`, what a slab leaves for the next, has a generation for every slab of every pass but the last ones.
class InPlacePlan : public run::Plan {
 public:
  InPlacePlan(wavefront::InPlaceSpec spec, std::int64_t sweeps, std::shared_ptr<io::Source> grid);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  std::size_t descriptor_bytes() const override { return sizeof(wavefront::InPlaceTask); }
  std::size_t result_bytes() const override { return sizeof(wavefront::InPlaceResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  const wavefront::InPlaceSpec& spec() const { return spec_; }
  std::int64_t sweeps() const { return sweeps_; }
  std::int64_t passes() const { return passes_; }
  /// The descriptor of a slab of a pass, but for what its accesses point to.
  wavefront::InPlaceTask task_of(std::int64_t pass, std::int64_t slab) const;

 private:
  std::int64_t sweeps_of(std::int64_t pass) const;
  Box rows_box(std::int64_t begin, std::int64_t end) const { return {{begin, 0}, {end, spec_.columns}}; }

  wavefront::InPlaceSpec spec_;
  std::int64_t sweeps_, passes_;
  std::vector<run::ArraySpec> arrays_;
};

}  // namespace terrace::stages
