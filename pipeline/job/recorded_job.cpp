#include "pipeline/job/recorded_job.hpp"

#include <algorithm>
#include <limits>

#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/job/job_reader.hpp"
#include "pipeline/job/yaml/declared_names.hpp"
#include "pipeline/job/yaml/settings.hpp"

namespace terrace::job {
namespace {

using Json = nlohmann::json;

/// A number; infinities are recorded as texts.
double to_number(const Json& value) {
  if (!value.is_string()) return value.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  return value.get<std::string>().starts_with("-") ? -infinity : infinity;
}

std::vector<double> to_numbers(const Json& list) {
  std::vector<double> numbers;
  for (const Json& value : list) numbers.push_back(to_number(value));
  return numbers;
}

/// The value of a declared parameter. A word in place of a value is kept as text.
Value to_value(ParameterKind kind, const Json& value) {
  const bool may_be_infinite = kind == ParameterKind::number || kind == ParameterKind::duration;
  if (may_be_infinite && (!value.is_string() || value.get<std::string>().ends_with("inf"))) return to_number(value);
  if (value.is_string() || value.is_object()) return text_from(value);
  if (kind == ParameterKind::quantity) return value.get<double>();
  if (kind == ParameterKind::vectors || kind == ParameterKind::selection)
    return value.get<std::vector<std::vector<std::int64_t>>>();
  if (kind == ParameterKind::numbers) return to_numbers(value);
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<std::int64_t>();
  if (kind == ParameterKind::ranges) return value.get<std::vector<std::array<std::int64_t, 2>>>();
  if (kind == ParameterKind::integers) return value.get<std::vector<std::int64_t>>();
  std::vector<std::string> texts;
  for (const Json& text : value) texts.push_back(text_from(text));
  return texts;
}

/// Sets what a record lacks below names and items to the current defaults.
void add_defaults_of_names(const std::vector<Parameter>& parameters, Settings& settings, CheckContext& context) {
  for (const Parameter& parameter : parameters) {
    const bool usual = parameter.default_text && *parameter.default_text != '\0';
    if (!usual || !is_chosen(parent_of(parameter.name))) continue;
    for (const std::string& name : settings_of(parameter.name, settings)) {
      const bool value_in_place_of_map = settings.has(std::string(parent_of(name)));
      if (settings.has(name) || value_in_place_of_map) continue;
      if (auto value = read_default(parameter, context)) settings.set(name, std::move(*value));
    }
  }
}

/// The current defaults, overridden by the recorded settings; paths become absolute.
Settings to_settings(const std::vector<Parameter>& parameters, const Json& recorded,
                     const std::filesystem::path& folder) {
  const Sources sources("the result", "", {});
  Complaints complaints(sources);
  CheckContext context{complaints, complaints, folder, folder};
  Schema schema;
  schema.parameters = parameters;
  schema.complete = false;
  Settings settings = read_settings(Node{Node::Kind::map, {}}, {}, schema, context);
  for (const auto& [name, value] : recorded.items()) {
    const Parameter* declared = find_parameter(parameters, name);
    if (!declared) throw Error("the key '" + name + "', which this version does not know");
    Value found = to_value(declared->kind, value);
    if (declared->kind == ParameterKind::file) {
      found = (folder / std::get<std::string>(found)).lexically_normal().string();
    }
    settings.set(name, std::move(found));
  }
  add_defaults_of_names(parameters, settings, context);
  return settings;
}

Input to_input(const std::string& name, const Json& recorded, const std::filesystem::path& folder,
               std::span<const io::InputKind> kinds) {
  Input input;
  input.name = name;
  input.kind = recorded.at("kind");
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return input.kind == k.name; });
  if (kind == kinds.end()) throw Error("the kind '" + input.kind + "', which this version does not know");
  const std::vector<Parameter> parameters(kind->parameters.begin(), kind->parameters.end());
  input.settings = to_settings(parameters, recorded.at("settings"), folder);
  input.arrays = names_of_arrays(parameters, input.settings);
  input.files = names_of_files(parameters, input.settings);
  input.earlier_defaults = kind->earlier_defaults;
  return input;
}

Stage to_stage(const Json& recorded, const std::filesystem::path& folder, const StageTable& stages) {
  Stage stage;
  stage.name = recorded.at("name");
  stage.kind = recorded.at("kind");
  stage.problem = recorded.at("problem");
  stage.temporary = recorded.at("temporary");
  const StageDeclaration* kind = stages.find(stage.kind);
  if (kind == nullptr) throw Error("the kind '" + stage.kind + "', which this version does not know");
  const ProblemDeclaration* problem = kind->find_problem(stage.problem);
  if (problem == nullptr && !stage.problem.empty()) {
    throw Error("the problem '" + stage.problem + "', which this version does not know");
  }
  stage.results = problem ? problem->results : kind->results;
  const std::vector<Parameter> parameters = parameters_of(*kind, problem);
  stage.settings = to_settings(parameters, recorded.at("settings"), folder);
  stage.arrays = names_of_arrays(parameters, stage.settings);
  stage.sets = names_of_sets(problem, stage.arrays);
  stage.files = names_of_files(parameters, stage.settings);
  add_outputs(*kind, problem, stage);
  return stage;
}

/// Opens inputs, each after the inputs that it is made of.
class RecordedInputs {
 public:
  RecordedInputs(const Job& job, std::span<const io::InputKind> kinds) : job_(job), kinds_(kinds) {}

  std::shared_ptr<io::Source> open(const std::string& name) {
    if (const auto at = sources_.find(name); at != sources_.end()) return at->second;
    const Input* input = job_.find_input(name);
    if (input == nullptr || ++depth_ > most_inputs) throw IoError("input '" + name + "'", "is not recorded");
    const auto kind =
        std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& k) { return input->kind == k.name; });
    const io::OpenContext context{job_.folder, [this](const std::string& other) { return open(other); }};
    try {
      sources_[name] = io::open_source(*kind, input->settings, context);
    } catch (const Error& error) {
      throw IoError("input '" + name + "'", error.what());
    }
    --depth_;
    return sources_[name];
  }

  std::map<std::string, std::shared_ptr<io::Source>> open_all() {
    for (const Input& input : job_.inputs) open(input.name);
    return std::move(sources_);
  }

 private:
  const Job& job_;
  std::span<const io::InputKind> kinds_;
  std::size_t depth_ = 0;
  std::map<std::string, std::shared_ptr<io::Source>> sources_;
};

}  // namespace

Job recorded_job(const Json& recorded, const std::filesystem::path& folder, const StageTable& stages,
                 std::span<const io::InputKind> kinds) {
  Job job;
  job.folder = folder;
  std::string what = "the job";
  try {
    for (const auto& [name, input] : recorded.at("inputs").items()) {
      what = "input '" + name + "'";
      job.inputs.push_back(to_input(name, input, folder, kinds));
    }
    for (const Json& stage : recorded.at("stages")) {
      what = "stage '" + stage.value("name", "?") + "'";
      job.stages.push_back(to_stage(stage, folder, stages));
    }
  } catch (const Error& error) {
    throw Error(what + " was made with " + error.what() + "; verify it with the version that made it");
  } catch (const std::exception&) {
    throw Error("the record of " + what + " in the result is damaged");
  }
  return job;
}

std::map<std::string, std::shared_ptr<io::Source>> open_recorded(const Job& job,
                                                                 std::span<const io::InputKind> kinds) {
  return RecordedInputs(job, kinds).open_all();
}

}  // namespace terrace::job
