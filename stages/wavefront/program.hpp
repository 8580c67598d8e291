// A wavefront table as a program of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/wavefront/problems.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "pipeline/run/program.hpp"

namespace terrace::stages {

/// Where a program's arrays come from.
struct WavefrontInputs {
  std::shared_ptr<io::Source> rows, columns;  // codes of letters
  std::shared_ptr<io::Source> grid;
};

/// The cell that a sweep reports.
struct WavefrontScore {
  std::int64_t score = 0, row = 0, column = 0;
};

/// One phase: a chain of blocks, row-major over a grid of blocks. Borders are carries: `row_border` has a tile for
/// every column of blocks, generation i + 1 being the border below row i of blocks; `column_border` one for every row
/// of blocks, generation j + 1 being the border right of column j of blocks.
class WavefrontProgram : public run::Program {
 public:
  WavefrontProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem, const WavefrontInputs& inputs);
  ~WavefrontProgram() override;

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number) override;
  bool needs_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t number, std::int64_t index) const override;
  void open(device::Context& context, int device) override;
  std::size_t descriptor_bytes() const override { return sizeof(wavefront::BlockTask); }
  std::size_t result_bytes() const override { return sizeof(wavefront::BlockResult); }
  void describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, std::int64_t number, const device::Port& port, int attempt,
           device::Context& context, int device) override;
  void failed(const run::Phase& phase, std::int64_t number, std::int64_t index, int attempt) override;
  void fold(const run::Phase& phase, std::int64_t number, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const wavefront::SweepSpec& spec() const { return spec_; }
  const wavefront::ProblemInfo& problem() const { return problem_; }
  std::int64_t blocks() const { return down_ * across_; }
  /// The array that holds the table, or -1.
  int table_array() const { return table_; }
  /// Once all blocks are folded.
  const WavefrontScore& score() const { return score_; }

 private:
  struct Opened;

  int add(run::ArraySpec spec);
  Box part(std::int64_t index) const;

  wavefront::SweepSpec spec_;
  const wavefront::ProblemInfo& problem_;
  std::int64_t down_ = 0, across_ = 0;  // rows and columns of blocks
  std::int64_t row_planes_ = 1, column_planes_ = 1;
  std::vector<run::ArraySpec> arrays_;
  int rows_ = -1, columns_ = -1, grid_ = -1, row_border_ = -1, column_border_ = -1, table_ = -1;
  WavefrontScore score_;
  std::vector<std::unique_ptr<Opened>> opened_;  // one a device
};

/// Planes of the problem's borders, with these settings.
struct BorderPlanes {
  std::int64_t row = 1, column = 1;
};
BorderPlanes border_planes(const wavefront::SweepSpec& spec);

}  // namespace terrace::stages
