#include "kernels/graph/methods.hpp"

namespace terrace::graph {

i64 cuda_pass_steps_of(const GraphMethod&, const GraphSpec&, const device::Limits&) { return 0; }

std::vector<std::string> cuda_composition_in_words(const GraphMethod&, const GraphSpec&, const device::Limits&) {
  return {};
}

}  // namespace terrace::graph
