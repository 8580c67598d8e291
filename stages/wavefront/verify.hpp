// Parts of the results of the stage `wavefront`, computed again.
#pragma once

#include "kernels/wavefront/description.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// Everything that a stage of a finished result wrote. Sweeps in place and scores alone need all cells: they are
/// named.
std::vector<Checked> verify_wavefront(const VerifyRequest& request);

/// The table of a stage on sequences.
struct VerifiedTable {
  Settings settings;  // of the stage, with the scores of its matrix
  std::shared_ptr<const wavefront::Description> problem;
  std::int64_t rows = 0, columns = 0;
  ElementType value = ElementType::i64;                 // of values: that of their costs
  std::shared_ptr<io::Source> row_items, column_items;  // codes of letters, or values
};

/// Cells of sampled tiles from their stored neighbours; with affine gaps all cells above and to the left are read,
/// from which the gaps come that enter a tile. With the table its score, and the place of that.
Checked verify_table(const VerifyRequest& request, const VerifiedTable& table);

/// Cells between kept rows and columns, from those above and to the left of them.
Checked verify_borders(const VerifyRequest& request, const VerifiedTable& table);

/// The alignment, or the path of a warping, followed over the inputs: its score, and its end.
Checked verify_path(const VerifyRequest& request, const VerifiedTable& table);

/// Sums and counts of sampled tiles, from their stored neighbours and the grid.
std::vector<Checked> verify_sums(const VerifyRequest& request, const wavefront::Description& problem);

}  // namespace terrace::stages
