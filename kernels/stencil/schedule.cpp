#include "kernels/stencil/schedule.hpp"

#include <algorithm>
#include <array>

#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {
namespace {

struct NamedSchedule {
  const char* name;
  Schedule schedule;
};
constexpr NamedSchedule schedules[] = {{"auto", Schedule::automatic},
                                       {"plain", Schedule::plain},
                                       {"overlapped", Schedule::overlapped},
                                       {"time_skewed", Schedule::time_skewed}};

/// A row of table 11: steps by radius, from 1 on.
struct TableRow {
  const char* name;
  SkewedTile tile;
  int steps[most_radius];
};
constexpr TableRow table_11[] = {{"64x64", {64, 64}, {8, 8, 4, 0, 0, 0, 0, 0}},
                                 {"64x32", {64, 32}, {16, 16, 8, 8, 8, 4, 4, 4}},
                                 {"32x32", {32, 32}, {16, 16, 16, 8, 8, 8, 4, 4}}};

constexpr bool fits(const TableRow& row) {
  return std::ranges::all_of(row.steps, [](int steps) { return steps <= most_steps_at_once; });
}
static_assert(std::ranges::all_of(table_11, fits));

bool is_fixed(const Faces& faces) { return faces.low == Face::fixed && faces.high == Face::fixed; }

/// "64x32 and 32x32": the tiles that have steps for a radius.
std::string tiles_for(int radius) {
  std::string names;
  for (const TableRow& row : table_11) {
    if (skewed_steps(row.tile, radius) > 0) names += (names.empty() ? "" : " and ") + std::string(row.name);
  }
  return names;
}

}  // namespace

std::string name_of(Schedule schedule) { return schedules[static_cast<std::size_t>(schedule)].name; }

std::string name_of(SkewedTile tile) { return std::to_string(tile.columns) + "x" + std::to_string(tile.rows); }

Schedule schedule_from(std::string_view name) {
  const auto* found = std::ranges::find_if(schedules, [&](const NamedSchedule& one) { return one.name == name; });
  return found == std::end(schedules) ? Schedule::automatic : found->schedule;
}

SkewedTile skewed_tile_from(std::string_view name) {
  const auto* found = std::ranges::find_if(table_11, [&](const TableRow& row) { return row.name == name; });
  return found == std::end(table_11) ? table_11[0].tile : found->tile;
}

int skewed_steps(SkewedTile tile, int radius) {
  const auto* found = std::ranges::find_if(table_11, [&](const TableRow& row) { return row.tile == tile; });
  if (found == std::end(table_11) || radius < 1 || radius > most_radius) return 0;
  return found->steps[radius - 1];
}

std::optional<ScheduleFault> schedule_fault(const StencilSpec& spec) {
  if (spec.schedule == Schedule::automatic || spec.schedule == Schedule::plain) return std::nullopt;
  const std::string name = "`" + name_of(spec.schedule) + "`";
  const auto fault = [&](const std::string& why) { return ScheduleFault{"schedule", name + " computes " + why}; };
  const OperatorInfo* info = find_operator(spec.name);
  if (info == nullptr || !info->linear || spec.rank != 2) return fault("sums over offsets in two dimensions");
  if (!is_fixed(spec.faces[0]) || !is_fixed(spec.faces[2])) {
    return fault("grids whose faces are `fixed`; others are computed by `auto` and `plain`");
  }
  const bool constant = std::ranges::all_of(spec.terms, [](const Term<double>& term) { return term.array < 0; });
  if (!constant) return fault("sums whose coefficients are numbers; arrays of them take `auto` or `plain`");
  if (spec.source >= 0 || spec.mask >= 0) return fault("grids without a source and a mask");
  if (spec.points) return fault("grids without point sources and receivers");
  if (spec.terms.empty() || spec.terms.size() > most_tiled_terms) {
    return fault("sums of at most " + std::to_string(most_tiled_terms) + " terms");
  }
  if (spec.schedule == Schedule::time_skewed && skewed_steps(spec.tile, spec.radius) == 0) {
    return ScheduleFault{"tile", "`time_skewed` has no steps for tiles of " + name_of(spec.tile) + " at radius " +
                                     std::to_string(spec.radius) + ": they are too small for it; " +
                                     tiles_for(spec.radius) + " have"};
  }
  return std::nullopt;
}

}  // namespace terrace::stencil
