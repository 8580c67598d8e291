#include "kernels/nest/methods.hpp"

#include "kernels/nest/cuda/cells.hpp"
#include "kernels/nest/cuda/march.hpp"
#include "kernels/nest/cuda/march_shape.hpp"
#include "kernels/nest/measured.hpp"

namespace terrace::nest {
namespace {

double operations_of(const NestSpec& spec) {
  double operations = 1;
  for (const Statement& statement : spec.nest->statements) operations += statement.value.operations() + 1;
  return operations;
}

device::Cost cost_of_cells(const NestSpec& spec, const device::Limits&) {
  return {operations_of(spec) / measured::cuda_cells_operations_per_second, 0, 1};
}

device::Cost cost_of_march(const NestSpec& spec, const device::Limits&) {
  return {operations_of(spec) / measured::cuda_march_operations_per_second, 0, 1};
}

constexpr NestMethod methods[] = {
    {"march", "warps march over bands of rows, values in registers, compiled at run time", device::Backend::cuda,
     "hyperplanes", true, CudaMarch::why_unfit, cost_of_march, march_cuda_bytes, make_march_cuda},
    {"cells", "tiles of a hyperplane at a time, cells of a hyperplane of a tile, compiled at run time",
     device::Backend::cuda, "hyperplanes", true, device::never_unfit<NestSpec>, cost_of_cells, cells_cuda_bytes,
     make_cells_cuda},
};

}  // namespace

std::span<const NestMethod> nest_cuda_methods() { return methods; }

}  // namespace terrace::nest
