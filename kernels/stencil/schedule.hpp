// The named schedules of a stencil: orders in which its steps are made. Results do not depend on them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terrace::stencil {

struct StencilSpec;

enum class Schedule {
  automatic,   // the kernel chooses
  plain,       // one step of all cells at a time
  overlapped,  // CUDA: several steps of a tile in shared memory, whose halo neighbours make again
  time_skewed  // CUDA: several steps of tiles that move by the radius a step; nothing is made twice (Li, 2020)
};

/// Cells of a tile of Schedule::time_skewed.
struct SkewedTile {
  int columns, rows;

  bool operator==(const SkewedTile&) const = default;
};

/// The tiles of Schedule::time_skewed as jobs name them: columns x rows.
inline constexpr const char* skewed_tiles = "64x64, 64x32, 32x32";

std::string name_of(Schedule schedule);
std::string name_of(SkewedTile tile);
/// @param name one of name_of()
Schedule schedule_from(std::string_view name);
SkewedTile skewed_tile_from(std::string_view name);

/// The steps that Schedule::time_skewed makes of a tile at a time, or 0 if it has none: table 11 of the paper.
/// @param radius 1 ... 8
int skewed_steps(SkewedTile tile, int radius);

/// The most terms of a sum that the schedules of tiles compute: those of a box of radius 8.
inline constexpr int most_tiled_terms = 17 * 17;

/// The reason why a stencil is not computed by its schedule, and the parameter at fault.
struct ScheduleFault {
  const char* parameter;
  std::string why;
};
std::optional<ScheduleFault> schedule_fault(const StencilSpec& spec);

}  // namespace terrace::stencil
