#include "stages/makespan/tally.hpp"

#include <algorithm>
#include <cstring>

#include "pipeline/base/error.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw ComputeError(what +
                     ": the disk or the memory has changed since it was computed; start over with --fresh=all");
}

MadeTable record_of(const ProbeTable& probe, bool feasible) {
  const dp_table::Table& table = probe.sized.table;
  return {probe.target, volume(table.extents), table.steps.count(), probe.sized.by_sizes(table.extents.begin()),
          feasible};
}

}  // namespace

void MakespanTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  dp_table::TableResult result;
  std::memcpy(&result, folded, sizeof result);
  if (phase.value.as<SearchPhase>().what() == SearchStep::walk) fold_walk(phase, result);
  else fold_tile(phase, index, result.last);
}

void MakespanTally::fold_tile(const run::Phase& phase, std::int64_t index, std::int64_t last) {
  const auto round = plan_.tables_of(phase);
  const ProbeTable& probe = round->of_block(index);
  if (index + 1 < probe.first_block + probe.tiles.count()) return;
  const bool feasible = last <= plan_.definition().instance.machines;
  const auto same = [&](const MadeTable& table) { return table.target == probe.target; };
  if (std::none_of(findings_.tables.begin(), findings_.tables.end(), same)) {
    findings_.tables.push_back(record_of(probe, feasible));
  }
  if (phase.value.as<SearchPhase>().what() == SearchStep::end) {
    if (!feasible) fail("the table of the target " + std::to_string(probe.target) + ", which is feasible, is not");
    findings_.made_again = true;
  } else if (index + 1 == phase.count) {
    findings_.outcomes.push_back(0);
    std::int64_t& outcome = findings_.outcomes.back();
    const std::size_t first = findings_.tables.size() - round->probes.size();
    while (outcome < static_cast<std::int64_t>(round->probes.size()) &&
           !findings_.tables[first + static_cast<std::size_t>(outcome)].feasible) {
      ++outcome;
    }
  } else {
    return;
  }
  begin_walk();
}

/// Begins the walk at the last cell of the table where the search ends, if it has ended.
void MakespanTally::begin_walk() {
  if (!plan_.tables().search(findings_.outcomes).done()) return;
  const auto target = plan_.end_target(findings_.outcomes);
  if (target) findings_.walk_cell = volume(plan_.tables().rounding().jobs(*target).extents()) - 1;
}

void MakespanTally::fold_walk(const run::Phase& phase, const dp_table::TableResult& result) {
  const auto value = phase.value.as<SearchPhase>();
  const auto round = plan_.tables_of(phase);
  const std::size_t number = value.made_again != 0 ? 0 : static_cast<std::size_t>(findings_.outcomes.back());
  const SizedTable& sized = round->probes[number].sized;
  const dp_table::Table& table = sized.table;
  const Extents strides = row_major_strides(table.extents);
  for (std::int64_t n = 0; n < result.walked; ++n) {
    const std::int64_t* step = table.steps.step(result.step[n]);
    findings_.configurations.push_back(sized.by_sizes(step));
    for (int d = 0; d < strides.rank(); ++d) findings_.walk_cell -= step[d] * strides[d];
  }
  if (result.state == dp_table::walk_unreachable || findings_.walk_cell < 0 ||
      (result.state == dp_table::walk_leaves && result.walked == 0)) {
    fail("no step leads to a cell on the way back");
  }
  findings_.walk_ended = result.state == dp_table::walk_ends;
}

std::string MakespanTally::save() const {
  nlohmann::json tables = nlohmann::json::array();
  for (const MadeTable& table : findings_.tables) {
    tables.push_back({table.target, table.cells, table.steps, table.extents, table.feasible});
  }
  return nlohmann::json{{"outcomes", findings_.outcomes},
                        {"tables", tables},
                        {"made_again", findings_.made_again},
                        {"walk_cell", findings_.walk_cell},
                        {"configurations", findings_.configurations},
                        {"walk_ended", findings_.walk_ended}}
      .dump();
}

void MakespanTally::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  findings_ = {};
  findings_.outcomes = state.at("outcomes").get<Outcomes>();
  for (const nlohmann::json& table : state.at("tables")) {
    findings_.tables.push_back(
        {table.at(0), table.at(1), table.at(2), table.at(3).get<std::vector<std::int64_t>>(), table.at(4)});
  }
  findings_.made_again = state.at("made_again");
  findings_.walk_cell = state.at("walk_cell");
  findings_.configurations = state.at("configurations").get<std::vector<std::vector<std::int64_t>>>();
  findings_.walk_ended = state.at("walk_ended");
}

}  // namespace terrace::stages
