#include "kernels/dp_table/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace terrace::dp_table {
namespace {

/// The largest divisor of `extent` not above its square root; of a prime the number itself.
std::int64_t divisor_of(std::int64_t extent) {
  auto divisor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(extent)));
  while (divisor > 1 && extent % divisor != 0) --divisor;
  return divisor <= 1 ? extent : divisor;
}

/// Values of an integer type beside the one of cells that no step reaches.
struct ValueRange {
  std::int64_t least, largest;

  /// True if it holds the product.
  bool holds(std::int64_t a, std::int64_t b) const {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && product >= least && product <= largest;
  }
};

ValueRange range_of(ElementType type, Combine combine) {
  return dispatch(type, [&](auto zero) -> ValueRange {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, std::uint64_t>) return {0, 0};
    else {
      return {static_cast<std::int64_t>(std::numeric_limits<T>::lowest()) + (combine == Combine::max ? 1 : 0),
              static_cast<std::int64_t>(std::numeric_limits<T>::max()) - (combine == Combine::min ? 1 : 0)};
    }
  });
}

/// True if sums of `chain` costs stay finite in the type.
bool stays_finite(ElementType type, const StepSet& steps, double chain) {
  double largest = 0;
  for (const double cost : steps.real_costs) largest = std::max(largest, std::abs(cost));
  const double most = type == ElementType::f32 ? static_cast<double>(std::numeric_limits<float>::max())
                                               : std::numeric_limits<double>::max();
  return largest * std::max(1.0, chain) <= most;
}

}  // namespace

std::optional<std::int64_t> cells_of(const Extents& extents) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  std::int64_t cells = 1;
  for (const std::int64_t extent : extents) {
    if (extent > most / cells) return std::nullopt;
    cells *= extent;
  }
  return cells;
}

Table in_order(const Table& table, const std::vector<int>& order) {
  Table ordered = table;
  const auto rank = static_cast<std::int64_t>(order.size());
  for (std::int64_t d = 0; d < rank; ++d) {
    const int from = order[static_cast<std::size_t>(d)];
    ordered.extents[static_cast<int>(d)] = table.extents[from];
    for (std::int64_t number = 0; number < table.steps.count(); ++number) {
      ordered.steps.components[static_cast<std::size_t>(number * rank + d)] = table.steps.step(number)[from];
    }
  }
  return ordered;
}

bool fits_table(const Extents& extents, const std::int64_t* step) {
  for (int d = 0; d < extents.rank(); ++d) {
    if (step[d] >= extents[d]) return false;
  }
  return true;
}

std::vector<SourceRange> sources_of(const Table& table) {
  const int whole = table.cut.whole;
  std::vector<SourceRange> sources(1);
  sources[0].prefix.assign(static_cast<std::size_t>(whole), 0);
  std::map<std::vector<std::int64_t>, std::size_t> numbers{{sources[0].prefix, 0}};
  for (std::int64_t number = 0; number < table.steps.count(); ++number) {
    const std::int64_t* step = table.steps.step(number);
    if (!fits_table(table.extents, step)) continue;
    std::vector<std::int64_t> prefix(step, step + whole);
    const auto [place, added] = numbers.emplace(std::move(prefix), sources.size());
    if (added) sources.push_back({place->first, 0});
    SourceRange& source = sources[place->second];
    source.reach = std::max(source.reach, step[whole]);
  }
  return sources;
}

Tiles::Tiles(const Table& table) : extents_(table.extents), cut_(table.cut) {
  for (int d = 0; d < cut_.whole; ++d) count_ *= extents_[d];
  ranges_ = (extents_[cut_.whole] + cut_.rows - 1) / cut_.rows;
  count_ *= ranges_;
  for (int d = cut_.whole + 1; d < extents_.rank(); ++d) row_cells_ *= extents_[d];
}

Extents Tiles::shape() const {
  Extents shape = extents_;
  for (int d = 0; d < cut_.whole; ++d) shape[d] = 1;
  shape[cut_.whole] = std::min(cut_.rows, extents_[cut_.whole]);
  return shape;
}

Box Tiles::box(std::int64_t tile) const {
  Box box{Extents::filled(extents_.rank(), 0), extents_};
  const std::int64_t range = tile % ranges_;
  box.begin[cut_.whole] = range * cut_.rows;
  box.end[cut_.whole] = std::min(extents_[cut_.whole], (range + 1) * cut_.rows);
  tile /= ranges_;
  for (int d = cut_.whole - 1; d >= 0; --d) {
    box.begin[d] = tile % extents_[d];
    box.end[d] = box.begin[d] + 1;
    tile /= extents_[d];
  }
  return box;
}

Box Tiles::read(std::int64_t tile, const SourceRange& source, bool own) const {
  Box box = this->box(tile);
  const int rows = cut_.whole;
  const std::int64_t first = box.begin[rows];
  box.begin[rows] = std::max<std::int64_t>(0, first - source.reach);
  if (own) box.end[rows] = first;
  for (int d = 0; d < cut_.whole; ++d) {
    box.begin[d] -= source.prefix[static_cast<std::size_t>(d)];
    box.end[d] = box.begin[d] + 1;
    if (box.begin[d] < 0) return {Extents::filled(extents_.rank(), 0), Extents::filled(extents_.rank(), 0)};
  }
  return box;
}

Box Tiles::read(std::int64_t tile, const std::int64_t* step) const {
  Box none{Extents::filled(extents_.rank(), 0), Extents::filled(extents_.rank(), 0)};
  Box box = this->box(tile);
  const int rows = cut_.whole;
  const std::int64_t first = box.begin[rows];
  bool own = true;
  for (int d = 0; d < rows; ++d) {
    own = own && step[d] == 0;
    box.begin[d] -= step[d];
    box.end[d] -= step[d];
    if (box.begin[d] < 0) return none;
  }
  box.begin[rows] = std::max<std::int64_t>(0, first - step[rows]);
  box.end[rows] -= step[rows];
  if (own) box.end[rows] = std::min(box.end[rows], first);
  return box.begin[rows] < box.end[rows] ? box : none;
}

std::int64_t Tiles::last_reader(std::int64_t tile, const std::vector<SourceRange>& sources) const {
  const Box box = this->box(tile);
  std::int64_t last = tile;
  for (const SourceRange& source : sources) {
    std::int64_t reader = 0;
    bool inside = true;
    for (int d = 0; d < cut_.whole && inside; ++d) {
      const std::int64_t index = box.begin[d] + source.prefix[static_cast<std::size_t>(d)];
      inside = index < extents_[d];
      reader = reader * extents_[d] + index;
    }
    if (!inside) continue;
    const std::int64_t range = (box.end[cut_.whole] - 1 + source.reach) / cut_.rows;
    last = std::max(last, reader * ranges_ + std::min(ranges_ - 1, range));
  }
  return last;
}

std::int64_t Tiles::most_live(const std::vector<SourceRange>& sources) const {
  std::int64_t farthest = 0;
  for (const SourceRange& source : sources) {
    std::int64_t distance = 0;
    for (int d = 0; d < cut_.whole; ++d) {
      distance = distance * extents_[d] + source.prefix[static_cast<std::size_t>(d)];
    }
    const std::int64_t ranges = std::min(ranges_ - 1, (source.reach + cut_.rows - 1) / cut_.rows);
    farthest = std::max(farthest, distance * ranges_ + ranges);
  }
  return std::min(count_, farthest + 1);
}

std::int64_t Tiles::tile_of(const Extents& cell) const {
  std::int64_t tile = 0;
  for (int d = 0; d < cut_.whole; ++d) tile = tile * extents_[d] + cell[d];
  return tile * ranges_ + cell[cut_.whole] / cut_.rows;
}

Extents partition_of(const Extents& extents, int dimensions) {
  std::vector<int> order(static_cast<std::size_t>(extents.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return extents[a] > extents[b]; });
  Extents shape = extents;
  for (int place = 0; place < std::min(dimensions, extents.rank()); ++place) {
    const int d = order[static_cast<std::size_t>(place)];
    shape[d] = extents[d] / divisor_of(extents[d]);
  }
  return shape;
}

bool fits(Combine combine, ElementType type, const Extents& extents, const StepSet& steps, std::int64_t modulus) {
  if (combine == Combine::any) return type == ElementType::u8;
  const ValueRange range = range_of(type, combine);
  if (combine == Combine::count) {
    return type == ElementType::i64 || (modulus > 0 && !is_floating(type) && modulus - 1 <= range.largest);
  }
  const std::int64_t chain = longest_chain(extents, steps);
  if (is_floating(type)) return stays_finite(type, steps, static_cast<double>(chain));
  if (!steps.has_whole_costs() || (combine == Combine::max && !is_signed(type))) return false;
  std::int64_t least = 0, largest = 0;
  for (const std::int64_t cost : steps.whole_costs) least = std::min(least, cost), largest = std::max(largest, cost);
  return range.holds(largest, chain) && range.holds(least, chain);
}

ElementType narrowest_type(Combine combine, const Extents& extents, const StepSet& steps, std::int64_t modulus) {
  using enum ElementType;
  if (combine == Combine::any) return u8;
  if (combine == Combine::count && modulus == 0) return i64;
  if (combine != Combine::count && !steps.has_whole_costs()) return f64;
  for (const ElementType type : {u8, i8, u16, i16, i32}) {
    if (combine == Combine::count && (type == i8 || type == i16)) continue;
    if (fits(combine, type, extents, steps, modulus)) return type;
  }
  return i64;
}

std::string_view name_of(Combine combine) {
  switch (combine) {
    case Combine::min:
      return "min";
    case Combine::max:
      return "max";
    case Combine::count:
      return "count";
    case Combine::any:
      break;
  }
  return "any";
}

}  // namespace terrace::dp_table
