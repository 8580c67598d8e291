#include "stages/wavefront/alignment/traced_path.hpp"

#include <fmt/format.h>

#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::stages {

using wavefront::PathGap;
using wavefront::PathPlace;

PlaceValue PlaceValue::of(const PathPlace& place) {
  return {place.row, place.column, static_cast<std::int64_t>(place.gap), place.ended};
}

PathPlace PlaceValue::place() const {
  return {row, column, static_cast<PathGap>(gap), static_cast<device::i32>(ended)};
}

void TracedPath::begin(const TracedTable& table) {
  const bool nothing = table.problem.report == wavefront::Report::best && table.score.row == 0;
  place_ = {table.score.row, table.score.column, PathGap::none, nothing ? 1 : 0};
}

void TracedPath::add(const wavefront::TraceResult& found) {
  path_.add(found);
  place_ = found.place;
}

void TracedPath::check(const TracedTable& table, io::Source& rows, io::Source& columns, const Watch& watch) const {
  const wavefront::SweepSpec& spec = table.spec;
  const std::int64_t length = spec.rows - place_.row + spec.columns - place_.column;
  WatchedPart following(watch, "following the path", "item", length);
  const auto reader = [&](io::Source& source) {
    return [&](std::int64_t first, std::int64_t count, void* items) {
      source.read({{first}, {first + count}}, items);
      following.advance(count);
    };
  };
  const wavefront::BlockResult found =
      table.problem.replay({spec.problem, spec.settings, spec.value, spec.rows, spec.columns, place_.row,
                            place_.column, path_.runs(), reader(rows), reader(columns)});
  const WavefrontScore& score = table.score;
  if (found.score == score.score && found.row == score.row && found.column == score.column) return;
  const auto shown = [&](const wavefront::BlockResult& cell) {
    const double value = table.problem.items == wavefront::Items::values
                             ? wavefront::reported_cost(cell.score)
                             : static_cast<double>(cell.score) / static_cast<double>(table.problem.scale);
    return fmt::format("{} at row {} and column {}", value, cell.row, cell.column);
  };
  throw ComputeError(
      fmt::format("the path that was found through the table of {} from row {} and column {} on leads "
                  "to {}, where the table has {}: this is an error in the program, and neither is a "
                  "result; `backend: cpu`, or another one, may do better",
                  table.problem.name, place_.row, place_.column, shown(found), shown(score)));
}

Alignment TracedPath::alignment(const wavefront::Description& problem) const {
  Alignment alignment{path_, place_.row, place_.column};
  const wavefront::FreeStart free = problem.free_start;
  if (place_.column == 0 && !free.rows) alignment.path.add('I', std::exchange(alignment.row, 0));
  if (place_.row == 0 && !free.columns) alignment.path.add('D', std::exchange(alignment.column, 0));
  return alignment;
}

nlohmann::json TracedPath::save() const {
  return {{place_.row, place_.column, static_cast<int>(place_.gap), place_.ended}, path_.save()};
}

void TracedPath::load(const nlohmann::json& saved) {
  const nlohmann::json& place = saved.at(0);
  place_ = {place.at(0), place.at(1), PathGap{place.at(2).get<int>()}, place.at(3)};
  path_ = Path::load(saved.at(1));
}

}  // namespace terrace::stages
