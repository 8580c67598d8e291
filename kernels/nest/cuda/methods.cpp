#include "kernels/nest/methods.hpp"

#include <algorithm>

#include "kernels/nest/cuda/bands.hpp"
#include "kernels/nest/cuda/cells.hpp"
#include "kernels/nest/cuda/march.hpp"
#include "kernels/nest/cuda/march_shape.hpp"
#include "kernels/nest/cuda/tiles.hpp"
#include "kernels/nest/measured.hpp"

namespace terrace::nest {
namespace {

double operations_of(const NestSpec& spec) {
  double operations = 1;
  for (const Statement& statement : spec.nest->statements) operations += statement.value.operations() + 1;
  return operations;
}

device::Cost cost_of_cells(const NestSpec& spec, const device::Limits& limits) {
  const CudaTiles tiles(spec, limits);
  const Sweep sweep(spec);
  double cells = 1, launches = 1, space = 1;
  for (std::size_t n = 0; n < sweep.rank(); ++n) {
    i64 side = std::max<i64>(1, sweep.space()[n].size());
    space *= static_cast<double>(side);
    if (n < spec.block.size()) side = std::min(side, std::max<i64>(1, spec.block[n]));
    cells *= static_cast<double>(side);
    launches += static_cast<double>((side - 1) / tiles.tiling().side(n));
  }
  // Tiles at rims have places that are no iterations, which take their time, too.
  const double places = tiles.tiling().needed_share(spec) * space / std::max(1.0, spec.nest->cells());
  return {operations_of(spec) * std::max(1.0, places) / measured::cuda_cells_operations_per_second +
              launches * measured::cuda_cells_launch_seconds / cells,
          0, 1};
}

device::Cost cost_of_march(const NestSpec& spec, const device::Limits& limits) {
  const CudaMarch march(spec, limits);
  return {operations_of(spec) / measured::cuda_march_operations_per_second + march.chain_seconds() / march.cells(), 0,
          1};
}

constexpr NestMethod methods[] = {
    {"bands", "tables of two sequences: cells in registers, bands of rows behind one another, compiled at run time",
     device::Backend::cuda, "", true, why_unfit_for_bands, cost_of_bands, bands_cuda_bytes, make_bands_cuda},
    {"march", "warps march over bands of rows, values in registers, compiled at run time", device::Backend::cuda,
     "hyperplanes", true, CudaMarch::why_unfit, cost_of_march, march_cuda_bytes, make_march_cuda},
    {"cells", "tiles of a hyperplane at a time, cells of a hyperplane of a tile, compiled at run time",
     device::Backend::cuda, "hyperplanes", true, device::never_unfit<NestSpec>, cost_of_cells, cells_cuda_bytes,
     make_cells_cuda},
};

}  // namespace

std::span<const NestMethod> nest_cuda_methods() { return methods; }

}  // namespace terrace::nest
