#include "pipeline/app/prepare.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/durable.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/job/identity.hpp"
#include "stages/refuse.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

// Of what is free: the rest is for the page cache, and for others.
constexpr double host_share = 0.7, device_share = 0.9;

std::vector<int> chosen_devices(const job::Job& job, std::size_t available) {
  std::vector<int> chosen;
  if (!job.devices) {
    for (std::size_t d = 0; d < available; ++d) chosen.push_back(static_cast<int>(d));
    return chosen;
  }
  for (int index : *job.devices) {
    if (index < 0 || static_cast<std::size_t>(index) >= available) {
      throw JobError(message_at(job.devices_place, "there is no device " + std::to_string(index) +
                                                       "; `terrace devices` lists " + std::to_string(available)));
    }
    chosen.push_back(index);
  }
  return chosen;
}

std::size_t least_free(const Machine& machine) {
  std::size_t least = SIZE_MAX;
  for (const auto& context : machine.contexts) least = std::min(least, context->limits().free_bytes);
  return least;
}

/// What the inputs keep in memory. @throws JobError where that is all that the job gives
std::size_t memory_of_inputs(const job::OpenJob& open) {
  std::size_t total = 0, most = 0;
  std::string largest;
  for (const auto& [name, source] : open.inputs) {
    const std::size_t bytes = source->memory();
    total += bytes;
    if (bytes > most) most = bytes, largest = name;
  }
  if (total < static_cast<std::size_t>(*open.job.host_memory)) return total;
  throw JobError("memory.host is " + format_size(static_cast<double>(*open.job.host_memory)) +
                 ", and the inputs keep " + format_size(static_cast<double>(total)) + " in memory, '" + largest +
                 "' most, " + format_size(static_cast<double>(most)) +
                 ": allow more, or convert what is kept in memory to .npy or HDF5, which are read in parts");
}

Json state_of(const std::filesystem::path& path) {
  const auto state = io::file_state(path);
  if (!state) return {{"path", path.string()}};
  return {{"path", path.string()},
          {"size", state->size},
          {"time", state->modified},
          {"changed", state->changed},
          {"inode", state->inode}};
}

/// Nanoseconds since 1970 as people write them.
std::string format_time(std::int64_t time) {
  constexpr std::int64_t second = 1'000'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(time / second), time % second);
}

/// How a file differs from what it was, in size or time.
std::optional<std::string> file_difference(const Json& before, const Json& now) {
  const std::string name = now.at("path");
  if (!now.contains("size") || !before.contains("size")) return name + " is gone";
  if (before["size"] != now["size"]) {
    return fmt::format("{} had {} bytes and has {}", name, before["size"].get<std::int64_t>(),
                       now["size"].get<std::int64_t>());
  }
  if (before.at("time") == now["time"]) return std::nullopt;
  return fmt::format("{} was last modified at {} and now at {}", name, format_time(before["time"]),
                     format_time(now["time"]));
}

std::optional<std::string> input_difference(const Json& before, const Json& now, bool states) {
  for (const auto& [name, input] : now.items()) {
    const Json earlier = before.value(name, Json::object());
    const std::string changed = "input '" + name + "' has changed: ";
    for (const char* key : {"type", "shape"}) {
      const Json old = earlier.value(key, Json());
      if (old != input[key]) return changed + *job::first_difference({{key, old}}, {{key, input[key]}});
    }
    const Json old_files = earlier.value("files", Json::array());
    if (old_files.size() != input["files"].size()) {
      return changed + fmt::format("it had {} files and has {}", old_files.size(), input["files"].size());
    }
    for (std::size_t i = 0; states && i < old_files.size(); ++i) {
      if (auto found = file_difference(old_files[i], input["files"][i])) return changed + *found;
    }
  }
  return std::nullopt;
}

/// Sources by their names in the job, those of earlier stages' arrays among them.
class Sources {
 public:
  Sources(const job::OpenJob& open, run::RunPlan& plan) : open_(open), plan_(plan) {}

  std::shared_ptr<io::Source> operator()(const std::string& name) const {
    if (auto input = open_.inputs.find(name); input != open_.inputs.end()) return input->second;
    const std::size_t slash = name.find('/');
    for (run::PlannedStage& stage : plan_.stages) {
      if (stage.name != name.substr(0, slash)) continue;
      const auto& arrays = stage.stage->program().arrays();
      for (std::size_t a = 0; a < arrays.size(); ++a) {
        if (arrays[a].role != run::Role::result || arrays[a].name != name.substr(slash + 1)) continue;
        auto output = std::make_shared<run::StageOutput>(arrays[a].type, arrays[a].shape);
        stage.readers.emplace_back(static_cast<int>(a), output);
        return output;
      }
    }
    throw JobError("'" + name + "' is a single value, which no stage can read; name an array");
  }

 private:
  const job::OpenJob& open_;
  run::RunPlan& plan_;
};

std::string job_text(const job::Job& job) {
  std::string text = job.source;
  for (const std::string& setting : job.overrides) text += "\n# --set " + setting;
  return text;
}

}  // namespace

std::vector<device::Context*> Machine::devices() const {
  std::vector<device::Context*> pointers;
  for (const auto& context : contexts) pointers.push_back(context.get());
  return pointers;
}

Machine open_machine(const job::OpenJob& open, bool cpu) {
  const job::Job& job = open.job;
  Machine machine;
  const bool cpu_alone = job.backend == job::Backend::cpu || (cpu && job.backend == job::Backend::automatic);
  std::string why_none;
  std::size_t available = 0;
  if (!cpu_alone) available = device::cuda_devices(&why_none).size();
  if (job.backend == job::Backend::cuda && available == 0) {
    throw JobError(message_at(job.backend_place, "'backend' is cuda, but there is no CUDA device: " + why_none +
                                                     "; take it away, or say `backend: cpu`, to run on the CPU"));
  }
  auto host = device::make_cpu_context();
  const std::size_t host_free = host->limits().free_bytes;
  stages::Resources& resources = machine.resources;
  resources.cuda = available > 0;
  if (resources.cuda) {
    for (int index : chosen_devices(job, available)) machine.contexts.push_back(device::make_cuda_context(index));
  } else {
    if (job.devices) chosen_devices(job, 1);
    machine.contexts.push_back(std::move(host));
  }
  resources.device = machine.contexts.front()->limits();
  if (job.host_memory) {
    resources.input_memory = memory_of_inputs(open);
    resources.host_budget = static_cast<std::size_t>(*job.host_memory) - resources.input_memory;
  } else {
    // What inputs keep is not free any more.
    resources.host_budget = static_cast<std::size_t>(static_cast<double>(host_free) * host_share);
  }
  resources.device_given = job.device_memory.has_value();
  if (job.device_memory) {
    resources.device_budget = static_cast<std::size_t>(*job.device_memory);
  } else if (resources.cuda) {
    resources.device_budget = static_cast<std::size_t>(static_cast<double>(least_free(machine)) * device_share);
  } else {
    resources.device_budget = resources.host_budget;
  }
  return machine;
}

Signature signature_of(const job::OpenJob& open, const Machine& machine) {
  Signature signature;
  signature.identity = job::defining_json(open.job);
  signature.fixed = {{"backend", machine.resources.cuda ? "cuda" : "cpu"},
                     {"kind", machine.resources.device.kind},
                     {"program", run::build_id()}};
  signature.inputs = inputs_of(open);
  return signature;
}

Json inputs_of(const job::OpenJob& open) {
  Json inputs = Json::object();
  for (const auto& [name, source] : open.inputs) {
    Json files = Json::array();
    for (const auto& file : source->files()) files.push_back(state_of(file));
    inputs[name] = {{"files", files},
                    {"type", name_of(source->type())},
                    {"shape", std::vector<std::int64_t>(source->shape().begin(), source->shape().end())}};
  }
  return inputs;
}

std::optional<std::string> difference(const Signature& before, const Signature& now, bool states) {
  if (auto found = job::first_difference(before.identity, now.identity)) return found;
  if (auto found = input_difference(before.inputs, now.inputs, states)) return found;
  return job::first_difference(before.fixed, now.fixed);
}

run::RunPlan make_new_plan(const job::OpenJob& open, Machine& machine, const Stages& stages,
                           const std::function<void(const std::string&)>& tell) {
  try {
    return make_plan(open, machine, stages, nullptr);
  } catch (const stages::CpuOnly& error) {
    if (open.job.backend != job::Backend::automatic) throw;
    tell(std::string("computing on the CPU: ") + error.what());
  }
  machine = Machine{};  // one device at a time
  machine = open_machine(open, true);
  return make_plan(open, machine, stages, nullptr);
}

run::RunPlan make_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages, const Json* begun) {
  const job::Job& job = open.job;
  run::RunPlan plan;
  const Signature signature = signature_of(open, machine);
  plan.identity = signature.identity;
  plan.fixed = signature.fixed;
  plan.inputs = signature.inputs;
  plan.job_name = job.name;
  plan.job_text = job_text(job);
  plan.scratch = job.scratch.path.value_or("");
  plan.scratch_limit = job.scratch.size;
  std::vector<std::string> errors;
  for (std::size_t number = 0; number < job.stages.size(); ++number) {
    const job::Stage& step = job.stages[number];
    const Json* choices = begun != nullptr ? &begun->at("stages").at(number) : nullptr;
    const stages::Request request{step, Sources(open, plan), machine.resources, choices};
    try {
      auto stage = stages.find(step.kind).make(request);
      plan.stages.push_back({step.name, step.temporary, std::move(stage), {}});
    } catch (const stages::CpuOnly&) {
      throw;
    } catch (const JobError& error) {
      for (const std::string& message : error.messages()) {
        const bool placed = message.starts_with(job.file.string() + ":") || message.starts_with("--set ");
        errors.push_back(placed ? message : message_at(step.place, "stage '" + step.name + "': " + message));
      }
      // Later stages may read what this one would have written: they cannot be looked at.
      break;
    }
  }
  if (!errors.empty()) throw JobError(errors);
  return plan;
}

}  // namespace terrace::app
