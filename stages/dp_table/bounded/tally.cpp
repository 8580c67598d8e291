#include "stages/dp_table/bounded/tally.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

using dp_table::BoundedResult;
using dp_table::BoundedTable;

void BoundedTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  BoundedResult result;
  std::memcpy(&result, folded, sizeof result);
  if (plan_.walks(phase)) return fold_walk(phase, result);
  const bool is_first = overflow_pass_ < 0 || result.overflow_pass < overflow_pass_ ||
                        (result.overflow_pass == overflow_pass_ && result.overflow < overflow_);
  if (result.overflow >= 0 && is_first) {
    overflow_pass_ = result.overflow_pass;
    overflow_ = result.overflow;
  }
  if (overflow_ >= 0 && index + 1 == phase.count) {
    const auto step = plan_.table().passes[static_cast<std::size_t>(overflow_pass_)].step;
    throw ComputeError("the number of ways leaves i64 in cell " + to_string(cell_of(overflow_)) +
                       " with the steps up to number " + std::to_string(step) + "; give `modulus`");
  }
  if (plan_.is_last(phase)) fold_values(phase, index, result);
}

/// Tiles take passes from the last to the first; they begin in row-major order.
void BoundedTally::fold_values(const run::Phase& phase, std::int64_t index, const BoundedResult& result) {
  const std::int64_t tile = phase.number == 0 ? index : phase.count - 1 - index;
  const bool is_whole = !is_floating(plan_.table().stored);
  const std::int64_t unreached = dp_table::unreached_value(plan_.definition().table);
  // Narrow types are stored as i32, whose unreached value is another one.
  const auto in_type = [&](std::int64_t value) {
    if (plan_.table().stored != ElementType::i32) return value;
    dp_table::Table stored = plan_.definition().table;
    stored.type = ElementType::i32;
    return value == dp_table::unreached_value(stored) ? unreached : value;
  };
  if (tile + 1 == phase.count) {
    values_.last = in_type(result.last);
    values_.last_real = result.last_real;
  }
  if (result.best_cell < 0) return;
  const std::int64_t best = in_type(result.best);
  const Extents cell = cell_of(result.best_cell);
  const bool is_equal = is_whole ? best == values_.best : result.best_real == values_.best_real;
  const bool is_more = is_whole ? best > values_.best : result.best_real > values_.best_real;
  const bool is_before =
      std::lexicographical_compare(cell.begin(), cell.end(), values_.best_cell.begin(), values_.best_cell.end());
  if (values_.best_cell.rank() > 0 && !is_more && !(is_equal && is_before)) return;
  values_.best = best;
  values_.best_real = result.best_real;
  values_.best_cell = cell;
}

void BoundedTally::fold_walk(const run::Phase& phase, const BoundedResult& result) {
  const auto [first, end] = plan_.passes_of(phase);
  for (std::int64_t pass = end; pass-- > first;) {
    const std::int64_t number = pass - first;
    if ((result.walked[number / 64] >> (number % 64) & 1) == 0) continue;
    walked_.push_back(pass);
    back_ += BoundedTable::bits_back(plan_.table().passes[static_cast<std::size_t>(pass)], plan_.table().packed());
  }
  const std::int64_t left = *walk_from();
  if (left < 0 || (first == 0 && left != 0)) {
    throw ComputeError(
        "the way back does not end in the first cell: the disk or the memory has changed since it was computed; "
        "start over with --fresh=all");
  }
}

Extents BoundedTally::cell_of(std::int64_t element) const {
  const Extents strides = row_major_strides(plan_.definition().table.extents);
  Extents cell = strides;
  for (int d = 0; d < cell.rank(); ++d) {
    cell[d] = element / strides[d];
    element %= strides[d];
  }
  return cell;
}

bool BoundedTally::is_reached() const {
  const TableDefinition& definition = plan_.definition();
  if (is_floating(definition.table.type)) return definition.at_most || !std::isinf(values_.last_real);
  return definition.at_most || values_.last != dp_table::unreached_value(definition.table);
}

std::optional<std::int64_t> BoundedTally::walk_from() const {
  if (!is_reached()) return std::nullopt;
  const Extents& extents = plan_.definition().table.extents;
  const Extents strides = row_major_strides(extents);
  std::int64_t cell = 0;
  for (int d = 0; d < extents.rank(); ++d) {
    cell += strides[d] * (plan_.definition().at_most ? values_.best_cell[d] : extents[d] - 1);
  }
  return plan_.table().bit_of(cell) - back_;
}

std::vector<std::int32_t> BoundedTally::solution() const {
  std::vector<std::int32_t> steps;
  for (auto pass = walked_.rbegin(); pass != walked_.rend(); ++pass) {
    const dp_table::BoundedPass& taken = plan_.table().passes[static_cast<std::size_t>(*pass)];
    steps.insert(steps.end(), static_cast<std::size_t>(taken.times), taken.step);
  }
  return steps;
}

std::string BoundedTally::save() const {
  return nlohmann::json{{"last", values_.last},
                        {"last_real", number_json(values_.last_real)},
                        {"best", values_.best},
                        {"best_real", number_json(values_.best_real)},
                        {"best_cell", std::vector<std::int64_t>(values_.best_cell.begin(), values_.best_cell.end())},
                        {"overflow_pass", overflow_pass_},
                        {"overflow", overflow_},
                        {"walked", walked_},
                        {"back", back_}}
      .dump();
}

void BoundedTally::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  values_.last = state.at("last");
  values_.last_real = number_from(state.at("last_real"));
  values_.best = state.at("best");
  values_.best_real = number_from(state.at("best_real"));
  values_.best_cell = {};
  for (const std::int64_t index : state.at("best_cell").get<std::vector<std::int64_t>>()) {
    values_.best_cell.push_back(index);
  }
  overflow_pass_ = state.at("overflow_pass");
  overflow_ = state.at("overflow");
  walked_ = state.at("walked").get<std::vector<std::int64_t>>();
  back_ = state.at("back");
}

}  // namespace terrace::stages
