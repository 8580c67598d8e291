// Random tables with many dimensions.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table::testing {

class Samples {
 public:
  explicit Samples(unsigned seed) : random_(seed) {}

  i64 draw(i64 least, i64 most) { return std::uniform_int_distribution<i64>(least, most)(random_); }

  /// A table of up to `most_cells` cells, with steps and costs that its type is sure to hold (counts may leave i64).
  Table table(Combine combine, ElementType type, int dimensions, i64 most_cells) {
    Extents extents;
    i64 left = most_cells;
    for (int d = 0; d < dimensions; ++d) {
      const i64 most = std::max<i64>(1, std::min<i64>(left, d + 1 == dimensions ? left : draw(1, 12)));
      const i64 extent = draw(1, most);
      extents.push_back(extent);
      left /= extent;
    }
    return table_with(combine, type, extents);
  }

  /// The same of given extents.
  Table table_with(Combine combine, ElementType type, const Extents& extents) {
    Table table;
    table.combine = combine;
    table.type = type;
    table.extents = extents;
    if (combine == Combine::count && (type != ElementType::i64 || draw(0, 1) == 0)) {
      const i64 most = type == ElementType::u8 ? 256 : type == ElementType::u16 ? 65536 : i64{1} << 31;
      table.modulus = draw(2, most);
    }
    add_steps(table);
    while (combine != Combine::count && !fits(combine, type, table.extents, table.steps, 0)) add_costs(table, 0, 1);
    table.cut.rows = table.extents[0];
    return table;
  }

  /// A table of counts that takes one step after another, of few steps: none leaves i64.
  Table by_steps(ElementType type, int dimensions, i64 most_cells) {
    Table table = this->table(Combine::count, type, dimensions, most_cells);
    table.order = Order::unordered;
    if (table.modulus == 0 && table.steps.count() > 12) table.modulus = 1'000'000'007;
    return table;
  }

  /// Cuts the table into tiles.
  void cut(Table& table) {
    do {
      table.cut.whole = static_cast<int>(draw(0, std::min(3, table.extents.rank() - 1)));
      table.cut.rows = draw(1, table.extents[table.cut.whole]);
    } while (table.order == Order::ordered && sources_of(table).size() > static_cast<std::size_t>(most_sources));
  }

 private:
  void add_steps(Table& table) {
    const int dimensions = table.extents.rank();
    const bool of_capacity = draw(0, 2) == 0;
    if (of_capacity) {
      std::vector<i64> weights;
      for (int d = 0; d < dimensions; ++d) weights.push_back(draw(1, 6));
      std::vector<std::int64_t> same(weights.begin(), weights.end());
      table.steps = *steps_of_capacity(table.extents, same, draw(1, 8));
    }
    table.steps.dimensions = dimensions;
    const i64 given = of_capacity ? 0 : draw(0, 12);
    for (i64 number = 0; number < given; ++number) {
      std::vector<i64> step;
      do {
        step.clear();
        for (int d = 0; d < dimensions; ++d) step.push_back(draw(0, 2) == 0 ? draw(0, table.extents[d]) : 0);
      } while (std::all_of(step.begin(), step.end(), [](i64 component) { return component == 0; }));
      table.steps.components.insert(table.steps.components.end(), step.begin(), step.end());
    }
    const bool small = size_of(table.type) == 1;
    const bool is_signed = terrace::is_signed(table.type);
    if (draw(0, 1) == 0) add_costs(table, 1, 1);
    else add_costs(table, is_signed ? (small ? -1 : -9) : 0, small ? 2 : 9);
  }

  void add_costs(Table& table, i64 least, i64 most) {
    const auto count = static_cast<std::size_t>(table.steps.count());
    table.steps.whole_costs.clear();
    table.steps.real_costs.clear();
    const bool real = is_floating(table.type) && draw(0, 1) == 0;
    for (std::size_t number = 0; number < count; ++number) {
      const i64 cost = draw(least, most);
      if (!real) table.steps.whole_costs.push_back(cost);
      table.steps.real_costs.push_back(static_cast<double>(cost) + (real ? 0.1 : 0));
    }
  }

  std::mt19937 random_;
};

/// Combines and types for which there are kernels.
inline const std::vector<std::pair<Combine, ElementType>>& kinds() {
  using enum ElementType;
  static const std::vector<std::pair<Combine, ElementType>> all = {
      {Combine::min, u8},    {Combine::min, i8},    {Combine::min, u16},   {Combine::min, i16}, {Combine::min, i32},
      {Combine::min, i64},   {Combine::min, f32},   {Combine::min, f64},   {Combine::max, i8},  {Combine::max, i16},
      {Combine::max, i32},   {Combine::max, i64},   {Combine::max, f32},   {Combine::max, f64}, {Combine::count, u8},
      {Combine::count, u16}, {Combine::count, i32}, {Combine::count, i64}, {Combine::any, u8}};
  return all;
}

inline std::string text_of(const Table& table) {
  std::string text = std::string(name_of(table.combine)) + " in " + std::string(terrace::name_of(table.type)) + ", ";
  for (const i64 extent : table.extents) text += std::to_string(extent) + " ";
  text += "cells, cut " + std::to_string(table.cut.whole) + " and " + std::to_string(table.cut.rows) + " rows, steps";
  for (i64 number = 0; number < table.steps.count(); ++number) {
    text += " (";
    for (int d = 0; d < table.extents.rank(); ++d) text += std::to_string(table.steps.step(number)[d]) + " ";
    text += "cost " + std::to_string(table.steps.real_costs[static_cast<std::size_t>(number)]) + ")";
  }
  return text + (table.order == Order::unordered ? ", one after another" : "") + ", modulus " +
         std::to_string(table.modulus) + ", cap " + std::to_string(table.cap);
}

}  // namespace terrace::dp_table::testing
