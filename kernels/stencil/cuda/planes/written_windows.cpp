#include "kernels/stencil/cuda/planes/written_windows.hpp"

#include <bit>

#include "kernels/stencil/cuda/common/formula_arrays.hpp"
#include "kernels/stencil/cuda/planes/window_task.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {
namespace {

using formula::Node;
using formula::Operation;

std::string unfit_for_windows(const StencilSpec& spec) {
  const Written& written = *spec.written;
  const auto at_most = [](int number, const char* what) {
    return "it takes formulas that have at most " + std::to_string(number) + " " + what;
  };
  if (spec.rank != 3 || spec.radius != 1) return "it makes formulas of radius 1 in three dimensions";
  if (spec.fields() > most_window_fields) return at_most(most_window_fields, "fields");
  if (own_arrays(written).size() > FormulaArrays::most_own)
    return at_most(FormulaArrays::most_own, "constant arrays");
  for (const Node& node : written.cells.nodes()) {
    if (node.operation != Operation::read || node.offset[0] == 0) continue;
    if (node.offset[1] != 0 || node.offset[2] != 0) {
      return "it takes formulas that read of the planes above and below the one cell beside the cell";
    }
  }
  return "";
}

}  // namespace

PlaneWindows plane_windows(const StencilSpec& spec) {
  PlaneWindows windows;
  windows.unfit = unfit_for_windows(spec);
  if (!windows.unfit.empty()) return windows;
  unsigned above = 0;
  for (const Node& node : spec.written->cells.nodes()) {
    if (node.operation != Operation::read || node.number >= spec.written->fields) continue;
    if (node.offset[0] < 0) above |= 1u << node.number;
    if (node.offset[1] != 0 || node.offset[2] != 0) windows.near |= 1u << node.number;
    windows.corners = windows.corners || (node.offset[1] != 0 && node.offset[2] != 0);
  }
  windows.fields = spec.fields();
  windows.kept = windows.fields + std::popcount(above);
  windows.sizes = window_sizes(windows.fields, windows.kept, formula_arrays(spec) > 0,
                               static_cast<int>(size_of(spec.value)), false);
  return windows;
}

}  // namespace terrace::stencil
