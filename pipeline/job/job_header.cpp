// The settings of a job other than its inputs and stages.
#include <algorithm>
#include <array>

#include "pipeline/base/file_kind.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/job_reader.hpp"
#include "pipeline/job/yaml/settings.hpp"

namespace terrace::job {
namespace {

constexpr double most_devices = 1024;

constexpr double most_threads = 4096;

constexpr std::array<Parameter, 11> header = {{
    {"job", ParameterKind::text, "the name of the job; left out: that of its file", ""},
    {"memory.host", ParameterKind::size,
     "the memory that the run may take in RAM; left out: most of what is free, and of what a control group allows",
     "", nullptr, 1},
    {"memory.device", ParameterKind::size,
     "the memory that it may take on each device; on the CPU what its blocks work on; left out: most of what is free",
     "", nullptr, 1},
    {"scratch.path", ParameterKind::file, "the folder for external arrays; left out: the folder of the run", ""},
    {"scratch.size", ParameterKind::size, "the most bytes of external arrays; left out: what its disk has", "",
     nullptr, 1},
    {"backend", ParameterKind::choice,
     "what computes; auto: CUDA where there is a GPU that can compute the stage, else the CPU", "auto",
     "auto, cuda, cpu"},
    {"compile", ParameterKind::choice,
     "whether formulas of the job are compiled for the machine when the run begins, which results do not depend on; "
     "auto: by NVRTC on CUDA, and on the CPU by the compiler of C++ that CXX names or that is in PATH, where that "
     "takes "
     "less time in all; never: the CPU computes them without one",
     "auto", "auto, never"},
    {"checkpoint.every", ParameterKind::duration,
     "the time from one checkpoint to the next; auto: so often that they take at most a twentieth of the time",
     "auto", "auto", 1e-3},
    {"devices", ParameterKind::integers, "the GPUs that compute, as `terrace devices` numbers them", "all", "all", 0,
     most_devices - 1},
    {"threads", ParameterKind::integer,
     "the threads of the CPU that compute; left out: as many as the process may use", "", nullptr, 1, most_threads},
    {"output", ParameterKind::file, "the result file, such as result.h5; a folder that is not there is made"},
}};

/// Keys of a job that are read elsewhere.
constexpr std::array<PartDeclaration, 3> parts = {{
    {"inputs", "map", "the arrays that the job reads, by names that stages use; `terrace inputs` lists their kinds",
     "a map such as {a: {hdf5: FILE}}", "", "{a: {values: [3, 1, 2]}}"},
    {"stages", "list",
     "what is computed, one after another; `terrace problems` and `terrace operators` list what there is",
     "a list of stages, each '- name: ...'", nullptr,
     "[{name: fewest, dp_table: {extents: [100], steps: [[1], [7]]}}]"},
    {"sweep", "map",
     "makes the job a batch: one task for each combination of the values of `each`, or with `zip: true` for the "
     "first "
     "ones, the second ones and so on; a pattern stands for the files that match it; in every text of the job, "
     "${NAME}, ${NAME.stem}, ${NAME.name} and ${NAME.index} stand for the values",
     "a map such as {each: {mismatch: [-1, -3], sample: \"reads/*.fa\"}, zip: false}", "", "{each: {gap: [1, 2]}}"},
}};

std::set<std::string> names_of_parts() {
  std::set<std::string> names;
  for (const PartDeclaration& part : parts) names.insert(part.name);
  return names;
}

Backend backend_from(const std::string& name) {
  if (name == "cuda") return Backend::cuda;
  return name == "cpu" ? Backend::cpu : Backend::automatic;
}

std::optional<std::vector<int>> devices_from(const Node& root, const Settings& settings, CheckContext& context) {
  if (!settings.holds<std::vector<std::int64_t>>("devices")) return std::nullopt;
  std::vector<int> devices;
  for (std::int64_t device : settings.get<std::vector<std::int64_t>>("devices")) {
    const int index = static_cast<int>(device);
    if (std::find(devices.begin(), devices.end(), index) == devices.end()) devices.push_back(index);
    else
      context.complaints.add(root.find("devices")->position, "device " + std::to_string(index) + " is named twice");
  }
  if (devices.empty())
    context.complaints.add(root.find("devices")->position, "'devices' is empty; write all, or [0]");
  return devices;
}

/// Complains if the path of the scratch space exists and is no folder.
void check_scratch(const Node& root, const Draft& draft, CheckContext& context) {
  const auto& path = draft.job.scratch.path;
  std::error_code ignored;
  if (!path || !std::filesystem::exists(*path, ignored) || std::filesystem::is_directory(*path, ignored)) return;
  context.complaints.add(find_setting(root, "scratch.path")->position,
                         "'scratch.path' names " + describe_file(*path) + "; name a folder");
}

}  // namespace

std::span<const Parameter> job_parameters() { return header; }

std::span<const PartDeclaration> job_parts() { return parts; }

std::string job_example() {
  return "job: example, memory: {host: 64MiB, device: 32MiB}, scratch: {path: ., size: 1GiB}, backend: auto, "
         "compile: auto, "
         "checkpoint: {every: 30s}, devices: all, threads: 2, "
         "inputs: {a: {generate: dna, length: 3000, seed: 1}, b: {generate: dna, length: 4000, seed: 2}}, "
         "stages: [{name: distance, temporary: false, wavefront: {problem: edit_distance, rows: a, columns: b}}], "
         "output: result.h5";
}

bool is_valid_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool is_misspelt(const Node& root, const std::string& key) {
  std::vector<std::string> known = top_level_keys({header.begin(), header.end()});
  for (const PartDeclaration& part : parts) known.emplace_back(part.name);
  return find_misspelt(root, key, known) != nullptr;
}

void read_header(const Node& root, Draft& draft, CheckContext& context) {
  const Schema schema{"the job", {header.begin(), header.end()}, names_of_parts()};
  const Settings settings = read_settings(root, root.position, schema, context);
  Job& job = draft.job;
  job.name = settings.find<std::string>("job").value_or("");
  if (job.name.empty()) job.name = job.file.stem().string();
  const auto place_of = [&](const char* name) { return settings.has(name) ? settings.place(name) : Place{}; };
  job.host_memory = settings.find<std::int64_t>("memory.host");
  job.host_memory_place = place_of("memory.host");
  job.device_memory = settings.find<std::int64_t>("memory.device");
  if (settings.has("scratch.path")) job.scratch.path = settings.text("scratch.path");
  job.scratch.path_place = place_of("scratch.path");
  job.scratch.size = settings.find<std::int64_t>("scratch.size");
  job.scratch.size_place = place_of("scratch.size");
  job.backend = backend_from(settings.find<std::string>("backend").value_or("auto"));
  job.backend_place = place_of("backend");
  job.compiles = settings.find<std::string>("compile").value_or("auto") != "never";
  job.devices_place = place_of("devices");
  if (settings.holds<double>("checkpoint.every")) job.checkpoint_every = settings.number("checkpoint.every");
  job.devices = devices_from(root, settings, context);
  if (settings.has("threads")) job.threads = static_cast<int>(settings.integer("threads"));
  if (settings.has("output")) job.output = settings.text("output");
  job.output_place = place_of("output");
}

void check_output(const Node& root, Draft& draft, CheckContext& context) {
  check_scratch(root, draft, context);
  const std::filesystem::path& output = draft.job.output;
  if (output.empty()) return;
  const Position& position = root.find("output")->position;
  std::error_code ignored;
  if (!output.has_filename() || std::filesystem::is_directory(output, ignored)) {
    context.complaints.add(position, "'output' names a folder; name a file in it, such as result.h5");
  } else if (std::filesystem::exists(output, ignored) && !std::filesystem::is_regular_file(output, ignored)) {
    context.complaints.add(position, "'output' names " + describe_file(output) +
                                         ", which holds no result; name a file, such as result.h5");
  }
  if (std::filesystem::is_symlink(output, ignored)) {
    const std::string target = std::filesystem::read_symlink(output, ignored).string();
    context.complaints.add(position, "'output' names a symbolic link, to " + quote(target) +
                                         ", which the finished result would replace; name the file itself");
  }
  for (const Input& input : draft.job.inputs) {
    for (const std::string& name : input.files) {
      const std::filesystem::path file = input.settings.text(name);
      if (file != output && !std::filesystem::equivalent(file, output, ignored)) continue;
      context.complaints.add(position, "the output is the file of input " + quote(input.name) +
                                           ", which it would overwrite; name another file");
    }
  }
}

}  // namespace terrace::job
