// The common part of plans that sweep a wavefront table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/wavefront/blocks.hpp"
#include "stages/wavefront/counted_letters.hpp"
#include "stages/wavefront/dealing.hpp"
#include "stages/wavefront/slots.hpp"

namespace terrace::stages {

/// The sources of a plan's arrays.
struct WavefrontInputs {
  std::shared_ptr<io::Source> rows, columns;  // codes of letters
  std::shared_ptr<io::Source> grid;
  LetterCounts letters = {};  // of these sequences, those whose letters are counted as they are read
  Watch watch = nullptr;      // of what is read beside the blocks
  Dealing dealing = {};
  bool seed_limits = false;  // bands of diagonals may be cut to the limits of seeds (seed_limits.hpp)
};

/// Planes of a problem's borders.
struct BorderPlanes {
  std::int64_t row = 1, column = 1;
};

/// A table's inputs as arrays, and the blocks of the sweep over the whole table.
class WavefrontPlan : public run::Plan {
 public:
  WavefrontPlan(wavefront::SweepSpec spec, const WavefrontInputs& inputs);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  bool depends_on_results(std::int64_t number) const override { return number > 0; }
  int devices(int available) const override;
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override;
  std::size_t result_bytes() const override { return sizeof(wavefront::BlockResult); }

  const wavefront::SweepSpec& spec() const { return spec_; }
  const wavefront::Description& problem() const { return *spec_.description; }
  const LetterCounts& letters() const { return letters_; }
  std::int64_t blocks() const { return down_ * spec_.layers * across_; }
  const Dealing& dealing() const { return dealing_; }
  bool seed_limits() const { return seed_limits_; }
  /// Rows and columns of block `index`.
  Box cells_of(std::int64_t index) const;

 protected:
  int add(run::ArraySpec spec);
  /// The place of block `index`: row of blocks, layer, column of blocks.
  struct BlockPlace {
    std::int64_t i, layer, j;
  };
  BlockPlace place_of(std::int64_t index) const {
    if (spec_.by_strips) return {index % down_, 0, index / down_};
    return {index / (across_ * spec_.layers), index / across_ % spec_.layers, index % across_};
  }
  /// Adds the parts of the inputs that a block of these cells reads.
  void read_inputs(const Box& cells, std::vector<run::Access>& accesses) const;
  /// The sources of letters or values.
  io::Source& row_items() const { return *arrays_[static_cast<std::size_t>(rows_)].source; }
  io::Source& column_items() const { return *arrays_[static_cast<std::size_t>(columns_)].source; }
  /// Generations of a row border that may live at a time.
  std::int64_t kept_row_borders() const { return (spec_.by_strips ? strip_blocks_in_flight : blocks_in_flight) + 2; }
  /// Watches what is read beside the blocks.
  const Watch& watch() const { return watch_; }

  wavefront::SweepSpec spec_;           // with its description
  std::int64_t down_ = 0, across_ = 0;  // rows and columns of blocks
  BorderPlanes planes_;
  std::int64_t window_;  // half width

 private:
  Dealing dealing_;
  bool seed_limits_;
  Watch watch_;
  LetterCounts letters_;
  std::vector<run::ArraySpec> arrays_;
  int rows_ = -1, columns_ = -1, grid_ = -1;
};

}  // namespace terrace::stages
