#include "kernels/nest/sweep.hpp"

#include <algorithm>

#include "kernels/nest/written/exact.hpp"

namespace terrace::nest {
namespace {

i64 minor_of(const std::vector<std::vector<i64>>& rows, std::size_t row, std::size_t column);

i64 determinant_of(const std::vector<std::vector<i64>>& rows) {
  if (rows.empty()) return 1;
  i64 sum = 0;
  for (std::size_t column = 0; column < rows.size(); ++column) {
    sum += (column % 2 == 0 ? 1 : -1) * rows[0][column] * minor_of(rows, 0, column);
  }
  return sum;
}

i64 minor_of(const std::vector<std::vector<i64>>& rows, std::size_t row, std::size_t column) {
  std::vector<std::vector<i64>> rest;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r == row) continue;
    rest.push_back(rows[r]);
    rest.back().erase(rest.back().begin() + static_cast<std::ptrdiff_t>(column));
  }
  return determinant_of(rest);
}

/// The sums of multiples of values of ranges.
Range combined(const std::vector<i64>& multiples, const Ranges& ranges) {
  Range all{0, 1};
  for (std::size_t n = 0; n < multiples.size(); ++n) {
    const i64 low = ranges[n].begin, high = ranges[n].end - 1;
    all.begin += multiples[n] * (multiples[n] > 0 ? low : high);
    all.end += multiples[n] * (multiples[n] > 0 ? high : low);
  }
  return all;
}

/// Numbers beyond 2^53 are of blocks that no memory holds: 2^53.
i64 whole_words(double words) { return static_cast<i64>(std::min(words, 0x1p53)); }

Range negated(const Range& range) { return {1 - range.end, 1 - range.begin}; }

}  // namespace

Range steps_in(const Range& range, i64 value, i64 slope) {
  constexpr i64 most = i64{1} << 62;
  if (slope == 0) return range.holds(value) ? Range{-most, most} : Range{0, 0};
  // range.begin <= value + slope * k <= range.end - 1
  const i64 low = range.begin - value, high = range.end - 1 - value;
  if (slope > 0) return {-floor_of(-low, slope), floor_of(high, slope) + 1};
  return {-floor_of(-high, slope), floor_of(low, slope) + 1};
}

Sweep::Sweep(const NestSpec& spec)
    : nest_(spec.nest),
      kept_(spec.kept),
      skew_(spec.skew),
      flow_(spec.flow),
      space_(spec.skew.rank()),
      order_(statement_order(spec.skew, spec.flow)) {
  invert();
  for (const Dependence& one : flow_) {
    Point along{};
    for (std::size_t n = 0; n < rank(); ++n) {
      along[n] = skew_.along(n, one);
      halo_[n] = std::max(halo_[n], along[n]);
    }
    along_.push_back(along);
  }
  find_space();
}

void Sweep::invert() {
  // The determinant is 1.
  inverse_.assign(rank(), std::vector<i64>(rank(), 0));
  for (std::size_t row = 0; row < rank(); ++row) {
    for (std::size_t column = 0; column < rank(); ++column) {
      inverse_[column][row] = ((row + column) % 2 == 0 ? 1 : -1) * minor_of(skew_.rows, row, column);
    }
  }
}

/// The values of loop `first + n` of a statement as rows take them: loops that no array has counted as one, reversed
/// ones negative.
Range Sweep::skewed_range(std::size_t n, int statement) const {
  const Ranges& box = nest_->statements[static_cast<std::size_t>(statement)].box;
  const std::size_t loop = skew_.first + n;
  Range range = box[loop];
  if (n == 0 && skew_.first > 0) {
    range = {0, 1};
    for (std::size_t one = 0; one <= skew_.first; ++one) range.end *= nest_->loops[one].range.size();
  }
  return skew_.reversed[loop] ? negated(range) : range;
}

void Sweep::find_space() {
  bool has_any = false;
  for (int statement = 0; statement < static_cast<int>(nest_->statements.size()); ++statement) {
    Ranges ranges;
    for (std::size_t n = 0; n < rank(); ++n) ranges.push_back(skewed_range(n, statement));
    if (is_empty(ranges)) continue;
    for (std::size_t n = 0; n < rank(); ++n) {
      const Range own = combined(skew_.rows[n], ranges).shifted(skew_.shifts[static_cast<std::size_t>(statement)][n]);
      space_[n] = has_any ? Range{std::min(space_[n].begin, own.begin), std::max(space_[n].end, own.end)} : own;
    }
    has_any = true;
  }
}

Point Sweep::iteration(int statement, const Point& coordinates) const {
  const std::vector<i64>& shifts = skew_.shifts[static_cast<std::size_t>(statement)];
  Point at{};
  for (std::size_t n = 0; n < rank(); ++n) {
    i64 sum = 0;
    for (std::size_t m = 0; m < rank(); ++m) sum += inverse_[n][m] * (coordinates[m] - shifts[m]);
    at[skew_.first + n] = skew_.reversed[skew_.first + n] ? -sum : sum;
  }
  i64 rest = at[skew_.first];
  for (std::size_t loop = skew_.first; skew_.first > 0; --loop) {
    const Range& range = nest_->loops[loop].range;
    at[loop] = range.begin + (loop > 0 ? rest % range.size() : rest);
    rest /= range.size();
    if (loop == 0) break;
  }
  return at;
}

std::optional<Point> Sweep::iteration_step() const {
  const std::size_t last = rank() - 1;
  if (skew_.first > 0 && inverse_[0][last] != 0) return std::nullopt;
  Point step{};
  for (std::size_t n = 0; n < rank(); ++n) {
    const std::size_t loop = skew_.first + n;
    step[loop] = skew_.reversed[loop] ? -inverse_[n][last] : inverse_[n][last];
  }
  return step;
}

Range Sweep::row(int statement, const Point& coordinates) const {
  const std::vector<i64>& shifts = skew_.shifts[static_cast<std::size_t>(statement)];
  const std::size_t last = rank() - 1;
  Range all = space_[last];
  for (std::size_t n = 0; n < rank(); ++n) {
    const Range range = skewed_range(n, statement);
    i64 fixed = -inverse_[n][last] * shifts[last];
    for (std::size_t m = 0; m < last; ++m) fixed += inverse_[n][m] * (coordinates[m] - shifts[m]);
    const Range own = steps_in(range, fixed, inverse_[n][last]);
    all = {std::max(all.begin, own.begin), std::min(all.end, own.end)};
  }
  return {all.begin, std::max(all.begin, all.end)};
}

Ranges Sweep::iterations(int statement, const Ranges& block) const {
  const std::vector<i64>& shifts = skew_.shifts[static_cast<std::size_t>(statement)];
  Ranges moved;
  for (std::size_t n = 0; n < rank(); ++n) moved.push_back(block[n].shifted(-shifts[n]));
  Ranges box = nest_->statements[static_cast<std::size_t>(statement)].box;
  if (is_empty(moved)) return Ranges(box.size(), Range{});
  for (std::size_t n = skew_.first > 0 ? 1 : 0; n < rank(); ++n) {
    const std::size_t loop = skew_.first + n;
    Range range = combined(inverse_[n], moved);
    if (skew_.reversed[loop]) range = negated(range);
    box[loop] = {std::max(box[loop].begin, range.begin), std::min(box[loop].end, range.end)};
    box[loop].end = std::max(box[loop].begin, box[loop].end);
  }
  return box;
}

bool Sweep::keeps_boxes() const {
  for (std::size_t number = 0; number < nest_->arrays.size(); ++number) {
    const Kept& kept = kept_[number];
    const std::size_t lacking = nest_->arrays[number].first_loop;
    // These loops are fixed for the last elements: rows may step along them.
    const std::size_t fixed = kept.table ? 0 : std::max<std::size_t>(lacking, 1) - skew_.first;
    if (!kept.table && !kept.last) continue;
    for (std::size_t row = 0; row < rank(); ++row) {
      for (std::size_t column = 0; column < rank(); ++column) {
        const i64 wanted = row == column ? 1 : 0;
        const bool is_free = column < fixed && row >= column && row != column;
        if (skew_.rows[row][column] != wanted && !is_free) return false;
      }
    }
  }
  return true;
}

Ranges Sweep::kept_iterations(int statement, const Ranges& block, bool table) const {
  const Statement& made = nest_->statements[static_cast<std::size_t>(statement)];
  const Array& array = nest_->arrays[static_cast<std::size_t>(made.array)];
  Ranges box = iterations(statement, block);
  if (table) return box;
  // The loops that are fixed, and what their last iterations leave of the block along the others.
  const std::size_t fixed = std::max<std::size_t>(array.first_loop, 1);
  for (std::size_t loop = 0; loop < fixed; ++loop) {
    const i64 last =
        array.first_loop == 0 ? array.written[0].end - 1 - made.offset[0] : nest_->loops[loop].range.end - 1;
    if (!box[loop].holds(last)) return Ranges(box.size(), Range{});
    box[loop] = {last, last + 1};
  }
  const std::vector<i64>& shifts = skew_.shifts[static_cast<std::size_t>(statement)];
  const auto fixed_value = [&](std::size_t n) {
    const Range range = skewed_range(n, statement);
    const std::size_t loop = skew_.first + n;
    if (n == 0 && skew_.first > 0) return range.end - 1;
    return skew_.reversed[loop] ? -box[loop].begin : box[loop].begin;
  };
  if (!keeps_boxes()) return box;
  for (std::size_t n = 0; n < rank(); ++n) {
    const std::size_t loop = skew_.first + n;
    Range range = block[n].shifted(-shifts[n]);
    for (std::size_t m = 0; m < std::min(n, fixed - skew_.first); ++m)
      range = range.shifted(-skew_.rows[n][m] * fixed_value(m));
    if (n < fixed - skew_.first) {
      if (!range.holds(fixed_value(n))) return Ranges(box.size(), Range{});
      continue;
    }
    if (skew_.reversed[loop]) range = negated(range);
    box[loop] = {std::max(box[loop].begin, range.begin), std::min(box[loop].end, range.end)};
    box[loop].end = std::max(box[loop].begin, box[loop].end);
  }
  return box;
}

i64 Sweep::face_words(std::size_t coordinate, const Ranges& block) const {
  double words = static_cast<double>(nest_->statements.size());
  for (std::size_t n = 0; n < rank(); ++n) {
    words *= static_cast<double>(halo_[n] + (n == coordinate ? 0 : block[n].size()));
  }
  return whole_words(words);
}

i64 Sweep::block_words(const Ranges& block) const {
  double words = static_cast<double>(nest_->statements.size());
  for (std::size_t n = 0; n < rank(); ++n) words *= static_cast<double>(halo_[n] + block[n].size());
  return whole_words(words);
}

bool is_last(const Nest& nest, const Statement& statement, const Point& at) {
  const Array& array = nest.arrays[static_cast<std::size_t>(statement.array)];
  if (array.first_loop == 0) return at[0] + statement.offset[0] == array.written[0].end - 1;
  for (std::size_t loop = 0; loop < array.first_loop; ++loop) {
    if (at[loop] != nest.loops[loop].range.end - 1) return false;
  }
  return true;
}

}  // namespace terrace::nest
