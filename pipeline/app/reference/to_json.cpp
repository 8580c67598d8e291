#include "pipeline/app/reference/to_json.hpp"

#include "pipeline/app/reference/keys.hpp"

namespace terrace::app {
namespace {

using nlohmann::json;

json datasets_json(const std::vector<const job::OutputDeclaration*>& outputs) {
  json list = json::array();
  for (const job::OutputDeclaration* output : outputs) {
    list.push_back({{"name", output->name},
                    {"shape", output->shape},
                    {"when", output->when.empty() ? "always" : output->when},
                    {"meaning", output->meaning}});
  }
  return list;
}

/// Keys, datasets and examples of a problem; null: of a stage without.
void add_details(json& value, const job::StageDeclaration& stage, const job::ProblemDeclaration* problem) {
  const KeySet keys = keys_of(stage, problem);
  value["keys"] = keys_json(keys);
  value["datasets"] = datasets_json(job::outputs_of(stage, problem));
  value["examples"] = job::example_jobs(stage, problem, keys.examples);
}

json problem_json(const job::StageDeclaration& stage, const job::ProblemDeclaration& problem) {
  json value = {{"name", problem.name}, {"summary", problem.summary}, {"group", problem.group}};
  if (!problem.explanation.empty()) value["explanation"] = problem.explanation;
  add_details(value, stage, &problem);
  return value;
}

}  // namespace

json input_json(const io::InputKind& kind) {
  const KeySet keys = keys_of(kind);
  json examples = json::array();
  for (const job::Node& example : keys.examples.maps()) examples.push_back(job::flow_text(example));
  return {{"name", kind.name}, {"help", kind.help}, {"keys", keys_json(keys)}, {"examples", examples}};
}

json stages_json(const std::vector<const job::StageDeclaration*>& stages, const std::string& name) {
  json list = json::array();
  for (const job::StageDeclaration* stage : stages) {
    const bool whole = name.empty() || stage->name == name;
    if (!whole && !stage->find_problem(name)) continue;
    json value = {{"name", stage->name}, {"help", stage->help}};
    if (stage->problems.empty()) {
      add_details(value, *stage, nullptr);
    } else {
      value["selector"] = stage->selector;
      value["problems"] = json::array();
    }
    for (const job::ProblemDeclaration& problem : stage->problems) {
      if (whole || problem.name == name) value["problems"].push_back(problem_json(*stage, problem));
    }
    list.push_back(std::move(value));
  }
  return list;
}

json job_json() {
  json keys = keys_json(keys_of_job());
  for (const job::PartDeclaration& part : job::job_parts()) {
    keys.push_back({{"name", part.name},
                    {"type", part.type},
                    {"required", part.default_text == nullptr},
                    {"help", part.help},
                    {"example", part.example}});
  }
  return {{"keys", keys}, {"stage_keys", keys_json(keys_of_stages())}, {"example", job::example_job()}};
}

}  // namespace terrace::app
