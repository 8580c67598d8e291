// The rows of a result's profile: when each block was computed and each tile moved.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/results/reader.hpp"

namespace terrace::app {

/// /profile/blocks by columns; times in seconds since the start of the run's first attempt.
struct BlockRows {
  std::vector<double> stage, phase, first, count, device, attempt, attempts, operations, begin, end;
  std::size_t size() const { return begin.size(); }
};

/// /profile/copies by columns.
struct CopyRows {
  std::vector<double> stage, tile, generation, device, from, bytes, begin, end;
  std::vector<std::string> array, movement;
  std::size_t size() const { return begin.size(); }
};

/// The profile of a result, checked: columns of a table have one length, indices lie in their tables, and times are
/// finite and in order.
struct ProfileRows {
  std::string file;                          // the result
  std::vector<std::string> stages, devices;  // their names
  std::vector<bool> taken_over;              // by stages: another run computed it, and its times are of that run
  std::vector<std::string> computed;         // by stages: the end of the run that computed it; empty if not recorded
  BlockRows blocks;
  CopyRows copies;

  /// The same without blocks and copies of stages that are taken over, whose times are of other runs.
  ProfileRows of_this_run() const;
  const std::string& stage_of_block(std::size_t row) const {
    return stages[static_cast<std::size_t>(blocks.stage[row])];
  }
  const std::string& stage_of_copy(std::size_t row) const {
    return stages[static_cast<std::size_t>(copies.stage[row])];
  }
};

/// @throws IoError if the file is no result of Terrace, has no profile, or it is damaged
ProfileRows read_profile(const io::ResultReader& result, const std::string& path);

/// "align 17", "align 16 to 31": the stage and the numbers of the blocks of a row.
std::string name_of_block(const ProfileRows& profile, std::size_t row);
/// "read a[3]", "copy up table": the movement, the array and the tile of a row.
std::string name_of_copy(const ProfileRows& profile, std::size_t row);

}  // namespace terrace::app
