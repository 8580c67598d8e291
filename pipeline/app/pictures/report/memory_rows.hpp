// The memory that a run held, over time, from a result's profile.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/results/reader.hpp"

namespace terrace::app {

/// The bytes that a location holds from a time on.
struct HeldMemory {
  double time = 0;  // seconds since the start of the run's first attempt
  double bytes = 0;
  std::size_t stage = 0;
};

/// The memory of one location; times do not go back.
struct LocationMemory {
  int device = -1;  // -1: the host
  std::vector<HeldMemory> held;
};

/// /profile/memory by locations, the host first; empty if an earlier version made the result.
/// @param stages their number @throws IoError if it is damaged
std::vector<LocationMemory> read_memory(const io::ResultReader& result, const std::string& path, std::size_t stages);

}  // namespace terrace::app
