#include "stages/dp_table/tally.hpp"

#include <cstring>

#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

using dp_table::TableResult;

namespace {

std::vector<std::int64_t> indices_of(const Extents& cell) { return {cell.begin(), cell.end()}; }

Extents cell_from(const nlohmann::json& indices) {
  Extents cell;
  for (const std::int64_t index : indices.get<std::vector<std::int64_t>>()) cell.push_back(index);
  return cell;
}

}  // namespace

TableTally::TableTally(const TablePlan& plan) : plan_(plan), findings_{} {
  findings_.cell = plan.table().extents;
  for (int d = 0; d < findings_.cell.rank(); ++d) --findings_.cell[d];
}

void TableTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  TableResult result;
  std::memcpy(&result, folded, sizeof result);
  if (plan_.walks(phase)) fold_walk(result);
  else fold_tile(phase, index, result);
}

void TableTally::fold_tile(const run::Phase& phase, std::int64_t tile, const TableResult& result) {
  if (result.overflow >= 0) {
    const std::string steps = phase.number == 0
                                  ? ""
                                  : " with the steps up to number " +
                                        std::to_string(plan_.passes()[static_cast<std::size_t>(phase.number - 1)]);
    throw ComputeError("the number of ways leaves i64 in cell " + to_string(plan_.cell_of(tile, result.overflow)) +
                       steps + ", the first one in row-major order; give `modulus`");
  }
  findings_.last = result.last;
  findings_.last_real = result.last_real;
  // Tiles are in row-major order.
  const bool is_better =
      findings_.best_cell.rank() == 0 ||
      (is_floating(plan_.table().type) ? result.best_real > findings_.best_real : result.best > findings_.best);
  if (result.best_cell >= 0 && is_better) {
    findings_.best = result.best;
    findings_.best_real = result.best_real;
    findings_.best_cell = plan_.cell_of(tile, result.best_cell);
  }
  if (plan_.definition().at_most && tile + 1 == phase.count) findings_.cell = findings_.best_cell;
}

void TableTally::fold_walk(const TableResult& result) {
  for (std::int64_t number = 0; number < result.walked; ++number) {
    const std::int32_t step = result.step[number];
    findings_.walked.push_back(step);
    for (int d = 0; d < findings_.cell.rank(); ++d) findings_.cell[d] -= plan_.table().steps.step(step)[d];
  }
  findings_.ended = result.state != dp_table::walk_leaves;
  if (result.state != dp_table::walk_unreachable) return;
  if (!findings_.walked.empty()) {
    throw ComputeError(
        "no step leads to cell " + to_string(findings_.cell) +
        " on the way back, which has a value: the disk or the memory has changed since it was computed; "
        "start over with --fresh=all");
  }
  findings_.reached = false;
}

std::string TableTally::save() const {
  return nlohmann::json{{"last", findings_.last},
                        {"last_real", number_json(findings_.last_real)},
                        {"best", findings_.best},
                        {"best_real", number_json(findings_.best_real)},
                        {"walked", findings_.walked},
                        {"best_cell", indices_of(findings_.best_cell)},
                        {"cell", indices_of(findings_.cell)},
                        {"ended", findings_.ended},
                        {"reached", findings_.reached}}
      .dump();
}

void TableTally::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  findings_.last = state.at("last");
  findings_.last_real = number_from(state.at("last_real"));
  findings_.walked = state.at("walked").get<std::vector<std::int32_t>>();
  findings_.best = state.at("best");
  findings_.best_real = number_from(state.at("best_real"));
  findings_.best_cell = cell_from(state.at("best_cell"));
  findings_.cell = cell_from(state.at("cell"));
  findings_.ended = state.at("ended");
  findings_.reached = state.at("reached");
}

}  // namespace terrace::stages
