#include "kernels/dp_table/bounded_table.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace terrace::dp_table {
namespace {

ElementType stored_type(const Table& table) {
  using enum ElementType;
  if (table.combine == Combine::any) return u64;
  return is_floating(table.type) || table.type == i64 ? table.type : i32;
}

/// The most times that a step fits the table.
i64 most_times(const Extents& extents, const std::int64_t* step) {
  i64 most = std::numeric_limits<i64>::max();
  for (int d = 0; d < extents.rank(); ++d) {
    if (step[d] > 0) most = std::min<i64>(most, (extents[d] - 1) / step[d]);
  }
  return most;
}

class PassMaker {
 public:
  explicit PassMaker(BoundedTable& made) : made_(made), table_(made.table) {}

  void add_step(i64 number) {
    const i64 fitting = most_times(table_.extents, table_.steps.step(number));
    const i64 each = std::min<i64>(table_.steps.each[static_cast<std::size_t>(number)], fitting);
    if (table_.combine == Combine::count) add_counts(number, each, fitting);
    else add_packages(number, each);
  }

 private:
  /// Any number up to `each` is a sum of some of the packages.
  void add_packages(i64 number, i64 each) {
    for (i64 times = 1; each > 0; each -= times, times *= 2) add(number, std::min(times, each), 1);
  }
  void add_counts(i64 number, i64 each, i64 fitting) {
    const bool is_power = (each & (each + 1)) == 0;
    if (each < fitting && !is_power) add(number, each + 1, -1);
    const i64 most = is_power ? each : fitting;
    for (i64 times = 1; times <= most; times *= 2) add(number, times, 1);
  }

  void add(i64 number, i64 times, i64 sign) {
    const std::int64_t* step = table_.steps.step(number);
    BoundedPass pass{};
    pass.step = static_cast<i32>(number);
    pass.times = times;
    pass.sign = sign;
    if (table_.combine == Combine::min || table_.combine == Combine::max) add_cost(number, pass);
    const int last = table_.extents.rank() - 1;
    for (int d = 0; d <= last; ++d) {
      const i64 cells = step[d] * times;
      if (d == last) pass.bits = cells % made_.packed();
      add_dimension(d == last ? made_.words : table_.extents[d], d == last ? cells / made_.packed() : cells,
                    d == last && pass.bits > 0, pass);
    }
    i64 stride = 1;
    for (int d = pass.rank - 1; d >= 0; stride *= pass.extent[d--]) pass.offset += pass.component[d] * stride;
    pass.reach = pass.offset + (pass.bits > 0 ? 1 : 0);
    made_.passes.push_back(pass);
  }

  /// A dimension in which the pass leads nowhere is a part of the one before.
  static void add_dimension(i64 extent, i64 component, bool has_bits, BoundedPass& pass) {
    if (pass.rank > 0 && component == 0 && !has_bits) {
      pass.extent[pass.rank - 1] *= extent;
      pass.component[pass.rank - 1] *= extent;
      return;
    }
    pass.extent[pass.rank] = extent;
    pass.component[pass.rank++] = component;
  }

  void add_cost(i64 number, BoundedPass& pass) const {
    const auto place = static_cast<std::size_t>(number);
    pass.real_cost = table_.steps.real_costs[place] * static_cast<double>(pass.times);
    if (table_.steps.has_whole_costs()) pass.whole_cost = table_.steps.whole_costs[place] * pass.times;
  }

  BoundedTable& made_;
  const Table& table_;
};

}  // namespace

BoundedTable::BoundedTable(Table definition) : table(std::move(definition)), stored(stored_type(table)) {
  line = table.extents[table.extents.rank() - 1];
  words = (line + packed() - 1) / packed();
  elements = *cells_of(table.extents) / line * words;
  PassMaker maker(*this);
  for (i64 number = 0; number < table.steps.count(); ++number) {
    if (fits_table(table.extents, table.steps.step(number))) maker.add_step(number);
  }
}

std::int64_t unreached_value(const Table& table) {
  return dispatch(table.type, [&](auto zero) -> std::int64_t {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    if (std::is_floating_point_v<T>) return 0;
    switch (table.combine) {
      case Combine::min:
        return static_cast<std::int64_t>(Limits::max());
      case Combine::max:
        return static_cast<std::int64_t>(Limits::lowest());
      default:
        return 0;
    }
  });
}

}  // namespace terrace::dp_table
