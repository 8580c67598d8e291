// In-place sweeps as a program of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/in_place/sweep.hpp"
#include "pipeline/run/program.hpp"

namespace terrace::stages {

/// A phase is a pass: a chain of slabs (kernels/in_place/task.hpp). Pass p turns generation p of the grid,
/// the input where p is 0, into generation p + 1, whose rows lie against the slabs shifted by the pass's sweeps.
/// `border`, what a slab leaves for the next, has a generation for every slab of every pass but the last ones.
class InPlaceProgram : public run::Program {
 public:
  InPlaceProgram(wavefront::InPlaceSpec spec, std::int64_t sweeps, std::shared_ptr<io::Source> grid);
  ~InPlaceProgram() override;

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number) override;
  bool needs_results(std::int64_t) const override { return false; }
  std::string part(const run::Phase& phase) const override;
  run::Block block(const run::Phase& phase, std::int64_t number, std::int64_t index) const override;
  void open(device::Context& context, int device) override;
  std::size_t descriptor_bytes() const override;
  std::size_t result_bytes() const override;
  void describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, std::int64_t number, const device::Port& port, int attempt,
           device::Context& context, int device) override;
  void failed(const run::Phase& phase, std::int64_t number, std::int64_t index, int attempt) override;
  void fold(const run::Phase&, std::int64_t, std::int64_t, const void*) override {}
  std::string save() const override { return "{}"; }
  void load(const std::string&) override {}

  const wavefront::InPlaceSpec& spec() const { return spec_; }
  std::int64_t sweeps() const { return sweeps_; }
  std::int64_t passes() const { return passes_; }

 private:
  struct Opened;
  /// Rows of a slab, and those that a pass leaves finished with it.
  struct Rows {
    std::int64_t begin, end, done_begin, done_end;
  };

  Rows rows_of(std::int64_t slab, std::int64_t sweeps) const;
  std::int64_t sweeps_of(std::int64_t pass) const;
  Box rows_box(std::int64_t begin, std::int64_t end) const { return {{begin, 0}, {end, spec_.columns}}; }

  wavefront::InPlaceSpec spec_;
  std::int64_t sweeps_, passes_;
  std::vector<run::ArraySpec> arrays_;
  std::vector<std::unique_ptr<Opened>> opened_;  // one a device
};

}  // namespace terrace::stages
