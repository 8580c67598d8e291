#include "stages/dp_table/tally.hpp"

#include <cstring>

#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

using dp_table::TableResult;

TableTally::TableTally(const TablePlan& plan) : plan_(plan), findings_{} {
  findings_.cell = plan.table().extents;
  for (int d = 0; d < findings_.cell.rank(); ++d) --findings_.cell[d];
}

void TableTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  TableResult result;
  std::memcpy(&result, folded, sizeof result);
  if (phase.number == 0) {
    if (result.overflow >= 0) {
      throw ComputeError("the number of ways leaves i64 in cell " + to_string(plan_.cell_of(index, result.overflow)) +
                         ", the first one in row-major order; give `modulus`");
    }
    findings_.last = result.last;
    findings_.last_real = result.last_real;
    return;
  }
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
  return nlohmann::json{
      {"last", findings_.last},     {"last_real", number_json(findings_.last_real)},
      {"walked", findings_.walked}, {"cell", std::vector<std::int64_t>(findings_.cell.begin(), findings_.cell.end())},
      {"ended", findings_.ended},   {"reached", findings_.reached}}
      .dump();
}

void TableTally::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  findings_.last = state.at("last");
  findings_.last_real = number_from(state.at("last_real"));
  findings_.walked = state.at("walked").get<std::vector<std::int32_t>>();
  findings_.cell = {};
  for (const std::int64_t index : state.at("cell").get<std::vector<std::int64_t>>()) findings_.cell.push_back(index);
  findings_.ended = state.at("ended");
  findings_.reached = state.at("reached");
}

}  // namespace terrace::stages
