// The states of a stencil's grid that a result and its inputs hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/stencil/window.hpp"
#include "stages/stencil/definition.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// A state of all fields after some steps.
struct StoredState {
  std::int64_t step = 0;
  std::vector<std::shared_ptr<io::Source>> fields;
  std::int64_t snapshot = -1;  // number along the first axis of `fields`; -1: they have the shape of the grid
};

/// A finished stencil as it is verified.
struct StoredStencil {
  const VerifyRequest& request;
  StencilDefinition definition;
  /// The input, the snapshots, and the grid at the end, in this order.
  std::vector<StoredState> states;

  const stencil::StencilSpec& spec() const { return definition.spec; }
  std::size_t fields() const { return definition.inputs.fields.size(); }
  /// Operations of `updates` of cells.
  double operations(double updates) const;
  /// True if a window of so many cells is within VerifyLimits::values.
  bool holds(std::int64_t cells) const;
  /// Makes steps of a window, watched. T is float or double, the type of the cells. @param step made before
  template <class T>
  void advance(stencil::Window<T>& window, const stencil::CellBox& cells, std::int64_t step,
               std::int64_t steps) const {
    const std::string part = "steps of cells of " + request.request.stage.name;
    WatchedPart made(request.request.watch, part, "step", steps);
    stencil::advance(spec(), window, cells, step, steps, [&] { made.advance(1); });
  }
};

/// The work that one part of a sample may take.
struct VerifyLimits {
  /// Operations, a multiply-add being one: some ten seconds.
  static constexpr double operations = 5e9;
  /// Operations below which all of a grid is made again at once.
  static constexpr double whole_operations = 2e8;
  /// Values of cells in memory.
  static constexpr double values = 1 << 25;
};

/// The values of some cells, perhaps beyond the ends of periodic axes.
/// @param snapshot number along the first axis of the source; -1: the source has the shape of the grid
template <class T>
std::vector<T> read_cells(const stencil::StencilSpec& spec, io::Source& source, const stencil::CellBox& cells,
                          std::int64_t snapshot);

/// The values of a state, and of the constant arrays.
template <class T>
stencil::Window<T> read_window(const StoredStencil& stored, const StoredState& state, const stencil::CellBox& cells);

/// Cells of the snapshots and of the grid at the end, each from the state stored before it.
std::vector<Checked> verify_states(const StoredStencil& stored);

/// Values of receivers, each from the state stored before its step.
std::vector<Checked> verify_receivers(const StoredStencil& stored);

/// Residuals of `until`, each from the state stored before its step.
std::vector<Checked> verify_residuals(const StoredStencil& stored);

}  // namespace terrace::stages
