#include "pipeline/app/prepare.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "io/files/durable.hpp"
#include "pipeline/app/nodes_read.hpp"
#include "pipeline/app/signature.hpp"
#include "pipeline/app/taking_over.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/job/identity.hpp"
#include "stages/arrays_read.hpp"
#include "stages/refuse.hpp"
#include "stages/rounded_inputs.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

// Fractions of free memory: the rest is for the page cache, and for other programs.
constexpr double host_share = 0.7, device_share = 0.9;

constexpr std::size_t unlimited = std::size_t{1} << 50;  // bytes: more than any machine has

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

/// True if a stage of the job deals its blocks to several devices.
bool deals_blocks(const job::Job& job, const Stages& stages) {
  return std::any_of(job.stages.begin(), job.stages.end(),
                     [&](const job::Stage& stage) { return stages.find(stage.kind).deals; });
}

std::size_t least_free(const Machine& machine) {
  std::size_t least = SIZE_MAX;
  for (const auto& context : machine.contexts) least = std::min(least, context->limits().free_bytes);
  return least;
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

/// A stage reads an array of a stage that cannot be planned.
struct Unknown {};

/// The arrays that a step reads, by names in the job, including arrays of earlier stages.
class Sources {
 public:
  /// @param reads records reads of inputs @param unknown stages that cannot be planned
  Sources(const job::OpenJob& open, const Stages& stages, const job::Stage& step, run::RunPlan& plan,
          run::InputReads& reads, const std::set<std::string>& unknown)
      : open_(open), stages_(stages), step_(step), plan_(plan), reads_(reads), unknown_(unknown) {}

  std::shared_ptr<io::Source> operator()(const std::string& name) const {
    if (auto input = open_.inputs.find(name); input != open_.inputs.end()) return reads_.watch(name, input->second);
    const std::size_t slash = name.find('/');
    const auto [earlier, declared] = output_of(name);
    if (declared != nullptr && declared->has_found_length && declared->has_found_length(earlier->settings)) {
      stages::refuse(step_, stages::setting_that_names(name, step_),
                     "the length of '" + name +
                         "' is known when its stage has run: read it from the result, in a job of "
                         "its own");
    }
    if (unknown_.contains(name.substr(0, slash))) throw Unknown{};
    for (run::PlannedStage& stage : plan_.stages) {
      if (stage.name != name.substr(0, slash)) continue;
      const auto& arrays = stage.stage->plan().arrays();
      for (std::size_t a = 0; a < arrays.size(); ++a) {
        if (arrays[a].role != run::Role::result || arrays[a].name != name.substr(slash + 1)) continue;
        auto output = std::make_shared<run::StageOutput>(name, arrays[a].type, arrays[a].shape,
                                                         nodes_of(stage, arrays[a].shape));
        stage.readers.emplace_back(static_cast<int>(a), output);
        return output;
      }
    }
    const bool single = declared != nullptr && declared->shape == "one value";
    stages::refuse(step_, stages::setting_that_names(name, step_),
                   "'" + name + "' is a " + (single ? "single value" : "small dataset") +
                       ", which no stage can read; name an array");
  }

 private:
  /// The names of the rows of a stage's array.
  static std::shared_ptr<const io::NodeNames> nodes_of(const run::PlannedStage& stage, const Extents& shape) {
    const bool fits = stage.nodes && shape.rank() == 2 && shape[0] == stage.nodes->count();
    return fits ? stage.nodes : nullptr;
  }

  /// The stage of the job and its declared output, or null. @param name "stage/output" of an earlier stage
  std::pair<const job::Stage*, const job::OutputDeclaration*> output_of(const std::string& name) const {
    const std::size_t slash = name.find('/');
    for (const job::Stage& earlier : open_.job.stages) {
      if (earlier.name != name.substr(0, slash)) continue;
      const job::StageDeclaration& kind = stages_.find(earlier.kind).declaration;
      for (const job::OutputDeclaration* output : job::outputs_of(kind, kind.find_problem(earlier.problem))) {
        const auto names = output->names ? output->names(earlier.settings) : std::vector<std::string>{output->name};
        if (std::find(names.begin(), names.end(), name.substr(slash + 1)) != names.end()) return {&earlier, output};
      }
    }
    return {nullptr, nullptr};
  }

  const job::OpenJob& open_;
  const Stages& stages_;
  const job::Stage& step_;
  run::RunPlan& plan_;
  run::InputReads& reads_;
  const std::set<std::string>& unknown_;
};

/// The messages of a refused step, each with a place.
std::vector<std::string> placed(const JobError& error, const job::Job& job, const job::Stage& step) {
  std::vector<std::string> messages;
  for (const std::string& message : error.messages()) {
    const bool has_place = message.starts_with(job.file.string() + ":") || message.starts_with("--set ");
    messages.push_back(has_place ? message : message_at(step.place, "stage '" + step.name + "': " + message));
  }
  return messages;
}

/// @throws JobError if the job allows less scratch space than the plan takes
void check_scratch(const job::Job& job, const run::RunPlan& plan) {
  if (!job.scratch.size) return;
  const std::int64_t needed = run::disk_need(plan).scratch;
  if (needed <= *job.scratch.size) return;
  throw JobError(message_at(job.scratch.size_place, "the job needs " + format_size(static_cast<double>(needed)) +
                                                        " of scratch space, and scratch.size allows " +
                                                        format_size(static_cast<double>(*job.scratch.size)) +
                                                        ": allow more, or give more memory"));
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

/// PlannedStage::inputs of a step.
std::vector<std::string> inputs_read(const job::Stage& step, const job::OpenJob& open) {
  std::vector<std::string> inputs;
  for (const job::ArrayName& array : job::array_names(step.arrays, step.settings)) {
    inputs.push_back(open.inputs.contains(array.name) ? array.name : "");
  }
  return inputs;
}

/// A stage that is not planned, if another result holds what it gives: one that is there, or the one from which an
/// earlier attempt has taken it over.
std::optional<run::PlannedStage> planned_as_taken(const job::Stage& step, const TakenOver& taken,
                                                  const Json* choices) {
  std::shared_ptr<const run::TakenPart> part;
  std::unique_ptr<run::TakenStage> stage;
  if (choices != nullptr) {
    if (!run::is_taken(*choices)) return std::nullopt;
    stage = std::make_unique<run::TakenStage>(*choices);
  } else {
    const auto found = taken.stages.find(step.name);
    if (found == taken.stages.end()) return std::nullopt;
    part = found->second;
    stage = std::make_unique<run::TakenStage>(*part);
  }
  auto nodes = stage->nodes();
  run::PlannedStage planned{step.name, step.temporary, std::move(stage), {}, nullptr, std::move(nodes)};
  planned.taken = std::move(part);
  return planned;
}

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
  auto host = device::make_cpu_context(job.threads.value_or(0));
  const std::size_t host_free = host->limits().free_bytes;
  stages::Resources& resources = machine.resources;
  resources.cuda = available > 0;
  resources.compiles = job.compiles;
  if (resources.cuda) {
    const std::vector<int> chosen = chosen_devices(job, available);
    const std::size_t opened = deals_blocks(job, stages) ? chosen.size() : 1;
    for (std::size_t d = 0; d < opened; ++d) machine.contexts.push_back(device::make_cuda_context(chosen[d]));
    resources.devices = static_cast<int>(opened);
    if (chosen.size() > opened) {
      machine.note = std::to_string(chosen.size()) + (job.devices ? " devices are listed" : " devices are here") +
                     "; a run uses one, device " + std::to_string(chosen.front()) + " (`devices: [N]` chooses)";
    }
  } else {
    if (job.devices) chosen_devices(job, 1);
    machine.contexts.push_back(std::move(host));
  }
  resources.device = machine.contexts.front()->limits();
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
    resources.device_budget = static_cast<std::size_t>(static_cast<double>(least_free(machine)) * device_share);
  } else {
    resources.device_budget = resources.host_budget;
  }
  return machine;
}

void reopen_on_cpu(const job::OpenJob& open, Machine& machine, const Stages& stages) {
  const bool to_run = machine.resources.to_run;
  machine = Machine{};  // one device at a time
  machine = open_machine(open, stages, true);
  machine.resources.to_run = to_run;
}

run::RunPlan make_new_plan(const job::OpenJob& open, Machine& machine, const Stages& stages,
                           const std::function<void(const std::string&)>& tell, const Watch& watch,
                           const TakeOver& take_over) {
  const auto plan = [&] {
    return make_plan(open, machine, stages, nullptr, watch, take_over ? take_over(machine) : TakenOver{});
  };
  try {
    return plan();
  } catch (const stages::CpuOnly& error) {
    tell(std::string("computing on the CPU: ") + error.what());
  }
  reopen_on_cpu(open, machine, stages);
  return plan();
}

run::RunPlan make_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages, const Json* begun,
                       const Watch& watch, const TakenOver& taken) {
  const job::Job& job = open.job;
  run::RunPlan plan;
  const Signature signature = signature_of(open, machine);
  plan.identity = signature.identity;
  plan.fixed = signature.fixed;
  plan.inputs = signature.inputs;
  plan.contents = contents_of(open);
  plan.sources = open.inputs;
  plan.job_name = job.name;
  plan.job_text = job_text(job);
  plan.job_folder = job.folder.string();
  plan.settings = job::accompanying_json(job);
  plan.scratch = job.scratch.path.value_or("");
  run::InputReads reads;
  std::vector<std::string> errors;
  std::set<std::string> unknown;
  for (std::size_t number = 0; number < job.stages.size(); ++number) {
    const job::Stage& step = job.stages[number];
    const Json* choices = begun != nullptr ? &begun->at("stages").at(number) : nullptr;
    if (auto planned = planned_as_taken(step, taken, choices)) {
      plan.stages.push_back(*std::move(planned));
      continue;
    }
    const auto rounded = std::make_shared<stages::RoundedInputs>(step);
    const auto nodes = std::make_shared<NodesRead>();
    const auto array = [sources = Sources(open, stages, step, plan, reads, unknown), nodes,
                        &step](const std::string& name) {
      auto source = sources(name);
      nodes->add(source->nodes());
      return stages::as_read_by(step, name, std::move(source));
    };
    const stages::Request request{step, array, machine.resources, choices, rounded.get(), watch};
    try {
      auto stage = stages.find(step.kind).make(request);
      plan.stages.push_back({step.name,
                             step.temporary,
                             std::move(stage),
                             {},
                             [rounded] { return rounded->warnings(); },
                             nodes->nodes()});
      plan.stages.back().ties = step.ties;
      plan.stages.back().place = step.place;
      plan.stages.back().inputs = inputs_read(step, open);
    } catch (const Unknown&) {
      unknown.insert(step.name);
    } catch (const JobError& error) {
      const bool on_the_cpu = dynamic_cast<const stages::CpuOnly*>(&error) != nullptr;
      if (on_the_cpu && job.backend == job::Backend::automatic) throw;
      const std::vector<std::string> messages = placed(error, job, step);
      errors.insert(errors.end(), messages.begin(), messages.end());
      unknown.insert(step.name);
    }
  }
  if (!errors.empty()) throw JobError(errors);
  if (begun == nullptr) check_scratch(job, plan);
  plan.reads = reads.close();
  return plan;
}

void check_plan(const job::OpenJob& open, const Stages& stages, const std::function<void(const std::string&)>& warn) {
  const job::OpenJob* checked = &open;
  job::OpenJob here;
  Machine machine;
  try {
    machine = open_machine(open, stages);
  } catch (const NoDevice& error) {
    warn(error.what());
    here = open;
    here.job.backend = job::Backend::cpu;
    here.job.devices.reset();
    here.job.host_memory.reset();
    here.job.device_memory.reset();
    machine = open_machine(here, stages);
    machine.resources.host_budget = machine.resources.device_budget = unlimited;
    checked = &here;
  }
  machine.resources.to_run = false;
  StageWarnings(warn).tell(make_new_plan(
      *checked, machine, stages, [](const std::string&) {}, nullptr));
}

}  // namespace terrace::app
