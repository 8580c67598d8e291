// Groups of pairs, one in each lane of a vector, as the kernels of an instruction set take them.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/pairs/task.hpp"

namespace terrace::pairs {

/// Lanes of a vector, at most.
inline constexpr int most_lanes = 64;
/// Columns of letters that a kernel makes at a time, at most: these are there up to a multiple of it.
inline constexpr i64 most_block = 8;
/// Scores of a letter with every letter of a matrix, and with the letter that stands beyond an item's end.
inline constexpr int table_width = 32;
inline constexpr u8 matrix_pad = 31;
/// Letters of the rows whose scores with the columns are kept, at most.
inline constexpr int most_profile_letters = 32;
/// Bytes of the longest vector.
inline constexpr i64 most_vector_bytes = 64;

/// A lane's pair.
struct LaneItem {
  i32 rows, columns;  // 0 of lanes without a pair
};

/// The reported cell of a lane's pair: what is known before its first cell, and then.
struct LaneBest {
  i64 score;
  i32 row, column;
};

/// Scoring of letters (wavefront/problems), times the scale.
struct LetterScores {
  i64 match = 0, mismatch = 0;
  i64 first = 0, next = 0;                       // letters of gaps; of linear ones they are equal
  bool free_rows = false, free_columns = false;  // free ends (Needleman-Wunsch)
  const i8* matrix = nullptr;                    // of each letter of the rows a table; null: match and mismatch
  const i8* matrix_by_columns = nullptr;         // the same of each letter of the columns
  i64 scale = 1;                                 // of the matrix
};

/// Ways to find scores of the letters of a row.
enum class Scoring {
  equal,   // letters are compared; each lane has rows of its own
  shared,  // all lanes have the same rows: scores of their letters with a column are kept
  mixed,   // from a matrix, and each lane has rows of its own
};

/// Alignments of letters.
struct LettersWork {
  LetterScores scores;
  i64 rows = 0, columns = 0;    // of the lane that has most
  i64 least_rows = 0;           // of the lane that has fewest
  i64 lanes = 0;                // with pairs
  const u8* row_letters;        // of each row a letter of every lane; shared: an index of `letters`
  const u8* column_letters;     // of each column a letter of every lane
  const u8* letters = nullptr;  // shared: letters that the rows have
  i64 letter_count = 0;
  const LaneItem* items;
  LaneBest* best;
  u8* memory;                 // letters_bytes()
  bool overflow[most_lanes];  // on return: the lane's score may have left the type
};

using LettersFunction = void (*)(LettersWork& work);

/// Which of the kernels of letters.
struct LettersKind {
  bool local;   // Smith-Waterman; else Needleman-Wunsch
  bool affine;  // gaps
  bool ends;    // of local alignments, where the best cell is
  int bytes;    // of a value: 1 (local), 2 or 4
  Scoring scoring;
};

/// Memory that a kernel of letters works in.
constexpr i64 letters_bytes(i64 rows) {
  return most_vector_bytes *
         (rows * (2 + most_block) + (most_profile_letters + 16) * most_block + 64 * table_width / 8 * 8);
}

/// One local alignment in all lanes.
struct StripedWork {
  LetterScores scores;
  i64 rows = 0, columns = 0;
  const u8* row_letters;
  const u8* column_letters;  // places in `letters`
  const u8* letters;         // that the columns have
  i64 letter_count = 0;
  u8 pad = 0;          // stands beyond the rows' end
  bool is_new = true;  // false: the rows and the letters are those of the call before
  u8* memory;          // striped_bytes()
  i64 score = 0;
  bool overflow = false;  // the score may have left the type
};

using StripedFunction = void (*)(StripedWork& work);

constexpr i64 striped_bytes(i64 rows, i64 letters) {
  return (rows + most_lanes) * 2 * (letters + 3) + most_vector_bytes;
}

/// Words of rows that a strip has at most.
inline constexpr i64 strip_words = 4;
/// Columns whose bits are a word.
inline constexpr i64 chunk_columns = 64;

/// A strip of words of rows over columns of a chunk, in differences (P::Bits of wavefront problems). A lane has a
/// pair's words. All are changed as the columns are taken.
struct BitsWork {
  i64 words;           // 1 to strip_words
  i64 columns;         // that are taken now
  int planes;          // of letters
  const u64* letters;  // of each word its planes, of all lanes
  u64 *plus, *minus;   // of each word, of all lanes: rows with the difference 1 and -1
  u64* codes;          // the chunk's columns: planes, of all lanes; the next column in the highest bit
  u64* above[2];       // likewise, differences along the row above
  u64* below[2];       // those of the strip's last row are shifted in
};

using BitsFunction = void (*)(BitsWork& work);

/// Time warping of values.
struct SeriesWork {
  i64 rows = 0, columns = 0;  // of the lane that has most
  i64 least_rows = 0;         // of the lane that has fewest
  i64 lanes = 0;              // with pairs
  i64 window = 0;
  bool free_columns = false;  // rows are warped to any part of the columns
  double at_most;             // lanes may be left when their costs are sure to exceed it; free columns: they are not
  const void* row_values;     // of each row a value of every lane
  const void* column_values;  // likewise; there up to a multiple of most_block
  const LaneItem* items;
  void* scores;  // of each lane; infinite where it was left
  i32* ends;     // of each lane, columns up to the end of its best warping
  i64 left = 0;  // on return: lanes that were left before their last column
  u8* memory;    // series_bytes()
};

using SeriesFunction = void (*)(SeriesWork& work);

/// Memory that a kernel of series works in.
constexpr i64 series_bytes(i64 rows) { return most_vector_bytes * rows * (1 + most_block); }

// Kernels of an instruction set. The number of a problem is its place in wavefront::Problems; null: there is none.
namespace sse2 {
LettersFunction letters_function(const LettersKind& kind);
StripedFunction striped_function(int bytes);
BitsFunction bits_function(int problem);
SeriesFunction series_function(int problem, bool wide);
}  // namespace sse2
namespace avx2 {
LettersFunction letters_function(const LettersKind& kind);
StripedFunction striped_function(int bytes);
BitsFunction bits_function(int problem);
SeriesFunction series_function(int problem, bool wide);
}  // namespace avx2
namespace avx512 {
LettersFunction letters_function(const LettersKind& kind);
StripedFunction striped_function(int bytes);
BitsFunction bits_function(int problem);
SeriesFunction series_function(int problem, bool wide);
}  // namespace avx512

}  // namespace terrace::pairs
