// The kernels of tiles: blocks that update tiles of a table, and blocks that look at rows of one.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::recursive {

/// The contents of a table.
enum class Table {
  values,       // of the algebra
  paths,        // distances, each with a trail of 32 bits (trail.hpp)
  long_paths,   // distances, each with a trail of 64 bits
  bits,         // 32 cells in a value of type u32, given out as bytes 0 and 1
  packed_bits,  // the same, given out as bytes of eight cells, the first one's bit being 1
  counts        // values of type i32, updated by factors of bits as above
};

/// The parameters that define updates of tiles.
struct TileSpec {
  int semiring = 0;  // a number of semirings(); min_plus with trails, or_and for bits, count for counts
  ElementType value = ElementType::f32;
  Table table = Table::values;
  int threads = 1;  // of has_blas(): threads for which tiles are cut, which fixes bits
};

/// True if a table holds trails, and their type.
bool has_trails(Table table);
ElementType trail_type(Table table);
/// True if its values are 32 cells each.
bool has_bits(Table table);
/// True if the factors of its updates are.
bool has_bit_factors(Table table);
/// The table that holds distances of type `distance` and the paths between `nodes` nodes.
Table paths_table(ElementType distance, std::int64_t nodes);

/// True if distances may be of that type: i16, i32, i64, f32 or f64.
bool is_distance_type(ElementType type);

/// True if there are kernels of that algebra and type.
bool has_tiles(const TileSpec& spec);

/// True if updates on the CPU are sums of products of real numbers, which OpenBLAS computes (blas.hpp).
bool has_blas(const TileSpec& spec);

/// Descriptors are TileTask, results TileResult. Functions A, B and C close tiles for min_plus, and eliminate them
/// for minus_times: then results name, as negative_pivot, an unusable pivot (elimination.hpp). A launch computes its
/// blocks one after another, each by all threads of the CPU, so that a block may use results of earlier blocks of the
/// launch. @throws DeviceError if there are no kernels
std::unique_ptr<device::BlockKernel> make_tiles_cpu(const TileSpec& spec, device::Context& context);

/// Additional bytes of memory in which each thread counts in tiles of at most `side` rows and columns.
std::size_t counts_cpu_bytes(std::int64_t side);

/// Additional bytes of device memory that updates on CUDA need for tiles of at most `side` rows and columns.
std::size_t tiles_cuda_bytes(const TileSpec& spec, std::int64_t side);

/// The same on CUDA: tiles lie in device memory, and so does the workspace of tiles_cuda_bytes(), which outlives the
/// kernel. All blocks of a launch are ready, and their descriptors written, when it is run. Integers are equal to the
/// CPU's; so are, in floating point, closed tiles and minima and maxima of sums, unless these are sums of sums.
/// @throws DeviceError if there are no kernels
std::unique_ptr<device::BlockKernel> make_tiles_cuda(const TileSpec& spec, std::int64_t side,
                                                     device::Context& context, void* workspace);

/// Computes totals of rows of a table of distances of that type (is_distance_type()): descriptors are ReductionTask,
/// results ReductionResult. @param workspace on CUDA reduction_cuda_bytes() of device memory
std::unique_ptr<device::BlockKernel> make_reduction_cpu(ElementType value, device::Context& context);
std::size_t reduction_cuda_bytes();
std::unique_ptr<device::BlockKernel> make_reduction_cuda(ElementType value, device::Context& context,
                                                         void* workspace);

}  // namespace terrace::recursive
