#include "pipeline/app/version.hpp"

#include "kernels/device/context.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/device/cuda_toolkit.hpp"
#include "pipeline/run/build_id.hpp"

namespace terrace::app {

std::string version_text() {
  const std::string toolkit = device::cuda_toolkit();
  const std::string cuda = toolkit.empty() ? "none: built without the CUDA Toolkit" : "toolkit " + toolkit;
  return "terrace " + run::version_text() + "\nbuild " + run::build_id() + "\nCPU " +
         std::string(device::name_of(device::best_instruction_set())) + "\nCUDA " + cuda +
         (device::cuda_unoptimised() ? ", kernels not optimised" : "");
}

}  // namespace terrace::app
