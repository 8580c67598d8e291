// The CUDA side of tables whose steps are bounded in a build without the toolkit.
#include "kernels/dp_table/bounded_methods.hpp"

namespace terrace::dp_table {

std::span<const BoundedMethod> bounded_cuda_methods() { return {}; }

}  // namespace terrace::dp_table
