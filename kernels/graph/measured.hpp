// The rates that plans of graphs assume. Results never depend on them.
#pragma once

namespace terrace::graph::measured {

/// Values of f32 that a core makes in a second, of one node. Not measured.
inline constexpr double plain_cells = 3e8;

}  // namespace terrace::graph::measured
