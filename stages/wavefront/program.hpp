// What the programs of blocks that sweep a wavefront table share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/wavefront/problems.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "pipeline/run/program.hpp"
#include "stages/device_memory.hpp"

namespace terrace::stages {

/// Where a program's arrays come from.
struct WavefrontInputs {
  std::shared_ptr<io::Source> rows, columns;  // codes of letters
  std::shared_ptr<io::Source> grid;
};

/// The cell that a table reports.
using WavefrontScore = wavefront::BlockResult;

/// Planes of the problem's borders, with these settings.
struct BorderPlanes {
  std::int64_t row = 1, column = 1;
};
BorderPlanes border_planes(const wavefront::SweepSpec& spec);

/// Of the problem's window with these settings; wavefront::no_window where it has none.
std::int64_t half_width(const wavefront::SweepSpec& spec);

/// A table's inputs as arrays, and the cell that its sweeps report.
class WavefrontProgram : public run::Program {
 public:
  WavefrontProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem, const WavefrontInputs& inputs);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::size_t result_bytes() const override { return sizeof(wavefront::BlockResult); }
  void failed(const run::Phase& phase, std::int64_t number, std::int64_t index, int attempt) override;

  const wavefront::SweepSpec& spec() const { return spec_; }
  const wavefront::ProblemInfo& problem() const { return problem_; }
  /// Blocks of the sweep over the whole table.
  std::int64_t blocks() const { return down_ * spec_.layers * across_; }
  /// Once the blocks of that sweep are folded.
  const WavefrontScore& score() const { return score_; }

 protected:
  int add(run::ArraySpec spec);
  /// Where block `index` of the sweep over the whole table is: row of blocks, layer, column of blocks.
  struct BlockPlace {
    std::int64_t i, layer, j;
  };
  BlockPlace place_of(std::int64_t index) const {
    return {index / (across_ * spec_.layers), index / across_ % spec_.layers, index % across_};
  }
  /// Rows and columns of that block.
  Box part(std::int64_t index) const;
  /// What the block `index` of that sweep reads of the inputs.
  void read_inputs(const Box& cells, std::vector<run::Access>& accesses) const;
  /// Takes in the result of block `index` of that sweep.
  void fold_score(std::int64_t index, const void* result);

  wavefront::SweepSpec spec_;
  const wavefront::ProblemInfo& problem_;
  std::int64_t down_ = 0, across_ = 0;  // rows and columns of blocks
  BorderPlanes planes_;
  std::int64_t window_;  // half width
  std::vector<run::ArraySpec> arrays_;
  int rows_ = -1, columns_ = -1, grid_ = -1;
  WavefrontScore score_{};
};

}  // namespace terrace::stages
