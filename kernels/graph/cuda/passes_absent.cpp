#include "kernels/graph/methods.hpp"

namespace terrace::graph {

i64 cuda_pass_steps_of(const GraphMethod&, const GraphSpec&, const device::Limits&) { return 0; }

}  // namespace terrace::graph
