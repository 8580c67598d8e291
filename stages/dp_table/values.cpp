#include "stages/dp_table/values.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/dp_table/bounded_table.hpp"
#include "stages/refuse.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {
namespace {

/// The value of the best cell, or of the last one.
std::string text_of_value(const dp_table::Table& table, const TableValues& values, bool best) {
  return dispatch(table.type, [&](auto zero) {
    using T = decltype(zero);
    const T real = static_cast<T>(best ? values.best_real : values.last_real);
    return text_of(std::is_floating_point_v<T> ? real : static_cast<T>(best ? values.best : values.last));
  });
}

std::string last_cell_text(const dp_table::Table& table) {
  Extents last = table.extents;
  for (int d = 0; d < last.rank(); ++d) --last[d];
  return to_string(last);
}

/// A bound of the magnitude of sums of costs.
double largest_sum(const dp_table::Table& table) {
  double largest = 0;
  for (const double cost : table.steps.real_costs) largest = std::max(largest, std::abs(cost));
  return largest * static_cast<double>(dp_table::longest_chain(table.extents, table.steps));
}

/// A warning if f64 may not hold sums of whole costs; empty if it holds all of them.
std::string warning_of_f64_sums(const Place& place, const std::string& stage, const dp_table::Table& table) {
  constexpr double exact = 9007199254740992;  // 2^53: f64 has every whole number up to it
  if (largest_sum(table) <= exact) return "";
  const bool fits = dp_table::fits(table.combine, ElementType::i64, table.extents, table.steps, table.modulus);
  return message_at(place, "stage '" + stage +
                               "': sums of whole costs are kept as f64 here, which beyond 2^53 "
                               "(9,007,199,254,740,992) holds only some of them" +
                               (fits ? ": leave `type` out, or say `type: i64`, for exact ones"
                                     : "; they may leave i64, so they cannot be exact"));
}

/// True once the last cell has its value, and no steps lead to it.
bool misses_last(const TableDefinition& definition, const TableValues& values) {
  const dp_table::Table& table = definition.table;
  if (definition.at_most) return false;
  if (table.combine != dp_table::Combine::min && table.combine != dp_table::Combine::max) return false;
  return is_floating(table.type) ? std::isinf(values.last_real) : values.last == dp_table::unreached_value(table);
}

/// True once all cells have their values, and one is better than the last one, whose value is the result.
bool has_better_cell(const TableDefinition& definition, const TableValues& values) {
  if (definition.at_most || values.best_cell.rank() == 0) return false;
  return is_floating(definition.table.type) ? values.best_real > values.last_real : values.best > values.last;
}

}  // namespace

std::vector<io::SmallDataset> value_datasets(const std::string& stage, const TableDefinition& definition,
                                             const TableValues& values, const std::vector<std::int32_t>& solution) {
  const dp_table::Table& table = definition.table;
  const auto path = [&](const char* dataset) { return "/" + stage + "/" + dataset; };
  std::vector<io::SmallDataset> all;
  const bool best = definition.at_most;
  dispatch(table.type, [&](auto zero) {
    using T = decltype(zero);
    const T real = static_cast<T>(best ? values.best_real : values.last_real);
    const T value = std::is_floating_point_v<T> ? real : static_cast<T>(best ? values.best : values.last);
    all.push_back(
        io::small_scalar<T>(path("value"), value, "", best ? "value of the best cell" : "value of the last cell"));
  });
  if (best) {
    all.push_back(io::small_dataset<std::int64_t>(
        path("end"), {table.extents.rank()}, {"dimension"},
        std::vector<std::int64_t>(values.best_cell.begin(), values.best_cell.end()), "", "indices of the best cell"));
  }
  all.push_back(io::small_dataset<std::int64_t>(path("steps"), {table.steps.count(), table.steps.dimensions},
                                                {"step", "dimension"}, table.steps.components, "",
                                                "components of the steps"));
  if (definition.keeps_solution) {
    all.push_back(io::small_dataset<std::int32_t>(path("solution"), {static_cast<std::int64_t>(solution.size())},
                                                  {"place"}, solution, "",
                                                  best ? "numbers of the steps from the first cell to the best"
                                                       : "numbers of the steps from the first cell to the last"));
  }
  return all;
}

std::vector<std::string> value_warnings(const std::string& stage, const Place& type,
                                        const TableDefinition& definition, const TableValues& values) {
  const dp_table::Table& table = definition.table;
  const std::string name = "stage '" + stage + "': ";
  if (table.steps.count() == 0) return {name + "there is no step, so only the first cell is reached"};
  std::vector<std::string> all;
  if (misses_last(definition, values)) {
    all.push_back(name + "no steps lead to the last cell: its value " + text_of_value(table, values, false) +
                  " means none");
  }
  if (has_better_cell(definition, values)) {
    all.push_back(name + "the value " + text_of_value(table, values, false) + " is that of the last cell, " +
                  last_cell_text(table) + ", which the steps meet exactly; cell " + to_string(values.best_cell) +
                  " has the value " + text_of_value(table, values, true) +
                  ": `fill: at_most` gives the best of all cells");
  }
  if (!is_floating(table.type) || !table.steps.has_whole_costs()) return all;
  const std::string warning = table.type == ElementType::f32 ? warning_of_f32_results(type, stage, largest_sum(table))
                                                             : warning_of_f64_sums(type, stage, table);
  if (!warning.empty()) all.push_back(warning);
  return all;
}

}  // namespace terrace::stages
