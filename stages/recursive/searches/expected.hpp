// The time that searches are expected to take, and updates of all pairs.
#pragma once

#include <string>

#include "kernels/recursive/searches.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Seconds of computing.
struct ExpectedSeconds {
  double searches = 0;
  double updates = 0;  // of all pairs by all nodes, by the machine's devices; 0: they do not compute it
};

/// @param cpu limits of the CPU, which searches @param resources of which devices update
ExpectedSeconds expected_seconds(const recursive::SearchSpec& spec, const device::Limits& cpu,
                                 const Resources& resources);

/// The same for people.
std::string in_words(const ExpectedSeconds& expected, const recursive::SearchGraph& graph);

}  // namespace terrace::stages
