// Checksums of the tiles of inputs.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "pipeline/run/executor/version.hpp"

namespace terrace::run {

/// Checksum of a tile of an input as it was read.
using InputChecksums = std::unordered_map<VersionKey, std::uint64_t, VersionKeyHash>;

}  // namespace terrace::run
