// The CPU tracer of problems with a bit-parallel form: the way back between lines kept in differences.
#include <algorithm>
#include <vector>

#include "kernels/launch/cpu_launch.hpp"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {
namespace {

using device::u64;
using device::u8;

/// A word of 64 rows, with the operations of P::Bits.
struct Word64 {
  u64 v;

  constexpr Word64(u64 bits = 0) : v(bits) {}
};
constexpr Word64 operator&(Word64 a, Word64 b) { return a.v & b.v; }
constexpr Word64 operator|(Word64 a, Word64 b) { return a.v | b.v; }
constexpr Word64 operator^(Word64 a, Word64 b) { return a.v ^ b.v; }
constexpr Word64 operator~(Word64 a) { return ~a.v; }
constexpr Word64 add_bits(Word64 a, Word64 b) { return a.v + b.v; }
constexpr Word64 shift_in(Word64 word, Word64& bit) {
  const u64 shifted = word.v << 1 | bit.v;
  bit = word.v >> 63;
  return shifted;
}
constexpr Word64 add_with_carry(Word64 a, Word64 b, Word64& carry) {
  const u64 sum = a.v + b.v + carry.v;
  carry = (b.v | (a.v & ~sum)) >> 63;  // a has all bits of b
  return sum;
}

constexpr i64 words_of(i64 cells) { return (cells + word_cells - 1) / word_cells; }

constexpr i64 plain_codes = 4;  // codes below this have their rows looked up

/// Computes pieces again in differences, with two bits a cell for the direction in which a path leaves it, and walks.
template <class P>
class CpuBitTracer : public device::BlockKernel {
 public:
  explicit CpuBitTracer(const TraceSpec& spec) {
    const auto words = static_cast<std::size_t>(words_of(spec.cell_rows));
    rows_.resize(words);
    differ_.resize((plain_codes + 1) * words);
    top_.resize(static_cast<std::size_t>(words_of(spec.cell_columns)));
    ways_.resize(words * static_cast<std::size_t>(spec.cell_columns));
  }

  void run(const device::Port& port) override {
    device::compute_in_order<BitTraceTask, TraceResult>(port, [&](const BitTraceTask& task, TraceResult& result) {
      trace(task, result);
      return true;
    });
  }

 private:
  using Bits = typename P::Bits;
  static constexpr int planes = Bits::planes;
  static constexpr bool pairs = Bits::counts_pairs;

  /// Cells of one word in one column that a path leaves diagonally, and of the others, those that it leaves up.
  struct Ways {
    u64 diagonal, up;
  };
  /// Rows and columns of the computed piece, and the part of it that is computed.
  struct Piece {
    i64 row, column, height, width;

    i64 words() const { return words_of(height); }
  };

  void trace(const BitTraceTask& task, TraceResult& result) {
    PathPlace place = task.place;
    result.count = 0;
    const auto* rows = static_cast<const u8*>(task.rows) - task.row_begin;
    const auto* columns = static_cast<const u8*>(task.columns) - task.column_begin;
    while (place.row > task.row_begin && place.column > task.column_begin && !place.ended && !result.full()) {
      const Piece piece = piece_of(task, place);
      compute(task, piece);
      walk_path<P>(
          piece.row, piece.column, place, result,
          [&](i64 row, i64 column) { return code_at(piece, row - piece.row, column - piece.column); },
          [&](i64 row, i64 column) { return rows[row] == columns[column]; });
    }
    result.place = place;
  }

  /// The piece that the path is in, up to the place at which it enters it.
  static Piece piece_of(const BitTraceTask& task, const PathPlace& place) {
    const TracePiece piece = trace_piece(task, place);
    return {piece.row, piece.column, place.row - piece.row, place.column - piece.column};
  }

  u32 code_at(const Piece& piece, i64 row, i64 column) const {
    const Ways& ways = ways_[static_cast<std::size_t>(column * piece.words() + row / word_cells)];
    const i64 bit = row % word_cells;
    if (ways.diagonal >> bit & 1) return TraceCode::diagonal;
    return ways.up >> bit & 1 ? TraceCode::up : TraceCode::left;
  }

  void compute(const BitTraceTask& task, const Piece& piece) {
    load_letters(task, piece);
    load_before(task, piece);
    load_above(task, piece);
    const auto* columns = static_cast<const u8*>(task.columns) + (piece.column - task.column_begin);
    const i64 words = piece.words();
    other_ = -1;
    for (i64 j = 0; j < piece.width; ++j) {
      const BitWord& above = top_[static_cast<std::size_t>(j / word_cells)];
      const i64 shift = word_cells - 1 - j % word_cells;
      column(words, differ_from(task, piece, columns[j]), {above.plus >> shift & 1, above.minus >> shift & 1},
             ways_.data() + j * words);
    }
  }

  /// One column of the piece. @param above the difference above its first row, from the column before
  void column(i64 words, const u64* differ, BitWord above, Ways* ways) {
    Word64 bits[planes];
    bits[0] = above.plus;
    if constexpr (planes > 1) bits[1] = above.minus;
    for (i64 w = 0; w < words; ++w) {
      typename Bits::template Rows<Word64> rows = rows_[static_cast<std::size_t>(w)];
      const u64 plus = Bits::template plus<Word64>(rows).v;
      const u64 minus = Bits::template minus<Word64>(rows).v;
      Word64 across[planes];
      Bits::template column<Word64>(rows, differ[w], bits, across);
      rows_[static_cast<std::size_t>(w)] = rows;
      ways[w] = ways_of(plus, minus, across, Bits::template plus<Word64>(rows).v, differ[w]);
    }
  }

  /// From the differences down the column before, across the rows, and down this column.
  static Ways ways_of(u64 before_plus, u64 before_minus, const Word64 (&across)[planes], u64 plus, u64 differ) {
    // H(i, j) - H(i-1, j-1), which is 0 or 1, by way of H(i, j-1).
    u64 minus_across = 0;
    if constexpr (planes > 1) minus_across = across[1].v;
    const u64 rises = (before_plus | across[0].v) & ~(before_minus | minus_across);
    // A pair of equal letters adds 1 or nothing, a pair of others the opposite; a letter without a partner adds 1
    // if differences are counted.
    if constexpr (pairs) return {rises ^ differ, ~plus};
    else return {~(rises ^ differ), plus};
  }

  /// Rows that do not have a letter of columns.
  const u64* differ_from(const BitTraceTask& task, const Piece& piece, u8 code) {
    const i64 words = piece.words();
    if (code < plain_codes) return differ_.data() + code * words;
    u64* differ = differ_.data() + plain_codes * words;
    if (other_ != code) find_letter(task, piece, code, differ);
    other_ = code;
    return differ;
  }

  void load_letters(const BitTraceTask& task, const Piece& piece) {
    for (i64 code = 0; code < plain_codes; ++code) {
      find_letter(task, piece, static_cast<u8>(code), differ_.data() + code * piece.words());
    }
  }

  void find_letter(const BitTraceTask& task, const Piece& piece, u8 code, u64* differ) const {
    const auto* rows = static_cast<const u8*>(task.rows) + (piece.row - task.row_begin);
    for (i64 w = 0; w < piece.words(); ++w) {
      const i64 first = w * word_cells, count = std::min(word_cells, piece.height - first);
      u64 word = 0;
      for (i64 i = 0; i < count; ++i) word |= static_cast<u64>(rows[first + i] != code) << i;
      differ[w] = word;
    }
  }

  /// Differences down the column before the piece.
  void load_before(const BitTraceTask& task, const Piece& piece) {
    const BitLine line = line_before<P>(task, {piece.row, piece.column});
    for (i64 w = 0; w < piece.words(); ++w) {
      const BitWord word = line.word<P>(w, load);
      rows_[static_cast<std::size_t>(w)] = Bits::template rows<Word64>(word.plus, word.minus);
    }
  }

  /// Differences along the row above the piece.
  void load_above(const BitTraceTask& task, const Piece& piece) {
    const BitLine line = line_above<P>(task, {piece.row, piece.column});
    for (i64 w = 0; w < words_of(piece.width); ++w) top_[static_cast<std::size_t>(w)] = line.word<P>(w, load);
  }

  static u64 load(const u64* word) { return *word; }

  i64 other_ = -1;  // the letter whose rows follow those that are looked up
  std::vector<typename Bits::template Rows<Word64>> rows_;
  std::vector<u64> differ_;
  std::vector<BitWord> top_;
  std::vector<Ways> ways_;  // [column][word]
};

}  // namespace

bool has_bits(const std::string& problem, const Settings& settings) {
  return describe(problem, settings)->bits.has_value();
}

void check_bit_tracer(const char* maker, const TraceSpec& spec) {
  if (spec.cell_rows < 1 || spec.cell_columns < 1 || spec.cell_rows % word_cells != 0 ||
      spec.cell_columns % word_cells != 0) {
    throw DeviceError(maker, "pieces of " + std::to_string(spec.cell_rows) + " x " +
                                 std::to_string(spec.cell_columns) + " cells are no whole words");
  }
  if (!has_bits(spec.problem, spec.settings)) throw DeviceError(maker, spec.problem + " has no bit-parallel form");
}

std::unique_ptr<device::BlockKernel> make_cpu_bit_tracer(const TraceSpec& spec) {
  check_bit_tracer("make_cpu_bit_tracer", spec);
  std::unique_ptr<device::BlockKernel> tracer;
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (requires { typename P::Bits; }) tracer = std::make_unique<CpuBitTracer<P>>(spec);
  });
  return tracer;
}

std::size_t cpu_bit_trace_bytes(const TraceSpec& spec) {
  const i64 words = words_of(spec.cell_rows), row_bytes = 64, word_bytes = 16;
  return static_cast<std::size_t>(words * row_bytes + words * spec.cell_columns * word_bytes +
                                  words_of(spec.cell_columns) * word_bytes);
}

}  // namespace terrace::wavefront
