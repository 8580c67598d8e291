#include "pipeline/app/prepare.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/app/earlier/taking_over.hpp"
#include "pipeline/app/nodes_read.hpp"
#include "pipeline/app/plan/stage_memory.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/job/identity.hpp"
#include "pipeline/run/disk_need.hpp"
#include "pipeline/run/inputs.hpp"
#include "stages/arrays_read.hpp"
#include "stages/refuse.hpp"
#include "stages/rounded_inputs.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

constexpr std::size_t unlimited = std::size_t{1} << 50;  // bytes: more than any machine has

/// A stage reads an array of a stage that cannot be planned.
struct Unknown {};

/// Tries to make a file in a folder, which is gone again: without a name where the file system has such files.
/// @return 0, or the number of the error
int why_no_file_in(const std::filesystem::path& folder) {
  int file = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string name = folder / "terrace-XXXXXX";
    file = mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) unlink(name.c_str());
  }
  if (file < 0) return errno;
  close(file);
  return 0;
}

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
        const auto sources = sources_of(stage, arrays[a].shape);
        auto output = std::make_shared<run::StageOutput>(name, arrays[a].type, arrays[a].shape,
                                                         nodes_of(stage, arrays[a].shape, sources ? 1 : 0), sources);
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
  /// The names of a stage's array along an axis.
  static std::shared_ptr<const io::NodeNames> nodes_of(const run::PlannedStage& stage, const Extents& shape,
                                                       int axis) {
    const bool fits = stage.nodes && shape.rank() == 2 && shape[axis] == stage.nodes->count();
    return fits ? stage.nodes : nullptr;
  }
  /// The nodes of the rows of a stage's table, if they are not all; else null.
  static std::shared_ptr<const std::vector<std::int64_t>> sources_of(const run::PlannedStage& stage,
                                                                     const Extents& shape) {
    auto sources = stage.stage->sources();
    const bool fits = sources && nodes_of(stage, shape, 1) && std::cmp_equal(shape[0], sources->size());
    return fits ? sources : nullptr;
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

/// A stage, the host memory that it may take, and why it is planned for the CPU beside other devices, as
/// PlannedStage::on_cpu.
struct Made {
  StageInMemory in_memory;
  std::optional<std::string> on_cpu = {};
};

/// Elements that a stage may read to be made in order to be made once more for each of several budgets.
constexpr std::int64_t few_elements = 1 << 16;

/// Makes a stage with the memory that is best for it; a run that is gone on with has chosen.
StageInMemory make_in_memory(const stages::StageKind& kind, const stages::Request& request,
                             const run::InputReads& reads) {
  const std::int64_t before = reads.elements();
  std::unique_ptr<run::Stage> stage = kind.make(request);
  const stages::Resources& resources = request.resources;
  if (request.choices != nullptr) {
    const auto recorded = run::host_budget_in(*request.choices);
    return {std::move(stage), std::min(recorded, resources.host_budget)};
  }
  if (!resources.to_run || reads.elements() - before > few_elements) return {std::move(stage), resources.host_budget};
  return in_best_memory(
      std::move(stage), resources, kind.cut_decides_bits, [&](const stages::Resources& budgets, const Json* choices) {
        return kind.make({request.stage, request.array, budgets, choices, request.rounded, request.watch});
      });
}

/// Makes a stage for the machine's devices; if only the CPU computes it, for the CPU. A run that is gone on with has
/// chosen. @throws JobError also if the job does not leave the choice
Made make_stage(const stages::StageKind& kind, const Machine& machine, const stages::Request& request,
                const run::InputReads& reads) {
  const auto on_cpu = [&](std::string why) {
    const stages::Request there{request.stage,   request.array,   machine.cpu->resources,
                                request.choices, request.rounded, request.watch};
    return Made{make_in_memory(kind, there, reads), std::move(why)};
  };
  if (machine.cpu && request.choices != nullptr && run::is_on_cpu(*request.choices)) return on_cpu("");
  const bool asks = request.resources.cuda && request.choices == nullptr && kind.cpu_alone != nullptr;
  if (const auto alone = asks ? kind.cpu_alone(request) : std::nullopt) {
    if (!machine.main.resources.leaves_choice) stages::refuse(request.stage, alone->parameter, alone->why);
    return on_cpu(alone->why);
  }
  return {make_in_memory(kind, request, reads)};
}

std::string job_text(const job::Job& job) {
  std::string text = job.source;
  for (const std::string& setting : job.overrides) text += "\n# --set " + setting;
  if (!job.task.empty()) text += "\n# " + job.task;
  return text;
}

}  // namespace

void check_scratch_folder(const job::Job& job) {
  const job::Scratch& scratch = job.scratch;
  if (!scratch.path) return;
  std::error_code error;
  const auto refuse = [&](const std::string& what) {
    throw JobError(message_at(scratch.path_place, "'scratch.path' names " + scratch.path->string() + what));
  };
  if (!std::filesystem::is_directory(*scratch.path, error)) {
    if (!error || error == std::errc::no_such_file_or_directory)
      refuse(", which is not there; make the folder, or name another one");
    refuse(": " + error.message() + "; name another folder");
  }
  if (const int why = why_no_file_in(*scratch.path); why != 0)
    refuse(", where this user cannot make files: " + std::generic_category().message(why) + "; name another folder");
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
    try {
      Made made = make_stage(stages.find(step.kind), machine,
                             {step, array, machine.main.resources, choices, rounded.get(), watch}, reads);
      plan.stages.push_back({step.name,
                             step.temporary,
                             std::move(made.in_memory.stage),
                             {},
                             [rounded] { return rounded->warnings(); },
                             nodes->nodes()});
      if (made.on_cpu) plan.cpu = signature.cpu;
      plan.stages.back().host_budget = made.in_memory.host_budget;
      plan.stages.back().on_cpu = std::move(made.on_cpu);
      plan.stages.back().ties = step.ties;
      plan.stages.back().place = step.place;
      plan.stages.back().inputs = inputs_read(step, open);
    } catch (const Unknown&) {
      unknown.insert(step.name);
    } catch (const JobError& error) {
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

void tell_of_cpu(const run::RunPlan& plan, const std::function<void(const std::string&)>& tell) {
  for (const run::PlannedStage& stage : plan.stages) {
    if (stage.on_cpu && !stage.on_cpu->empty())
      tell("stage '" + stage.name + "' is computed on the CPU: " + *stage.on_cpu);
  }
}

std::vector<std::pair<std::string, std::vector<std::string>>> check_plan(
    const job::OpenJob& open, const Stages& stages, const std::function<void(const std::string&)>& warn) {
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
    machine.main.resources.host_budget = machine.main.resources.device_budget = unlimited;
    checked = &here;
  }
  machine.main.resources.to_run = false;
  if (machine.cpu) machine.cpu->resources.to_run = false;
  const run::RunPlan plan = make_plan(*checked, machine, stages, nullptr, nullptr, {});
  StageWarnings(warn).tell(plan);
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (const run::PlannedStage& planned : plan.stages) {
    std::vector<std::string> lines = planned.stage->analysis();
    if (!lines.empty()) found.emplace_back(planned.name, std::move(lines));
  }
  return found;
}

}  // namespace terrace::app
