// The best alignment of a pair of sequences, in memory of the square root of its table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/pairs/spec.hpp"

namespace terrace::pairs {

/// An alignment: letters consumed before it and after it, its operations (= X I D with counts), equal letters, and
/// columns of it.
struct Aligned {
  i64 score = 0;
  i64 start_row = 0, start_column = 0, end_row = 0, end_column = 0;
  i64 matches = 0, length = 0;
  std::string cigar;
};

/// Aligns one pair after another, in memory that it uses again.
class Aligner {
 public:
  virtual ~Aligner() = default;
  /// Among alignments of the best score that which a whole table's way back finds: diagonally where it can, else up,
  /// else left (wavefront/trace.hpp). @param rows, columns codes of letters @param found is overwritten
  virtual void align(std::span<const u8> rows, std::span<const u8> columns, Aligned& found) = 0;
};

/// @param spec of a problem on letters
std::unique_ptr<Aligner> make_aligner(const PairsSpec& spec);

/// Bytes that an aligner takes for a pair of so many letters.
std::size_t aligner_bytes(std::int64_t rows, std::int64_t columns);

}  // namespace terrace::pairs
