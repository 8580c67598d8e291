// Distances by bits with a pair in each lane.
//
// Strips of some words of rows go over the columns, one strip after another. With a limit a strip has the columns
// alone that paths of at most that cost meet: beside these its first differences are those of steps along the edge,
// so that values are those of paths, and the least one is there if it is no more than the limit (Ukkonen 1985).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/pairs/cpu/groups.hpp"
#include "kernels/pairs/cpu/lanes.hpp"
#include "kernels/pairs/cpu/packed.hpp"
#include "kernels/pairs/cpu/work.hpp"
#include "kernels/pairs/plain.hpp"
#include "kernels/values/vectors.hpp"

namespace terrace::pairs {
namespace {

using device::InstructionSet;
using values::low_bits;

constexpr i64 strip_rows = 64 * strip_words;

i64 chunks_of(i64 letters) { return (letters + chunk_columns - 1) / chunk_columns; }

/// Memory of a thread: words of all lanes side by side.
struct BitsScratch {
  std::vector<u64> rows, columns;  // of each word, or chunk, its planes
  std::vector<u64> edge[2];        // of each chunk: differences along the row above the strip
};

/// The pairs of a vector, strip by strip. @tparam counts_pairs P::Bits::counts_pairs
class BitsGroup {
 public:
  BitsGroup(BitsFunction function, bool counts_pairs, int edge_planes, i64 lanes, int planes, BitsScratch& scratch)
      : function_(function),
        counts_pairs_(counts_pairs),
        edge_planes_(edge_planes),
        lanes_(lanes),
        planes_(planes),
        scratch_(scratch) {}

  /// A pair that is not empty. @param low, high diagonals, column less row, that its paths have
  void add(i64 lane, const PackedItems& rows, i64 row, const PackedItems& columns, i64 column, i64 low, i64 high) {
    Lane& own = lane_[static_cast<std::size_t>(lane)];
    own = {rows.length(row), columns.length(column), rows.words(row), columns.words(column), 0, 0};
    rows_ = std::max(rows_, own.rows);
    columns_ = std::max(columns_, own.columns);
    low_ = std::min(low_, low);
    high_ = std::max(high_, high);
  }

  void run() {
    write(scratch_.rows, chunks_of(rows_), [](const Lane& lane) { return std::pair(lane.row_words, lane.rows); });
    write(scratch_.columns, chunks_of(columns_),
          [](const Lane& lane) { return std::pair(lane.column_words, lane.columns); });
    const auto edge = static_cast<std::size_t>(chunks_of(columns_) * lanes_);
    scratch_.edge[0].assign(edge, counts_pairs_ ? 0 : ~u64{0});
    scratch_.edge[1].assign(edge, 0);
    for (i64 row = 0; row < rows_; row += strip_rows) make_strip(row);
  }

  i64 score(i64 lane) const { return lane_[static_cast<std::size_t>(lane)].score; }

 private:
  struct Lane {
    i64 rows = 0, columns = 0;
    const u64 *row_words = nullptr, *column_words = nullptr;
    i64 corner = 0;  // the value at the strip's upper left end
    i64 score = 0;
  };

  static constexpr i64 most_vector_words = most_vector_bytes / 8;
  using Corners = std::array<i64, static_cast<std::size_t>(most_vector_words)>;

  template <class WordsOf>
  void write(std::vector<u64>& out, i64 words, const WordsOf& words_of) const {
    out.resize(static_cast<std::size_t>(words * planes_ * lanes_));
    for (i64 lane = 0; lane < lanes_; ++lane) {
      const auto [from, letters] = words_of(lane_[static_cast<std::size_t>(lane)]);
      const i64 count = chunks_of(letters) * planes_;
      u64* to = out.data() + lane;
      for (i64 at = 0; at < count; ++at) to[at * lanes_] = from[at];
      for (i64 at = count; at < words * planes_; ++at) to[at * lanes_] = 0;
    }
  }

  /// The first chunk with columns of a strip that begins at a row.
  i64 first_chunk(i64 row) const { return low_ < -rows_ ? 0 : std::max<i64>(0, row + low_) / chunk_columns; }
  i64 last_chunk(i64 row) const {
    const i64 end = std::min(columns_, high_ > columns_ ? columns_ : row + strip_rows + high_);
    return std::min(chunks_of(columns_), chunks_of(std::max<i64>(end, 0)));
  }

  void make_strip(i64 row) {
    row_ = row;
    words_ = std::min(strip_words, chunks_of(rows_ - row));
    plus_.fill(counts_pairs_ ? 0 : ~u64{0});
    minus_.fill(0);
    // The rows below the last strip, of which `next` speaks there, may have no columns.
    const i64 begin = first_chunk(row), next = std::min(first_chunk(row + strip_rows), chunks_of(columns_));
    const i64 end = std::max(next, last_chunk(row));
    Corners top{}, corner{};  // the value above the strip, beside the chunk
    for (i64 lane = 0; lane < lanes_; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      top[at] = lane_[at].corner;
      if (next == 0) corner[at] = counts_pairs_ ? 0 : row + strip_rows;
    }
    for (i64 chunk = begin; chunk < end; ++chunk) {
      if (chunk == next && next > 0) leave_corners(top, corner);
      make_chunk(chunk, top);
    }
    if (end == next && next > 0) leave_corners(top, corner);
    for (i64 lane = 0; lane < lanes_; ++lane)
      lane_[static_cast<std::size_t>(lane)].corner = corner[static_cast<std::size_t>(lane)];
  }

  void leave_corners(const Corners& top, Corners& corner) const {
    for (i64 lane = 0; lane < lanes_; ++lane) {
      corner[static_cast<std::size_t>(lane)] = top[static_cast<std::size_t>(lane)] + down(lane, row_ + strip_rows);
    }
  }

  /// The difference from the row above the strip to row `end`, in the column that was made last.
  i64 down(i64 lane, i64 end) const {
    i64 sum = 0;
    for (i64 w = 0; w < words_; ++w) {
      const u64 mask = low_bits(std::max<i64>(0, end - row_ - 64 * w));
      const auto at = static_cast<std::size_t>(w * lanes_ + lane);
      sum += std::popcount(plus_[at] & mask) - std::popcount(minus_[at] & mask);
    }
    return sum;
  }

  void make_chunk(i64 chunk, Corners& top) {
    const i64 first = chunk * chunk_columns, count = std::min(chunk_columns, columns_ - first);
    std::array<u64, static_cast<std::size_t>(most_vector_words * values::code_bits)> codes;
    std::array<u64, static_cast<std::size_t>(most_vector_words)> above[2], below[2];
    std::copy_n(scratch_.columns.data() + chunk * planes_ * lanes_, planes_ * lanes_, codes.data());
    for (int p = 0; p < 2; ++p) {
      std::copy_n(scratch_.edge[p].data() + chunk * lanes_, lanes_, above[p].data());
      below[p].fill(0);
    }
    const auto edge = [&](int p, i64 lane) {
      return scratch_.edge[p][static_cast<std::size_t>(chunk * lanes_ + lane)];
    };
    const auto along = [&](i64 lane, i64 columns) {
      const u64 mask = ~low_bits(chunk_columns - columns);
      return std::popcount(edge(0, lane) & mask) - std::popcount(edge(1, lane) & mask);
    };
    BitsWork work{words_,
                  0,
                  planes_,
                  scratch_.rows.data() + row_ / 64 * planes_ * lanes_,
                  plus_.data(),
                  minus_.data(),
                  codes.data(),
                  {above[0].data(), above[1].data()},
                  {below[0].data(), below[1].data()}};
    i64 made = 0;
    while (made < count) {
      // To the next column that is a lane's last one.
      i64 to = count;
      for (i64 lane = 0; lane < lanes_; ++lane) {
        const i64 last = lane_[static_cast<std::size_t>(lane)].columns - first;
        if (last > made && last < to && ends_here(lane)) to = last;
      }
      work.columns = to - made;
      function_(work);
      made = to;
      for (i64 lane = 0; lane < lanes_; ++lane) {
        Lane& own = lane_[static_cast<std::size_t>(lane)];
        if (own.columns - first != made || !ends_here(lane)) continue;
        own.score = top[static_cast<std::size_t>(lane)] + along(lane, made) + down(lane, own.rows);
      }
    }
    const bool is_last = row_ + strip_rows >= rows_;
    for (i64 lane = 0; lane < lanes_ && !(is_last && chunk + 1 == chunks_of(columns_)); ++lane) {
      top[static_cast<std::size_t>(lane)] += along(lane, chunk_columns);
    }
    if (is_last) return;
    for (int p = 0; p < edge_planes_; ++p) {
      for (i64 lane = 0; lane < lanes_; ++lane) {
        const u64 rest = p == 0 && !counts_pairs_ ? low_bits(chunk_columns - count) : 0;
        const u64 word = below[p][static_cast<std::size_t>(lane)];
        scratch_.edge[p][static_cast<std::size_t>(chunk * lanes_ + lane)] =
            count == chunk_columns ? word : word << (chunk_columns - count) | rest;
      }
    }
  }

  /// True if a lane's last row is in the strip.
  bool ends_here(i64 lane) const {
    const i64 rows = lane_[static_cast<std::size_t>(lane)].rows;
    return rows > row_ && rows <= row_ + strip_rows;
  }

  BitsFunction function_;
  bool counts_pairs_;
  int edge_planes_;
  i64 lanes_;
  int planes_;
  BitsScratch& scratch_;
  std::array<Lane, static_cast<std::size_t>(most_vector_words)> lane_{};
  i64 rows_ = 0, columns_ = 0;
  i64 low_ = i64{1} << 40, high_ = -(i64{1} << 40);
  i64 row_ = 0, words_ = 0;
  std::array<u64, static_cast<std::size_t>(strip_words*most_vector_words)> plus_{}, minus_{};
};

template <class P, class Score>
class BitsOnCpu final : public device::CpuBlocks<PairsTask, PairsResult> {
 public:
  BitsOnCpu(const PairsSpec& spec, device::CpuContext& context, InstructionSet set)
      : CpuBlocks(context.pool()),
        function_(device::for_instruction_set(set, sse2::bits_function, avx2::bits_function,
                                              avx512::bits_function)(wavefront::Problems::index<P>())),
        lanes_(values::vector_bytes(set) / 8),
        scratch_(static_cast<std::size_t>(threads())) {
    if (spec.at_most) at_most_ = static_cast<i64>(std::clamp(std::floor(*spec.at_most), -1.0, 0x1p40));
  }

 protected:
  PairsResult compute(const PairsTask& task) override {
    const CodeBits bits(differing(task));
    PackedItems rows(task.rows, task.row_begin, task.row_items, bits);
    PackedItems columns(task.columns, task.column_begin, task.column_items, bits);
    constexpr i64 piece = 64;
    const auto pack = [&](PackedItems& items, i64 count, bool backwards) {
      in_turn((count + piece - 1) / piece, [&](i64 number, int) {
        for (i64 n = number * piece; n < std::min(count, (number + 1) * piece); ++n) items.pack(n, backwards);
      });
    };
    pack(rows, task.row_items, false);
    pack(columns, task.column_items, true);
    const Groups groups = groups_of(task, lanes_, false);
    std::vector<i64> stopped(static_cast<std::size_t>(threads()));
    in_turn(std::ssize(groups.groups), [&](i64 number, int thread) {
      const Group& group = groups.groups[static_cast<std::size_t>(number)];
      const auto at = static_cast<std::size_t>(thread);
      stopped[at] += compute_group(task, rows, columns, bits.planes, groups.order.data() + group.begin, group.count,
                                   scratch_[at]);
    });
    PairsResult result{};
    for (const i64 count : stopped) result.stopped += count;
    return result;
  }

 private:
  static constexpr bool counts_pairs = P::Bits::counts_pairs;

  /// Bits of codes that differ among the letters of a block.
  static unsigned differing(const PairsTask& task) {
    unsigned all = 255, some = 0;
    const auto look = [&](const void* items, const i64* begin, i64 count) {
      const auto* letters = static_cast<const u8*>(items);
      u8 ones = 255, any = 0;
      for (i64 at = begin[0]; at < begin[count]; ++at) {
        ones &= letters[at];
        any |= letters[at];
      }
      all &= ones;
      some |= any;
    };
    look(task.rows, task.row_begin, task.row_items);
    look(task.columns, task.column_begin, task.column_items);
    return some & ~all;
  }

  i64 compute_group(const PairsTask& task, const PackedItems& rows, const PackedItems& columns, int planes,
                    const i64* numbers, i64 count, BitsScratch& scratch) const {
    BitsGroup group(function_, counts_pairs, P::Bits::planes, lanes_, planes, scratch);
    std::array<bool, most_lanes> is_in{};
    for (i64 lane = 0; lane < count; ++lane) {
      const auto [row, column] = pair_of(task, numbers[lane]);
      const i64 n = rows.length(row), m = columns.length(column);
      const i64 spare = std::min(at_most_, n + m) - std::abs(m - n);  // steps that a path may take and go back
      if (n == 0 || m == 0 || spare < 0) continue;
      is_in[static_cast<std::size_t>(lane)] = true;
      group.add(lane, rows, row, columns, column, std::min<i64>(0, m - n) - spare / 2,
                std::max<i64>(0, m - n) + spare / 2);
    }
    if (std::any_of(is_in.begin(), is_in.end(), [](bool in) { return in; })) group.run();
    i64 stopped = 0;
    for (i64 lane = 0; lane < count; ++lane) {
      const auto [row, column] = pair_of(task, numbers[lane]);
      const i64 n = rows.length(row), m = columns.length(column);
      // Without letters on one side all of the other's are left.
      i64 score = counts_pairs ? 0 : std::max(n, m);
      if (is_in[static_cast<std::size_t>(lane)]) score = group.score(lane);
      else if (n > 0 && m > 0) score = at_most_ + 1, ++stopped;
      static_cast<Score*>(task.scores)[numbers[lane]] = static_cast<Score>(std::min(score, at_most_ + 1));
      if (task.ends != nullptr) task.ends[numbers[lane]] = {n, m};
    }
    return stopped;
  }

  BitsFunction function_;
  i64 lanes_;
  i64 at_most_ = i64{1} << 40;
  std::vector<BitsScratch> scratch_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_bits_lanes(const PairsSpec& spec, device::CpuContext& context,
                                                     InstructionSet set) {
  std::unique_ptr<device::BlockKernel> made;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (requires { typename P::Bits; }) {
      if (spec.value == ElementType::i32) made = std::make_unique<BitsOnCpu<P, i32>>(spec, context, set);
      else made = std::make_unique<BitsOnCpu<P, i64>>(spec, context, set);
    }
  });
  return made;
}

}  // namespace terrace::pairs
