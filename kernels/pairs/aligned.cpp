#include "kernels/pairs/aligned.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernels/wavefront/report.hpp"
#include "kernels/wavefront/trace.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::pairs {
namespace {

using wavefront::Around;
using wavefront::PathPlace;
using wavefront::PathStep;
using wavefront::Report;

constexpr i64 least_strip = 64;

/// Rows whose codes are kept at a time: as many as make their codes as large as the kept rows.
i64 rows_of_strip(i64 rows) {
  return std::max(least_strip, static_cast<i64>(std::sqrt(2.0 * sizeof(i64) * static_cast<double>(rows))));
}

template <class P>
class TableAligner final : public Aligner {
 public:
  explicit TableAligner(const typename P::template Constants<i64>& constants) : k_(constants) {}

  void align(std::span<const u8> rows, std::span<const u8> columns, Aligned& found) override {
    rows_ = rows;
    columns_ = columns;
    strip_ = rows_of_strip(std::ssize(rows));
    const wavefront::BlockResult best = sweep();
    found = {};
    found.score = best.score;
    found.end_row = best.row;
    found.end_column = best.column;
    steps_.clear();
    const PathPlace start = way_back({best.row, best.column, wavefront::PathGap::none, 0});
    found.start_row = start.row;
    found.start_column = start.column;
    write(found);
  }

 private:
  i64 row_count() const { return std::ssize(rows_); }
  i64 column_count() const { return std::ssize(columns_); }

  /// Computes row i from H and F above it. @param row receives (column, cell, around, score) of each cell
  template <class Each>
  void compute_row(i64 i, i64 columns, i64* h, i64* f, const Each& each) const {
    const auto border = P::template left<i64>(k_, i);
    i64 diagonal = P::template left<i64>(k_, i - 1).h, left = border.h, e = border.gap;
    for (i64 j = 0; j < columns; ++j) {
      const Around<i64> around{diagonal, h[j], left, e, f[j]};
      const i64 s =
          P::template score<i64>(k_, rows_[static_cast<std::size_t>(i)], columns_[static_cast<std::size_t>(j)]);
      const auto cell = P::template cell<i64>(k_, around, s);
      each(j, around, s, cell);
      diagonal = h[j];
      left = h[j] = cell.h;
      e = cell.e;
      f[j] = cell.f;
    }
  }

  void first_row(i64* h, i64* f) const {
    for (i64 j = 0; j < column_count(); ++j) {
      const auto border = P::template top<i64>(k_, j);
      h[j] = border.h;
      f[j] = border.gap;
    }
  }

  /// All rows; keeps H and F above each strip. @return the cell that the table reports
  wavefront::BlockResult sweep() {
    wavefront::BlockResult best = wavefront::border_report<P>(k_, row_count(), column_count());
    if (row_count() == 0 || column_count() == 0) return best;
    wavefront::Ends ends{};
    if constexpr (P::report == Report::ends) ends = P::template ends<i64>(k_);
    const auto width = static_cast<std::size_t>(column_count());
    const auto strips = static_cast<std::size_t>((row_count() + strip_ - 1) / strip_);
    kept_.resize(2 * width * (strips + 1));
    i64 *h = kept_.data() + 2 * width * strips, *f = h + width;
    first_row(h, f);
    for (i64 i = 0; i < row_count(); ++i) {
      if (i % strip_ == 0) std::copy_n(h, 2 * width, kept_.data() + 2 * width * static_cast<std::size_t>(i / strip_));
      compute_row(i, column_count(), h, f, [&](i64 j, const Around<i64>&, i64, const auto& cell) {
        const bool bottom = i + 1 == row_count(), right = j + 1 == column_count();
        bool counts = P::report == Report::best || (bottom && right);
        if constexpr (P::report == Report::ends) counts |= (bottom && ends.last_row) || (right && ends.last_column);
        if (!counts) return;
        const wavefront::BlockResult here{cell.h, i + 1, j + 1};
        if (P::report == Report::last || wavefront::goes_before(here, best)) best = here;
      });
    }
    return best;
  }

  /// Codes of rows [begin, end) of a strip and the columns before `columns`.
  void compute_codes(i64 begin, i64 end, i64 columns) {
    const auto width = static_cast<std::size_t>(column_count());
    const i64* from = kept_.data() + 2 * width * static_cast<std::size_t>(begin / strip_);
    line_.assign(from, from + 2 * width);
    codes_.resize(static_cast<std::size_t>(end - begin) * width);
    for (i64 i = begin; i < end; ++i) {
      u8* codes = codes_.data() + static_cast<std::size_t>(i - begin) * width;
      compute_row(i, columns, line_.data(), line_.data() + width,
                  [&](i64 j, const Around<i64>& around, i64 s, const auto& cell) {
                    codes[j] = static_cast<u8>(wavefront::trace_code<P, i64>(k_, around, s, cell));
                  });
    }
  }

  /// Follows the path from its end; adds its steps from the last to the first. @return its start
  PathPlace way_back(PathPlace place) {
    const auto width = static_cast<std::size_t>(column_count());
    while (place.row > 0 && place.column > 0 && !place.ended) {
      const i64 begin = (place.row - 1) / strip_ * strip_;
      compute_codes(begin, place.row, place.column);
      const auto code_at = [&](i64 row, i64 column) -> wavefront::u32 {
        return codes_[static_cast<std::size_t>(row - begin) * width + static_cast<std::size_t>(column)];
      };
      const auto equal_at = [&](i64 row, i64 column) {
        return rows_[static_cast<std::size_t>(row)] == columns_[static_cast<std::size_t>(column)];
      };
      do {
        walked_.count = 0;
        wavefront::walk_path<P>(begin, 0, place, walked_, code_at, equal_at);
        for (i64 step = 0; step < walked_.count; ++step) add(walked_.step(step), 1);
      } while (walked_.full());
    }
    if (place.ended) return place;
    const wavefront::FreeStart free = wavefront::free_start<P, i64>(k_);
    if (place.column == 0 && place.row > 0 && !free.rows) add(PathStep::row, std::exchange(place.row, 0));
    if (place.row == 0 && place.column > 0 && !free.columns) add(PathStep::column, std::exchange(place.column, 0));
    return place;
  }

  void add(PathStep step, i64 count) {
    if (!steps_.empty() && steps_.back().step == step) steps_.back().count += count;
    else steps_.push_back({step, count});
  }

  void write(Aligned& found) const {
    constexpr char letters[] = {'=', 'X', 'I', 'D'};
    for (auto run = steps_.rbegin(); run != steps_.rend(); ++run) {
      found.cigar += std::to_string(run->count) + letters[static_cast<std::size_t>(run->step)];
      found.length += run->count;
      if (run->step == PathStep::match) found.matches += run->count;
    }
  }

  struct Run {
    PathStep step;
    i64 count;
  };

  typename P::template Constants<i64> k_;
  std::span<const u8> rows_, columns_;
  i64 strip_ = 1;
  std::vector<i64> kept_;  // H and F above each strip, and those of the sweep
  std::vector<i64> line_;  // H and F of the strip that is computed again
  std::vector<u8> codes_;
  std::vector<Run> steps_;
  wavefront::TraceResult walked_;
};

}  // namespace

std::unique_ptr<Aligner> make_aligner(const PairsSpec& spec) {
  std::unique_ptr<Aligner> made;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (P::items == wavefront::Items::letters) {
      made = std::make_unique<TableAligner<P>>(wavefront::problem_constants<P>(spec.settings));
    }
  });
  return made;
}

std::size_t aligner_bytes(std::int64_t rows, std::int64_t columns) {
  const i64 strip = rows_of_strip(rows), strips = (rows + strip - 1) / strip;
  const auto width = static_cast<std::size_t>(columns);
  return 2 * sizeof(i64) * width * static_cast<std::size_t>(strips + 2) +
         static_cast<std::size_t>(std::min<std::int64_t>(strip, rows)) * width +
         static_cast<std::size_t>(rows + columns) * (sizeof(i64) * 2 + 2) + sizeof(wavefront::TraceResult);
}

}  // namespace terrace::pairs
