// The formulas of a job whose planes stream in windows (cuda/planes/window.cuh).
#pragma once

#include <string>

#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// The facts of the formulas of a cell that the kernel needs.
struct PlaneWindows {
  std::string unfit;  // the reason why it does not make them; empty if it does
  int fields = 0;
  int kept = 0;                   // values of a cell that a level keeps (window_sizes())
  unsigned near = 0;              // fields of which neighbours in the plane are read, a bit each
  bool corners = false;           // also those that are along both axes
  measured::VolumeSizes sizes{};  // of the kernel, unless its values do not fit into registers
};

/// @param spec with formulas of a job, of any rank and radius
PlaneWindows plane_windows(const StencilSpec& spec);

}  // namespace terrace::stencil
