// A stencil as its kernels are made: operator, grid, faces, arrays, and the cut into slabs and passes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/compiled/cxx_compiler.hpp"
#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/stencil/rules/change.hpp"
#include "kernels/stencil/rules/slabs.hpp"
#include "kernels/stencil/schedule.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::stencil {

struct Points;
struct Written;

/// The definition of a stencil, and the cut of a pass, which does not change the result.
struct StencilSpec {
  std::string name;   // of the operator
  Settings settings;  // the operator's parameters that are numbers, checked
  int rank = 2;
  /// Axes 0 (rows), 1 and 2 (the last). Grids of rank 2 have extent 1 along axis 1, grids of rank 1 along 1 and 2.
  std::array<std::int64_t, most_rank> extents{1, 1, 1};
  std::array<Faces, most_rank> faces{};  // of these axes; Face::edge along axes that the grid does not have
  int radius = 1;                        // width of the rim; no term reaches further
  ElementType value = ElementType::f64;  // f32 or f64

  std::shared_ptr<const Written> written;  // of operator `formula`
  compiled::CxxCompiler compiler;          // by which it may be compiled for the CPU
  std::vector<Term<double>> terms;         // of a linear operator, offsets along these axes
  bool separable = false;                  // `terms` are those of a SeparableSum
  int arrays = 0;                          // constant arrays of the grid's shape
  std::map<std::string, int> given;        // parameters that are arrays: their numbers
  int source = -1, mask = -1;              // numbers of arrays, or -1
  std::vector<double> drive;               // a value a step, of operators with a drive; the series of `written`
  std::shared_ptr<const Points> points;    // sources and receivers (points.hpp); null: none
  Norm norm = Norm::none;                  // of the changes that are asked for

  std::int64_t slab_rows = 0;   // that a slab leaves; the last one may be lower
  std::int64_t slab_tiles = 1;  // tiles of a slab, of which slab_rows is a multiple: pieces of memory of their own
  std::int64_t pass_steps = 0;  // the most steps of a pass
  std::int64_t parts = 1;       // streams of slabs of a pass
  std::int64_t depth = 0;       // steps that a kernel makes at a time; 0: it chooses
  std::int64_t at_once = most_steps_at_once;  // the most that it makes in slabs that follow one another
  Schedule schedule = Schedule::automatic;
  SkewedTile tile{64, 64};   // of Schedule::time_skewed
  std::int64_t streams = 0;  // of Schedule::time_skewed, at most; 0: as many as the device has multiprocessors

  /// Fields of the operator.
  int fields() const;
  /// Cells of a row.
  std::int64_t width() const { return extents[1] * extents[2]; }
  std::int64_t tile_rows() const { return slab_rows / slab_tiles; }
  Axis axis() const { return {extents[0], radius, faces[0].low == Face::periodic}; }
};

/// @throws DeviceError if types or sizes have no kernel
void check_stencil(const StencilSpec& spec);

/// Bytes of host memory that a CPU kernel allocates in addition to tiles and carries.
std::size_t stencil_cpu_bytes(const StencilSpec& spec, int threads);

/// A kernel whose launches compute blocks one after another: descriptors are StencilTask, results StencilResult.
std::unique_ptr<device::BlockKernel> make_stencil_cpu(const StencilSpec& spec, device::Context& context);

}  // namespace terrace::stencil
