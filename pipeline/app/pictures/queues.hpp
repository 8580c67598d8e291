// The queues in which a run's devices worked: the rows of a timeline.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/app/pictures/profile_rows.hpp"

namespace terrace::app {

/// A block or a movement of a tile, by its row in the profile.
struct Happening {
  double begin, end;  // seconds
  std::size_t row;    // of the blocks, or of the copies
  int lane;           // happenings of one lane of a queue do not overlap; lanes are numbered from 0
};

/// All work of one sort of one place: the blocks of a device, its copies up, the host's reads.
struct Queue {
  int place;         // 0: host and disk; d + 1: device d
  std::string name;  // "blocks", "copy up", "read"
  bool of_blocks;    // rows are of the profile's blocks, else of its copies
  int lanes = 0;
  std::vector<Happening> happenings;  // in the order of their beginnings
};

/// All queues that did something, by place; at a place the blocks first.
std::vector<Queue> queues_of(const ProfileRows& profile);

/// "host and disk", "device 1: NVIDIA H200".
std::string name_of_place(const ProfileRows& profile, int place);

}  // namespace terrace::app
