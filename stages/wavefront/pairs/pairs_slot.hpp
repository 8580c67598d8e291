// The accesses of blocks of pairs.
#pragma once

namespace terrace::stages {

/// Accesses of blocks of pairs. Of rows and columns there is one for each run of items.
enum class PairsSlot {
  rows,
  columns,
  packed,         // a list of pairs for a device
  computed,       // scores as a device computes them
  computed_ends,  // likewise
  known_scores,   // of long pairs, one access for each row of a block that has some
  known_ends,
  scores,
  ends,
  hits,
  hit_scores,
  list_pairs,
  list_scores,
  starts,
  identities,
  lengths,
  cigars,
  cigar_begins,
  cigar_list
};

}  // namespace terrace::stages
