// The declaration of the stage `dp_table`.
#include "kernels/dp_table/bounded_methods.hpp"
#include "kernels/dp_table/methods.hpp"
#include "stages/dp_table/dealing.hpp"
#include "stages/dp_table/stage.hpp"
#include "stages/dp_table/verify.hpp"
#include "stages/stage_kind.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

StageKind dp_table_stage() {
  StageKind kind;
  kind.declaration.name = "dp_table";
  kind.declaration.help =
      "tables of up to 32 dimensions: OPT(v) combines OPT(v - s) + cost(s) over the steps s <= v; knapsacks, change, "
      "bins, ways";
  kind.declaration.parameters = {
      {"extents", ParameterKind::integers, "cells in each dimension: the largest index and one", nullptr, nullptr, 1},
      {"steps", ParameterKind::vectors, "step vectors, with a component for each dimension; of an array a row each",
       "", "ARRAY", 0},
      {"capacity.weights", ParameterKind::integers,
       "in place of `steps`: all vectors of so much weight; the weight of each dimension", nullptr, nullptr, 0},
      {"capacity.at_most", ParameterKind::count, "the most weight of a step", nullptr, nullptr, 0},
      {"cost", ParameterKind::decimals, "a number for all steps, or one for each; counts have none", "1", "ARRAY"},
      {"each", ParameterKind::integers,
       "how often a step may be taken, a number for all steps, or one for each: 1 is a 0/1 knapsack; left out: as "
       "often as it fits. Of up to 3 dimensions; of `count` with `order: unordered`",
       "", "ARRAY", 1},
      {"combine", ParameterKind::choice,
       "min and max: of OPT(v - s) + cost(s); count: the number of ways to reach a cell exactly; any: 1 if there is "
       "one",
       "min", "min, max, count, any"},
      {"fill", ParameterKind::choice,
       "the cell whose value is the result. exact: the last one, which the steps meet exactly; at_most, of `max`: "
       "the "
       "best of all cells, as in a knapsack whose capacity need not be used up",
       "exact", "exact, at_most"},
      {"order", ParameterKind::choice,
       "the ways of `count`. ordered: sequences of steps (1 + 2 and 2 + 1 are two); unordered: combinations, as in "
       "making change (they are one)",
       "ordered", "ordered, unordered"},
      {"modulus", ParameterKind::count, "ways are counted modulo this number", "", nullptr, 2, 4e18},
      {"type", ParameterKind::choice, "type of the cells; auto: the narrowest that is sure to hold all values",
       "auto", "auto, u8, i8, u16, i16, i32, i64, f32, f64"},
      {"partition_dimensions", ParameterKind::integer,
       "the number of dimensions, the largest ones, that `schedule: partitioned` divides", "5", nullptr, 1, 32},
      {"schedule", ParameterKind::choice,
       "how cells are ordered; results do not depend on it. partitioned: Li's blocks; levels: all cells tested at "
       "every "
       "level, on the CPU only",
       "auto", "auto, partitioned, levels"},
      {"keep", ParameterKind::texts,
       "table: all cells; choice: the first best step of each cell; solution: the steps from the first cell to the "
       "last, with `fill: at_most` to the best",
       "", "table, choice, solution"}};
  kind.declaration.outputs = {
      {"value", "one value", "of the last cell, with `fill: at_most` of the best", job::Ties::none},
      {"end", "dimensions", "indices of the best cell, of equal ones the first in row-major order", job::Ties::none,
       "fill: at_most"},
      {"steps", "steps x dimensions", "the steps in their order", job::Ties::none},
      {"table", "the extents",
       "values of all cells; where no step leads: min the type's largest, max its lowest (of real numbers infinity), "
       "count and any 0",
       job::Ties::none, "keep: table"},
      {"choice", "the extents", "number of the first step that is best; -1: none", job::Ties::none, "keep: choice"},
      {"solution", "steps of the solution",
       "numbers of the steps from the first cell to the last, with `fill: at_most` to `end`; empty: not reached, or "
       "no step is best",
       job::Ties::none, "keep: solution"}};
  kind.declaration.example = {
      "",
      {"{extents: [101], steps: [[1], [3], [4]], cost: [10, 40, 50], combine: max, keep: "
       "[table, solution]}",
       "type: i32", "fill: at_most", "{extents: [9, 7], capacity: {weights: [7, 9], at_most: 30}, keep: choice}",
       "{extents: [20, 20], steps: [[1, 0], [0, 1], [1, 1]], combine: count, modulus: 1009}",
       "{extents: [101], steps: [[1], [2], [5]], combine: count, order: unordered}",
       "{extents: [31], steps: [[11], [7], [9]], cost: [62, 35, 48], each: 1, combine: max, fill: at_most, keep: "
       "solution}"}};
  kind.make = make_dp_table;
  kind.deals = [](const job::Stage& stage, const auto&) { return is_large_table(stage.settings); };
  kind.cpu_alone = [](const Request& request) -> std::optional<CpuAlone> {
    const job::Stage& stage = request.stage;
    if (stage.settings.text("schedule") != "levels") return std::nullopt;
    return CpuAlone{"schedule", "`schedule: levels` is computed on the CPU only; give another, or `backend: cpu`"};
  };
  kind.verify = verify_dp_table;
  kind.methods = [] {
    std::vector<run::StageMethod> all = stage_methods(dp_table::table_methods());
    const std::vector<run::StageMethod> bounded = stage_methods(dp_table::bounded_methods());
    all.insert(all.end(), bounded.begin(), bounded.end());
    return all;
  };
  return kind;
}

}  // namespace terrace::stages
