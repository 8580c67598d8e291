#include "pipeline/job/batch.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/sweep/placeholders.hpp"
#include "pipeline/job/sweep/sweep.hpp"
#include "pipeline/job/yaml/override.hpp"
#include "pipeline/job/yaml/parse.hpp"
#include "pipeline/job/yaml/text.hpp"
#include "pipeline/job/yaml/value.hpp"

namespace terrace::job {
namespace {

constexpr std::size_t most_words = 200;  // bytes of the values of a task in messages

/// The output of a task, as its job will read it.
std::filesystem::path output_of(const Node& output, const TaskValues& values, const CheckContext& context) {
  const std::filesystem::path path = with_values(output.text, values);
  const auto& folder = output.position.source > 0 ? context.current_folder : context.job_folder;
  return (folder / path).lexically_normal();
}

/// Names of the sweep that the output does not have, as "${mismatch} and ${gap}".
std::string missing_names(const Node& output, const TaskValues& values) {
  std::set<std::string> used;
  for (const Placeholder& one : placeholders_of(output.text)) used.insert(one.name);
  std::string text;
  for (const auto& [name, value] : values) {
    if (!used.contains(name)) text += (text.empty() ? "${" : " and ${") + name + "}";
  }
  return text;
}

/// Complains about the first two tasks that have one output.
void check_outputs(const Node& output, const std::vector<Task>& tasks, Complaints& complaints) {
  std::map<std::filesystem::path, const Task*> seen;
  for (const Task& task : tasks) {
    const auto [at, is_new] = seen.emplace(task.output, &task);
    if (is_new) continue;
    const std::string missing = missing_names(output, task.values);
    return complaints.add(output.position, at->second->in_words() + " and " + task.in_words() + " have one output, " +
                                               quote(task.output.string()) + "; put " +
                                               (missing.empty() ? "${NAME.index} of a name" : missing) +
                                               " into its name");
  }
}

bool has(const Node& root, const char* outer, const char* inner) {
  const Node* node = root.find(outer);
  return node != nullptr && (inner == nullptr || node->find(inner) != nullptr);
}

NamedKeys names_in(const Node& root) {
  const Node* backend = root.find("backend");
  return {has(root, "devices", nullptr), has(root, "threads", nullptr), has(root, "memory", "host"),
          backend ? backend->text : ""};
}

/// The root of a file whose text is a map, with the settings of the command line; nullopt if it cannot be read.
std::optional<Node> root_of(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  try {
    const std::string text = read_job_text(path);
    const Sources sources(path.string(), text, overrides);
    Complaints complaints(sources);
    std::optional<Node> root = parse_yaml(text, 0, complaints);
    if (!root || root->kind != Node::Kind::map) return std::nullopt;
    apply_overrides(*root, complaints);
    return root;
  } catch (const Error&) {
    return std::nullopt;  // whoever loads it says what is wrong
  }
}

void read_tasks(const Node& root, const Sweep& sweep, const TaskList* listed, Batch& batch, CheckContext& context) {
  batch.list.sweep = definition_of(sweep);
  if (listed != nullptr && listed->sweep != batch.list.sweep) {
    return context.complaints.add(root.find("sweep")->position,
                                  "the sweep is not the one whose tasks were listed in " +
                                      quote(batch.file.string() + ".tasks") + "; --again lists them anew");
  }
  batch.list.tasks = listed != nullptr ? listed->tasks : tasks_of(sweep, context);
  const Node* output = root.find("output");
  if (output == nullptr || output->kind != Node::Kind::scalar || output->text.empty()) {
    return context.complaints.add(output ? output->position : root.position,
                                  "a batch needs 'output': a file, such as result-${NAME.index}.h5");
  }
  for (const TaskValues& values : batch.list.tasks) {
    batch.tasks.push_back({std::ssize(batch.tasks), values, output_of(*output, values, context)});
  }
  check_outputs(*output, batch.tasks, context.complaints);
}

void read_batch(const Node& root, const TaskList* listed, Batch& batch, CheckContext& context) {
  const Sweep sweep = read_sweep(*root.find("sweep"), context.complaints);
  std::vector<std::string> names;
  for (const SweepName& name : sweep.names) names.push_back(name.name);
  check_placeholders(root, names, context.complaints);
  batch.names = names_in(root);
  if (context.complaints.empty()) read_tasks(root, sweep, listed, batch, context);
}

}  // namespace

std::string Task::values_in_words() const {
  std::string text;
  for (const auto& [name, value] : values) text += (text.empty() ? "" : ", ") + name + ": " + value.text;
  if (text.size() > most_words) text = text.substr(0, most_words) + "...";
  return printable(text);
}

std::string Task::in_words() const { return "task " + std::to_string(number) + " (" + values_in_words() + ")"; }

bool is_batch(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  const std::optional<Node> root = root_of(path, overrides);
  return root && root->find("sweep") != nullptr;
}

NamedKeys named_keys(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  const std::optional<Node> root = root_of(path, overrides);
  return root ? names_in(*root) : NamedKeys{};
}

Batch load_batch(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                 const TaskList* listed) {
  Batch batch;
  batch.file = path;
  const std::string text = read_job_text(path);
  const Sources sources(path.string(), text, overrides);
  Complaints complaints(sources), warnings(sources);
  CheckContext context{complaints, warnings, std::filesystem::absolute(path).lexically_normal().parent_path(),
                       std::filesystem::current_path()};
  std::optional<Node> root = parse_yaml(text, 0, complaints);
  if (root) apply_overrides(*root, complaints);
  if (root && complaints.empty()) read_batch(*root, listed, batch, context);
  if (!complaints.empty()) throw JobError(complaints.rendered());
  return batch;
}

}  // namespace terrace::job
