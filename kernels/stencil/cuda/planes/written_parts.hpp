// The two parts in which formulas are made while planes stream (cuda/planes/parts.cuh): when a cell's plane has
// come with its neighbours, and when the plane below it has come.
#pragma once

#include <vector>

#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// The parts of the formulas of a cell. Both may have a node; constants and reads they have for themselves.
struct PlaneParts {
  bool fit = false;             // true if there are
  std::vector<int> begin, end;  // nodes, in their order
  /// Values of `begin` that `end` takes: so few that no others would do with less.
  std::vector<int> handed;
  unsigned near = 0;     // fields of which `begin` reads neighbours in the plane, a bit each
  bool corners = false;  // also those that are along both axes
  int fields = 0;
  measured::VolumeSizes sizes{};  // of the kernel
};

/// The parts of formulas that read neither constant arrays, nor indices, the step and series, with fixed and periodic
/// faces, whose values fit into registers; others have windows of planes (written_windows.hpp).
/// @param spec with formulas of a job, of any rank and radius
PlaneParts plane_parts(const StencilSpec& spec);

}  // namespace terrace::stencil
