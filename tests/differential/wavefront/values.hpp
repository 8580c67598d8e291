// Series of values and dynamic time warping's variants for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/report.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "kernels/wavefront/visit.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront::test {

/// Settings of one variant.
inline Settings warping(const std::string& cost, const std::string& steps) {
  Settings settings;
  settings.set("cost", cost);
  settings.set("steps", steps);
  return settings;
}

/// Every variant, with free ends of the columns or without.
inline std::vector<Settings> warpings(const char* free_ends = "none") {
  std::vector<Settings> all;
  for (const char* cost : {"absolute", "squared"}) {
    for (const char* steps : {"symmetric1", "symmetric2"}) {
      all.push_back(warping(cost, steps));
      all.back().set("free_ends", std::string(free_ends));
    }
  }
  return all;
}

/// The settings with a window.
inline Settings with_window(Settings settings, std::int64_t window) {
  settings.set("window", window);
  return settings;
}

enum class Series { random, equal, coarse };

/// `count` values with fractions and very different sizes, so that another order of operations shows; all the same;
/// or whole numbers with many ties.
template <class V>
std::vector<V> make_series(Series kind, std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<V> series(static_cast<std::size_t>(count));
  for (V& value : series) {
    const double number = static_cast<double>(random() % 2001) - 1000;
    value = static_cast<V>(kind == Series::random  ? number * 0.37 / (1 << random() % 20)
                           : kind == Series::equal ? 0.3
                                                   : std::round(number / 300));
  }
  return series;
}

template <class V>
std::vector<std::uint8_t> bytes_of(const std::vector<V>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(V));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class V>
ReferenceTable<V> warping_reference(const SweepSpec& spec, const std::vector<V>& rows,
                                    const std::vector<V>& columns) {
  ReferenceTable<V> table;
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (P::items == Items::values) {
      table = values_reference<P, V>(problem_constants<P>(spec.settings), rows, columns);
    }
  });
  return table;
}

/// A sweep of a variant with the table in the type of its values, or without.
template <class V>
SweepSpec warping_spec(const Settings& settings, std::int64_t rows, std::int64_t columns, std::int64_t block_rows,
                       std::int64_t block_columns, bool table) {
  SweepSpec spec;
  spec.problem = "dtw";
  spec.settings = settings;
  spec.rows = rows;
  spec.columns = columns;
  spec.block_rows = block_rows;
  spec.block_columns = block_columns;
  spec.value = spec.border = element_type_of<V>();
  if (table) spec.table = spec.value;
  return spec;
}

/// The report of a table whose blocks have these, in their order.
inline BlockResult folded(std::span<const BlockResult> blocks) {
  BlockResult table{0, 0, 0};
  for (const BlockResult& block : blocks) {
    add_report(Items::values, Report::ends, block, &block == &blocks.back(), table);
  }
  return table;
}

/// "squared symmetric1 33 x 65 in blocks of 7 x 64, f32, table".
inline std::string shown(const SweepSpec& spec) {
  const auto extents = [](std::int64_t rows, std::int64_t columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
  };
  const auto window = spec.settings.find<std::int64_t>("window");
  const bool free = spec.settings.has("free_ends") && spec.settings.text("free_ends") != "none";
  return spec.settings.text("cost") + " " + spec.settings.text("steps") + (free ? " free columns" : "") +
         (window ? " window " + std::to_string(*window) + " " : " ") + extents(spec.rows, spec.columns) +
         " in blocks of " + extents(spec.block_rows, spec.block_columns) + ", " + std::string(name_of(spec.value)) +
         (spec.table ? ", table" : "");
}

}  // namespace terrace::wavefront::test
