// Loads a job: parses it, checks its header, inputs and stages in that order, and opens its inputs.
#include "pipeline/base/error.hpp"
#include "pipeline/job/batch.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/job/job_reader.hpp"
#include "pipeline/job/sweep/placeholders.hpp"
#include "pipeline/job/yaml/override.hpp"
#include "pipeline/job/yaml/parse.hpp"
#include "pipeline/job/yaml/text.hpp"

namespace terrace::job {
namespace {

/// The purpose of opening the inputs of a job.
enum class Opening { none, to_check, to_run };

void read_body(const Node& root, const StageTable& table, std::span<const io::InputKind> kinds, Draft& draft,
               CheckContext& context) {
  read_header(root, draft, context);
  if (const Node* inputs = root.find("inputs")) read_inputs(*inputs, kinds, draft, context);
  else draft.inputs_known = !is_misspelt(root, "inputs");
  if (const Node* stages = root.find("stages")) read_stages(*stages, table, draft, context);
  else if (!is_misspelt(root, "stages"))
    context.complaints.add(root.position, "the job needs 'stages': a list of what to compute");
  check_output(root, draft, context);
  check_kept(draft, context);
  warn_of_unused(draft, context);
}

/// Puts the values of the task in place of the placeholders.
void place_values(Node& root, const Task* task, CheckContext& context) {
  const Node* sweep = root.find("sweep");
  if (sweep == nullptr) return refuse_placeholders(root, context.complaints);
  if (task != nullptr) return substitute(root, task->values);
  context.complaints.add(sweep->position, "this job is a batch, of which this command takes one task");
}

void read_job(const StageTable& table, std::span<const io::InputKind> kinds, const Task* task, Draft& draft,
              CheckContext& context) {
  std::optional<Node>& root = draft.root;
  root = parse_yaml(draft.job.source, 0, context.complaints);
  if (!root) return;
  if (root->kind == Node::Kind::null && root->position == Position{}) {
    return context.complaints.add({}, "the job is empty; it needs 'stages' and 'output'");
  }
  if (root->kind != Node::Kind::map) {
    return context.complaints.add(root->position,
                                  "a job is a map of keys such as inputs, stages and output, not " + describe(*root));
  }
  apply_overrides(*root, context.complaints);
  const std::size_t complaints = context.complaints.count();
  place_values(*root, task, context);
  if (context.complaints.count() > complaints) return;  // what follows from it would be said as well
  read_body(*root, table, kinds, draft, context);
}

Job new_job(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  Job job;
  job.file = path;
  job.folder = std::filesystem::absolute(path).lexically_normal().parent_path();
  job.source = read_job_text(path);
  job.overrides = overrides;
  return job;
}

OpenJob load_job(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                 const StageTable& table, std::span<const io::InputKind> kinds, Opening opening, const Task* task) {
  Draft draft;
  draft.job = new_job(path, overrides);
  if (task != nullptr) draft.job.task = task->in_words();
  const Sources sources(path.string(), draft.job.source, overrides);
  Complaints complaints(sources), warnings(sources);
  CheckContext context{complaints, warnings, draft.job.folder, std::filesystem::current_path()};
  read_job(table, kinds, task, draft, context);
  OpenJob result;
  if (opening != Opening::none) result.inputs = open_inputs(draft, kinds, context, opening == Opening::to_run);
  if (!complaints.empty()) throw JobError(complaints.rendered());
  result.job = std::move(draft.job);
  result.job.warnings = warnings.rendered();
  return result;
}

}  // namespace

Job load(const std::filesystem::path& path, const std::vector<std::string>& overrides, const StageTable& stages,
         std::span<const io::InputKind> kinds) {
  return load_job(path, overrides, stages, kinds, Opening::none, nullptr).job;
}

std::optional<std::filesystem::path> output_of_job(const std::filesystem::path& file) {
  try {
    const std::string text = read_job_text(file);
    const Sources sources(file.string(), text, {});
    Complaints complaints(sources);
    const std::optional<Node> root = parse_yaml(text, 0, complaints);
    if (!root || root->kind != Node::Kind::map || !root->find("stages")) return std::nullopt;
    const Node* output = root->find("output");
    if (!output || output->kind != Node::Kind::scalar) return std::nullopt;
    return (file.parent_path() / output->text).lexically_normal();
  } catch (const Error&) {
    return std::nullopt;
  }
}

OpenJob load_and_open(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                      const StageTable& stages, std::span<const io::InputKind> kinds, bool to_run, const Task* task) {
  return load_job(path, overrides, stages, kinds, to_run ? Opening::to_run : Opening::to_check, task);
}

}  // namespace terrace::job
