#include "kernels/nest/methods.hpp"

#include "kernels/nest/cuda/cells.hpp"
#include "kernels/nest/measured.hpp"

namespace terrace::nest {
namespace {

device::Cost cost_of_cells(const NestSpec& spec, const device::Limits&) {
  double operations = 1;
  for (const Statement& statement : spec.nest->statements) operations += statement.value.operations() + 1;
  return {operations / measured::cuda_cells_operations_per_second, 0, 1};
}

constexpr NestMethod methods[] = {
    {"cells", "tiles of a hyperplane at a time, cells of a hyperplane of a tile, compiled at run time",
     device::Backend::cuda, "hyperplanes", true, device::never_unfit<NestSpec>, cost_of_cells, cells_cuda_bytes,
     make_cells_cuda},
};

}  // namespace

std::span<const NestMethod> nest_cuda_methods() { return methods; }

}  // namespace terrace::nest
