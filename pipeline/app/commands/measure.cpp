// `terrace measure`: measures what plans want to know of the CPU and of the GPUs.
#include <ostream>

#include "kernels/device/context.hpp"
#include "kernels/device/cpu_rates.hpp"
#include "pipeline/app/commands.hpp"
#include "stages/kernel_graph/times.hpp"

namespace terrace::app {

int measure(Session& session) {
  const auto set = device::best_instruction_set();
  const std::filesystem::path rates = device::measure_cpu(set, device::usable_threads());
  session.out << "CPU: "
              << (rates.empty() ? "measured at each start; set XDG_CACHE_HOME or HOME to a folder" : rates.string())
              << "\n";
  std::string why_none;
  const std::vector<device::Limits> cuda = device::cuda_devices(&why_none);
  if (cuda.empty()) session.out << "no CUDA device: " << why_none << "\n";
  for (std::size_t n = 0; n < cuda.size(); ++n) {
    // Devices of one name take the same.
    bool is_known = false;
    for (std::size_t other = 0; other < n; ++other) is_known |= cuda[other].name == cuda[n].name;
    if (is_known) continue;
    stages::measure_device(*device::make_cuda_context(static_cast<int>(n)));
    session.out << cuda[n].name << ": " << stages::file_of_times(cuda[n].name).string() << "\n";
  }
  return exit_done;
}

}  // namespace terrace::app
