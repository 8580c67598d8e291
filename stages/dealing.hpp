// The number of devices that compute a stage, and the assumptions of plans that choose it.
#pragma once

#include <cstdint>
#include <string>

namespace terrace::stages {

/// The number of devices to which a stage is dealt.
struct Dealing {
  std::int64_t devices = 1;
  std::string why_not = {};  // of one device, for people
};

/// Things in a row that are dealt in parts of neighbours, as equal as can be.
struct DealtParts {
  std::int64_t count = 1, parts = 1;

  std::int64_t part_of(std::int64_t thing) const { return thing * parts / count; }
  /// The first thing of a part.
  std::int64_t begin(std::int64_t part) const { return (part * count + parts - 1) / parts; }
};

namespace measured {

struct DealtBlocks {
  /// Seconds from the end of a block to the begin of the block that reads its border on another device. Not measured.
  static constexpr double hand_on_seconds = 2e-4;
  /// Gain below which one device computes all. Not measured.
  static constexpr double least_gain = 1.05;
  /// Rate from one device's memory to another's, each way. Two H200s, 2026-11-28: 397 GB/s.
  static constexpr double peer_bytes_per_second = 397e9;
};

}  // namespace measured
}  // namespace terrace::stages
