#include "kernels/wavefront/seed_limits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

BandLimits::BandLimits(i64 group_rows, const std::vector<DiagonalBand>& bands) : group_rows_(group_rows) {
  const auto count = static_cast<i64>(bands.size());
  for (const DiagonalBand& band : bands) {
    groups_.push_back({band, no_window, -no_window});
    width_ += band.high - band.low + 1;
  }
  width_ /= count;
  for (i64 g = 1; g < count; ++g) {
    Group& group = groups_[static_cast<std::size_t>(g)];
    const Group& before = groups_[static_cast<std::size_t>(g - 1)];
    group.end_before = std::max(before.end_before, g * group_rows + before.band.high);
  }
  for (i64 g = count - 2; g >= 0; --g) {
    Group& group = groups_[static_cast<std::size_t>(g)];
    const Group& after = groups_[static_cast<std::size_t>(g + 1)];
    group.begin_after = std::min(after.begin_after, (g + 1) * group_rows + after.band.low);
  }
}

std::size_t BandLimits::group_of(i64 row) const {
  return std::min(static_cast<std::size_t>(row / group_rows_), groups_.size() - 1);
}

ColumnRange BandLimits::columns(i64 row_begin, i64 row_end) const {
  const Group &first = groups_[group_of(row_begin)], &last = groups_[group_of(row_end - 1)];
  return {std::min(row_begin + first.band.low, first.begin_after),
          std::max(row_end + last.band.high, last.end_before)};
}

double BandLimits::cells(i64 row_begin, i64 row_end, i64 column_begin, i64 column_end) const {
  double cells = 0;
  for (i64 row = row_begin; row < row_end;) {
    const std::size_t group = group_of(row);
    const i64 end =
        group + 1 == groups_.size() ? row_end : std::min(row_end, static_cast<i64>(group + 1) * group_rows_);
    const DiagonalBand& band = groups_[group].band;
    cells += cells_on_diagonals(band.low, band.high, row, end, column_begin, column_end);
    row = end;
  }
  return cells;
}

namespace {

using Letters = std::span<const std::uint8_t>;
using Sizes = measured::SeedLimits;

/// The number of letters that occur, had all the same frequency.
double effective_letters(Letters letters) {
  std::array<i64, 256> counts{};
  for (const std::uint8_t letter : letters) ++counts[letter];
  double squares = 0;
  for (const i64 count : counts) squares += static_cast<double>(count) * static_cast<double>(count);
  return static_cast<double>(letters.size()) * static_cast<double>(letters.size()) / squares;
}

/// The cut of rows into seeds and groups, and of diagonals into buckets.
struct Shape {
  i64 letters;  // of a seed
  i64 group;    // seeds
  i64 bucket;   // diagonals
  int slots;    // of the index, as a power of 2
  DiagonalBand band;
  i64 seeds, groups, buckets;

  i64 bucket_of(i64 diagonal) const { return (diagonal - band.low) / bucket; }
};

Shape shape_of(Letters rows, Letters columns, i64 distance) {
  const auto height = static_cast<i64>(rows.size()), width = static_cast<i64>(columns.size());
  const double letter_bits = std::max(std::log2(effective_letters(rows)), 0.25);
  Shape shape{};
  shape.band = band_of_margin(height, width, proving_margin(height, width, distance + 1));
  const i64 diagonals = shape.band.high - shape.band.low + 1;
  // A seed occurs by chance on a diagonal of the band, or on few.
  shape.letters = std::clamp<i64>(
      static_cast<i64>(
          std::ceil(std::log2(static_cast<double>(std::max(diagonals, Sizes::least_words))) / letter_bits)),
      Sizes::least_letters, Sizes::most_letters);
  shape.seeds = height / shape.letters;
  const double places = static_cast<double>(shape.seeds) * static_cast<double>(diagonals) *
                        static_cast<double>(Sizes::reach) / static_cast<double>(Sizes::most_bounds);
  const auto group = static_cast<i64>(std::ceil(std::sqrt(places)));
  shape.bucket = std::max((group + Sizes::reach - 1) / Sizes::reach, Sizes::least_bucket);
  shape.group = shape.bucket * Sizes::reach;
  shape.groups = (shape.seeds + shape.group - 1) / shape.group;
  shape.buckets = (diagonals + shape.bucket - 1) / shape.bucket;
  const int word_bits = static_cast<int>(std::ceil(static_cast<double>(shape.letters) * letter_bits)) + 1;
  shape.slots =
      std::clamp(static_cast<int>(std::bit_width(columns.size())), 1, std::min(Sizes::most_slots, word_bits));
  return shape;
}

/// Places in the columns of the words of a seed's length, by a hash: other words may be among them.
class Places {
 public:
  Places(Letters columns, const Shape& shape)
      : letters_(shape.letters), shift_(64 - shape.slots), begins_((std::size_t{1} << shape.slots) + 1) {
    const i64 words = static_cast<i64>(columns.size()) - letters_ + 1;
    if (words <= 0) return;
    std::vector<std::uint32_t> slots(static_cast<std::size_t>(words));
    std::uint64_t leaving = 1;
    for (i64 i = 1; i < letters_; ++i) leaving *= factor;
    std::uint64_t value = value_of(columns.data());
    for (std::size_t j = 0;; ++j) {
      slots[j] = slot_of(value);
      ++begins_[slots[j] + 1];
      if (j + 1 == slots.size()) break;
      value = (value - (columns[j] + 1u) * leaving) * factor + columns[j + static_cast<std::size_t>(letters_)] + 1u;
    }
    for (std::size_t slot = 1; slot < begins_.size(); ++slot) begins_[slot] += begins_[slot - 1];
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    places_.resize(slots.size());
    for (std::size_t j = 0; j < slots.size(); ++j) places_[next[slots[j]]++] = static_cast<std::uint32_t>(j);
  }

  /// Places in [begin, end) that may have the word, in order.
  std::span<const std::uint32_t> find(const std::uint8_t* word, i64 begin, i64 end) const {
    const std::uint32_t slot = slot_of(value_of(word));
    const auto first = places_.begin() + begins_[slot], last = places_.begin() + begins_[slot + 1];
    const auto from = std::partition_point(first, last, [&](std::uint32_t place) { return place < begin; });
    const auto until = std::partition_point(from, last, [&](std::uint32_t place) { return place < end; });
    return {from, until};
  }

 private:
  static constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
  std::uint64_t value_of(const std::uint8_t* word) const {
    std::uint64_t value = 0;
    for (i64 i = 0; i < letters_; ++i) value = value * factor + word[i] + 1u;
    return value;
  }
  std::uint32_t slot_of(std::uint64_t value) const {
    return static_cast<std::uint32_t>(((value ^ (value >> 32)) * factor) >> shift_);
  }

  i64 letters_;
  int shift_;
  std::vector<std::uint32_t> begins_, places_;  // of each slot, the first of its places
};

/// Buckets [begin, end) in which a seed may be matched.
struct Reach {
  i64 begin, end;
};

/// The buckets in which the seeds of each group may be matched: disjoint ranges for each seed.
class Matches {
 public:
  Matches(Letters rows, Letters columns, const Shape& shape) : shape_(shape) {
    const Places places(columns, shape);
    const auto width = static_cast<i64>(columns.size());
    for (i64 seed = 0; seed < shape.seeds; ++seed) {
      if (seed % shape.group == 0) begins_.push_back(reaches_.size());
      const i64 row = seed * shape.letters;
      const i64 begin = std::max<i64>(0, row + shape.band.low), end = std::min(width, row + shape.band.high + 1);
      if (begin < end) add(places.find(rows.data() + row, begin, end), row);
    }
    begins_.push_back(reaches_.size());
  }

  /// Seeds of the group that are matched within reach of each bucket.
  void count(i64 group, std::vector<std::int32_t>& found) const {
    std::fill(found.begin(), found.end(), 0);
    const auto at = static_cast<std::size_t>(group);
    for (std::size_t i = begins_[at]; i < begins_[at + 1]; ++i) {
      ++found[static_cast<std::size_t>(reaches_[i].begin)];
      --found[static_cast<std::size_t>(reaches_[i].end)];
    }
    for (std::size_t b = 1; b < found.size(); ++b) found[b] += found[b - 1];
  }

 private:
  void add(std::span<const std::uint32_t> places, i64 row) {
    // Repeats: matched everywhere.
    const bool many = reaches_.size() > static_cast<std::size_t>(shape_.seeds * Sizes::most_ranges);
    if (many || static_cast<i64>(places.size()) > Sizes::most_places) {
      reaches_.push_back({0, shape_.buckets});
      return;
    }
    const std::size_t first = reaches_.size();
    for (const std::uint32_t place : places) {
      const i64 bucket = shape_.bucket_of(static_cast<i64>(place) - row);
      const Reach reach{std::max<i64>(0, bucket - Sizes::reach), std::min(shape_.buckets, bucket + Sizes::reach + 1)};
      if (reaches_.size() > first && reaches_.back().end >= reach.begin) reaches_.back().end = reach.end;
      else reaches_.push_back(reach);
    }
  }

  const Shape& shape_;
  std::vector<Reach> reaches_;
  std::vector<std::size_t> begins_;  // of each group
};

/// Lower bounds of the buckets, as they go from group to group.
class Bounds {
 public:
  Bounds(const Shape& shape, i64 diagonal)
      : shape_(shape), size_(static_cast<std::size_t>(shape.buckets)), cost_(size_), found_(size_ + 1) {
    const i64 start = shape.bucket_of(diagonal);
    for (i64 b = 0; b < shape.buckets; ++b) {
      const i64 buckets = std::max<i64>(0, std::abs(b - start) - 1);
      cost_[static_cast<std::size_t>(b)] = static_cast<std::int32_t>(buckets * shape.bucket);
    }
    for (auto& line : wide_) line.assign(size_ + 2 * pad, far);
  }

  const std::vector<std::int32_t>& cost() const { return cost_; }

  void pass(const Matches& matches, i64 group) {
    matches.count(group, found_);
    const auto seeds = static_cast<std::int32_t>(std::min(shape_.group, shape_.seeds - group * shape_.group));
    std::fill_n(wide_[0].begin(), pad, far);
    std::copy(cost_.begin(), cost_.end(), wide_[0].begin() + pad);
    least(1, 0), least(2, 1), least(4, 0), least(8, 1);  // wide_[0][i]: of 16 from i on
    constexpr std::size_t before = Sizes::reach + 1, all = 2 * before + 1;
    static_assert(all >= 16 && all <= 32 && before + 16 <= pad);
    const std::int32_t* of_16 = wide_[0].data() + pad - before;
    for (std::size_t b = 0; b < size_; ++b) {
      cost_[b] = std::min(of_16[b], of_16[b + all - 16]) + seeds - found_[b];
    }
    const auto step = static_cast<std::int32_t>(shape_.bucket);
    for (std::size_t b = 1; b < size_; ++b) cost_[b] = std::min(cost_[b], cost_[b - 1] + step);
    for (std::size_t b = size_ - 1; b > 0; --b) cost_[b - 1] = std::min(cost_[b - 1], cost_[b] + step);
  }

 private:
  static constexpr std::size_t pad = 32;
  static constexpr std::int32_t far = std::int32_t{1} << 30;

  /// The least of twice as many values.
  void least(std::size_t values, int from) {
    const std::int32_t* in = wide_[from].data();
    std::int32_t* out = wide_[1 - from].data();
    const std::size_t count = wide_[0].size() - values;
    for (std::size_t i = 0; i < count; ++i) out[i] = std::min(in[i], in[i + values]);
  }

  const Shape& shape_;
  std::size_t size_;
  std::vector<std::int32_t> cost_, found_;
  std::vector<std::int32_t> wide_[2];
};

}  // namespace

std::size_t seed_limits_bytes(i64 rows, i64 columns) {
  constexpr std::size_t reaches = 2 * (Sizes::most_ranges + 1) * sizeof(Reach) / Sizes::least_letters;
  const auto height = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(columns);
  const std::size_t slots = std::min(2 * width + 2, std::size_t{1} << Sizes::most_slots);
  return height * (1 + reaches) + width * 9 + slots * 8 + 8 * Sizes::most_bounds;
}

std::shared_ptr<const BandLimits> seed_limits(Letters rows, Letters columns, i64 distance) {
  const auto height = static_cast<i64>(rows.size()), width = static_cast<i64>(columns.size());
  if (height == 0 || width == 0 || std::max(height, width) > Sizes::most_side) return nullptr;
  const Shape shape = shape_of(rows, columns, distance);
  if (shape.groups < Sizes::least_groups) return nullptr;
  const Matches matches(rows, columns, shape);
  std::vector<std::vector<std::int32_t>> before;  // each group
  Bounds from_start(shape, 0), from_end(shape, width - height);
  for (i64 group = 0; group < shape.groups; ++group) {
    before.push_back(from_start.cost());
    from_start.pass(matches, group);
  }
  std::vector<DiagonalBand> bands(static_cast<std::size_t>(shape.groups));
  for (i64 group = shape.groups - 1; group >= 0; --group) {
    const auto at = static_cast<std::size_t>(group);
    i64 first = shape.buckets, last = -1;
    for (i64 b = 0; b < shape.buckets; ++b) {
      const auto bucket = static_cast<std::size_t>(b);
      if (i64{before[at][bucket]} + from_end.cost()[bucket] > distance + 2 * shape.bucket) continue;
      first = std::min(first, b);
      last = b;
    }
    if (last < 0) return nullptr;  // no alignment has that distance
    bands[at] = {shape.band.low + first * shape.bucket, shape.band.low + (last + 1) * shape.bucket - 1};
    from_end.pass(matches, group);
  }
  return std::make_shared<const BandLimits>(shape.group * shape.letters, bands);
}

}  // namespace terrace::wavefront
