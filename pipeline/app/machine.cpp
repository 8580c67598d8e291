#include "pipeline/app/machine.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <limits>
#include <span>
#include <utility>

#include "io/files/durable.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

// Fractions of free memory: the rest is for the page cache, and for other programs.
constexpr double host_share = 0.7, device_share = 0.9;

std::vector<int> chosen_devices(const job::Job& job, std::size_t available) {
  std::vector<int> chosen;
  if (!job.devices) {
    for (std::size_t d = 0; d < available; ++d) chosen.push_back(static_cast<int>(d));
    return chosen;
  }
  for (int index : *job.devices) {
    if (index < 0 || static_cast<std::size_t>(index) >= available) {
      throw NoDevice(message_at(job.devices_place, "there is no device " + std::to_string(index) +
                                                       "; `terrace devices` lists " + std::to_string(available)));
    }
    chosen.push_back(index);
  }
  return chosen;
}

/// Bytes of the inputs of a stage from which several devices are worth their contexts, each of which takes tenths of
/// a second.
constexpr std::int64_t least_dealt_bytes = 64 << 10;

/// True if a stage reads inputs alone, and these are small. A nest that reads nothing may be large.
bool reads_little(const job::Stage& stage, const std::function<const io::Source*(const std::string&)>& input) {
  const std::vector<job::ArrayName> arrays = job::array_names(stage.arrays, stage.settings);
  if (arrays.empty()) return false;
  std::int64_t bytes = 0;
  for (const job::ArrayName& array : arrays) {
    const io::Source* source = input(array.name);
    if (source == nullptr) return false;
    bytes += volume(source->shape()) * static_cast<std::int64_t>(size_of(source->type()));
  }
  return bytes < least_dealt_bytes;
}

/// True if a stage of the job deals its blocks to several devices.
bool deals_blocks(const job::OpenJob& open, const Stages& stages) {
  const auto input = [&](const std::string& name) -> const io::Source* {
    const auto found = open.inputs.find(name);
    return found == open.inputs.end() ? nullptr : found->second.get();
  };
  // Who lists devices, or gives them little memory, may want to see several at work on little.
  const bool spares = !open.job.devices && !open.job.device_memory;
  return std::any_of(open.job.stages.begin(), open.job.stages.end(), [&](const job::Stage& stage) {
    const stages::StageKind& kind = stages.find(stage.kind);
    if (kind.deals == nullptr || (spares && kind.small_by_inputs && reads_little(stage, input))) return false;
    return kind.deals(stage, input);
  });
}

std::size_t least_free(const Processors& processors) {
  std::size_t least = SIZE_MAX;
  for (const auto& context : processors.contexts) least = std::min(least, context->limits().free_bytes);
  return least;
}

/// Opens devices, all at once: a context takes tenths of a second.
std::vector<std::unique_ptr<device::Context>> open_devices(std::span<const int> numbers) {
  std::vector<std::future<std::unique_ptr<device::Context>>> opening;
  for (const int number : numbers.subspan(1)) {
    opening.push_back(std::async(std::launch::async, [number] { return device::make_cuda_context(number); }));
  }
  std::vector<std::unique_ptr<device::Context>> contexts;
  contexts.push_back(device::make_cuda_context(numbers.front()));
  for (auto& context : opening) contexts.push_back(context.get());
  return contexts;
}

/// Memory that the inputs keep. @throws JobError if that is all that the job gives
std::size_t memory_of_inputs(const job::OpenJob& open) {
  std::size_t total = 0, most = 0;
  std::string largest;
  for (const auto& [name, source] : open.inputs) {
    const std::size_t bytes = source->memory();
    total += bytes;
    if (bytes > most) most = bytes, largest = name;
  }
  if (total < static_cast<std::size_t>(*open.job.host_memory)) return total;
  const std::string text = "memory.host is " + format_size(static_cast<double>(*open.job.host_memory)) +
                           ", and the inputs keep " + format_size(static_cast<double>(total)) + " in memory, '" +
                           largest + "' most, " + format_size(static_cast<double>(most)) +
                           ": allow more, or convert what is kept in memory to .npy or HDF5, which are read in parts";
  throw JobError(message_at(open.job.host_memory_place, text));
}

/// Bytes for scratch arrays: what the job allows, and the disk has.
std::int64_t scratch_space(const job::Job& job) {
  const std::int64_t allowed = job.scratch.size.value_or(std::numeric_limits<std::int64_t>::max());
  try {
    return std::min(allowed, io::free_space(job.scratch.path.value_or(job.output.parent_path())));
  } catch (const IoError&) {
    return allowed;  // the run says what is wrong with that place
  }
}

/// The resources of stages that the devices compute.
/// @param host_free free memory of the host
stages::Resources resources_of(const job::OpenJob& open, const Processors& processors, std::size_t host_free) {
  const job::Job& job = open.job;
  stages::Resources resources;
  resources.cuda = !processors.contexts.front()->shares_host_memory();
  resources.devices = static_cast<int>(processors.contexts.size());
  resources.compiles = job.compiles;
  resources.device = processors.contexts.front()->limits();
  if (job.host_memory) {
    resources.input_memory = memory_of_inputs(open);
    resources.host_budget = static_cast<std::size_t>(*job.host_memory) - resources.input_memory;
  } else {
    // Memory that inputs keep is already taken from the free memory.
    resources.host_budget = static_cast<std::size_t>(static_cast<double>(host_free) * host_share);
  }
  resources.window_memory = run::window_share(resources.host_budget);
  resources.host_budget -= resources.window_memory;
  resources.scratch_space = scratch_space(job);
  resources.device_given = job.device_memory.has_value();
  if (job.device_memory) {
    resources.device_budget = static_cast<std::size_t>(*job.device_memory);
  } else if (resources.cuda) {
    resources.device_budget = static_cast<std::size_t>(static_cast<double>(least_free(processors)) * device_share);
  } else {
    resources.device_budget = resources.host_budget;
  }
  return resources;
}

}  // namespace

std::vector<device::Context*> Processors::devices() const {
  std::vector<device::Context*> pointers;
  for (const auto& context : contexts) pointers.push_back(context.get());
  return pointers;
}

Machine open_machine(const job::OpenJob& open, const Stages& stages, bool cpu) {
  const job::Job& job = open.job;
  Machine machine;
  const bool cpu_alone = job.backend == job::Backend::cpu || (cpu && job.backend == job::Backend::automatic);
  std::string why_none;
  std::size_t available = 0;
  if (!cpu_alone) available = device::cuda_devices(&why_none).size();
  if (job.backend == job::Backend::cuda && available == 0) {
    throw NoDevice(message_at(job.backend_place, "'backend' is cuda, but there is no CUDA device: " + why_none +
                                                     "; take it away, or say `backend: cpu`, to run on the CPU"));
  }
  const std::vector<int> chosen = chosen_devices(job, std::max<std::size_t>(available, 1));
  Processors host;
  host.contexts.push_back(device::make_cpu_context(job.threads.value_or(0)));
  const std::size_t host_free = host.contexts.front()->limits().free_bytes;
  host.resources = resources_of(open, host, host_free);
  if (available == 0) {
    machine.main = std::move(host);
    return machine;
  }
  const std::size_t opened = deals_blocks(open, stages) ? chosen.size() : 1;
  machine.main.contexts = open_devices(std::span(chosen).first(opened));
  machine.main.resources = resources_of(open, machine.main, host_free);
  machine.main.resources.cpu = host.resources.device;
  machine.main.resources.leaves_choice = job.backend == job::Backend::automatic;
  machine.cpu = std::move(host);
  if (chosen.size() > opened) {
    machine.note = std::to_string(chosen.size()) + (job.devices ? " devices are listed" : " devices are here") +
                   "; a run uses one, device " + std::to_string(chosen.front()) + " (`devices: [N]` chooses)";
  }
  return machine;
}

run::RunSettings settings_on(const Machine& machine) {
  run::RunSettings settings;
  settings.devices = machine.main.devices();
  if (machine.cpu) settings.cpu = machine.cpu->contexts.front().get();
  settings.host_budget = machine.main.resources.host_budget;
  settings.window_bytes = machine.main.resources.window_memory;
  settings.device_budget = machine.main.resources.device_budget;
  return settings;
}

}  // namespace terrace::app
