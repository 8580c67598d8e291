// References between the parts of a job.
#include <algorithm>

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/job_reader.hpp"

namespace terrace::job {
namespace {

std::vector<std::string> input_names(const Job& job) {
  std::vector<std::string> names;
  for (const Input& input : job.inputs) names.push_back(input.name);
  return names;
}

/// All arrays that the stages read so far write, as "stage/output".
std::vector<std::string> written_names(const Job& job) {
  std::vector<std::string> names;
  for (const Stage& stage : job.stages) {
    for (const std::string& output : stage.outputs) names.push_back(stage.name + "/" + output);
  }
  return names;
}

std::string nothing_called(const std::string& array, const std::vector<std::string>& words, const Draft& draft) {
  std::vector<std::string> names = input_names(draft.job);
  const auto written = written_names(draft.job);
  names.insert(names.end(), written.begin(), written.end());
  std::string hint = names.empty() ? "; the job has no inputs" : "; there is " + list_names(names);
  if (!words.empty()) hint += "; words in its place are " + list_names(words);
  names.insert(names.end(), words.begin(), words.end());
  const std::string near = did_you_mean(array, names);
  return "there is no array " + quote(array) + (near.empty() ? hint : near);
}

/// The reason why a known stage does not write `output`.
std::string not_written(const Stage& stage, const std::string& output, const StageTable& table) {
  const StageDeclaration* kind = table.find(stage.kind);
  for (const OutputDeclaration* declared : outputs_of(*kind, kind->find_problem(stage.problem))) {
    if (!declared->names && declared->name == output) {
      return "stage " + quote(stage.name) + " writes " + quote(output) + " only with '" + declared->when + "'";
    }
  }
  const std::string near = did_you_mean(output, stage.outputs);
  return "stage " + quote(stage.name) + " writes no " + quote(output) +
         (near.empty() ? "; it writes " + list_names(stage.outputs) : near);
}

class CircleFinder {
 public:
  explicit CircleFinder(const Job& job) : job_(job), states_(job.inputs.size(), State::unseen) {}

  /// The inputs of the first circle that can be reached from input `at`, the first one repeated at the end.
  std::vector<std::string> find(std::size_t at) {
    if (states_[at] == State::done) return {};
    path_.push_back(job_.inputs[at].name);
    if (states_[at] == State::open) return circle();
    states_[at] = State::open;
    for (const ArrayName& array : array_names(job_.inputs[at].arrays, job_.inputs[at].settings)) {
      const Input* next = job_.find_input(array.name);
      if (!next) continue;
      auto found = find(static_cast<std::size_t>(next - job_.inputs.data()));
      if (!found.empty()) return found;
    }
    states_[at] = State::done;
    path_.pop_back();
    return {};
  }

 private:
  enum class State { unseen, open, done };

  std::vector<std::string> circle() const {
    return {std::find(path_.begin(), path_.end(), path_.back()), path_.end()};
  }

  const Job& job_;
  std::vector<State> states_;
  std::vector<std::string> path_;
};

void check_circles(Draft& draft, CheckContext& context) {
  CircleFinder finder(draft.job);
  for (std::size_t i = 0; i < draft.job.inputs.size(); ++i) {
    const auto circle = finder.find(i);
    if (circle.empty()) continue;
    std::string path;
    for (const std::string& name : circle) path += (path.empty() ? "" : " -> ") + name;
    context.complaints.add(draft.input_positions[i], "inputs are made of one another in a circle: " + path);
    draft.input_complete.assign(draft.input_complete.size(), false);
    return;
  }
}

}  // namespace

const Input* Job::find_input(std::string_view name_wanted) const {
  auto at = std::find_if(inputs.begin(), inputs.end(), [&](const Input& input) { return input.name == name_wanted; });
  return at == inputs.end() ? nullptr : &*at;
}

const Stage* Job::find_stage(std::string_view name_wanted) const {
  auto at = std::find_if(stages.begin(), stages.end(), [&](const Stage& stage) { return stage.name == name_wanted; });
  return at == stages.end() ? nullptr : &*at;
}

void check_array(const std::string& array, const std::vector<std::string>& words, const Position& position,
                 const StageTable& table, Draft& draft, CheckContext& context) {
  const auto complain = [&](const std::string& message) { context.complaints.add(position, message); };
  const auto& names = draft.stage_names;
  const std::size_t slash = array.find('/');
  const std::string owner = array.substr(0, slash);
  const auto named = static_cast<std::size_t>(std::find(names.begin(), names.end(), owner) - names.begin());
  if (slash != std::string::npos) draft.used_stages.insert(owner);
  if (slash == std::string::npos) {
    if (draft.job.find_input(array)) draft.used_inputs.insert(array);
    else if (named < names.size())
      complain(quote(array) + " is a stage; name what it writes, as " + array + "/table");
    else if (draft.inputs_known) complain(nothing_called(array, words, draft));
  } else if (named == names.size()) {
    complain(nothing_called(array, words, draft));
  } else if (named >= draft.job.stages.size()) {
    const bool itself = named == draft.job.stages.size();
    complain(itself ? "a stage cannot read what it writes itself"
                    : "stage " + quote(owner) + " comes later; a stage reads what stages above it wrote");
  } else if (draft.stage_complete[named]) {
    const Stage& stage = draft.job.stages[named];
    const std::string output = array.substr(slash + 1);
    const bool written = std::find(stage.outputs.begin(), stage.outputs.end(), output) != stage.outputs.end();
    if (!written) complain(not_written(stage, output, table));
  }
}

void check_inputs(Draft& draft, CheckContext& context) {
  for (std::size_t i = 0; i < draft.job.inputs.size(); ++i) {
    const Input& input = draft.job.inputs[i];
    for (const ArrayName& array : array_names(input.arrays, input.settings)) {
      const std::string& wanted = array.name;
      draft.used_inputs.insert(wanted);
      if (draft.job.find_input(wanted)) continue;
      const Node* node = find_element(*draft.input_nodes[i], array.setting, array.entry);
      const std::string near = did_you_mean(wanted, input_names(draft.job));
      context.complaints.add(
          node ? node->position : draft.input_positions[i],
          "there is no input " + quote(wanted) + (near.empty() ? "; an input is made of other inputs only" : near));
      draft.input_complete[i] = false;
    }
  }
  check_circles(draft, context);
}

void check_kept(Draft& draft, CheckContext& context) {
  const std::vector<Stage>& stages = draft.job.stages;
  if (stages.empty()) return;
  if (!std::all_of(stages.begin(), stages.end(), [](const Stage& stage) { return stage.temporary; })) return;
  const std::string& last = stages.back().name;
  context.complaints.add(
      draft.temporary.at(last),
      (stages.size() == 1 ? "the only stage is" : "all stages are") +
          std::string(" temporary, so the result would hold nothing: take `temporary` away from ") +
          "what is to be kept, or add a stage that is not temporary");
}

void warn_of_unused(const Draft& draft, CheckContext& context) {
  for (std::size_t i = 0; i < draft.job.inputs.size(); ++i) {
    const std::string& name = draft.job.inputs[i].name;
    if (draft.used_inputs.contains(name)) continue;
    context.warnings.add(draft.input_positions[i], "nothing reads the input " + quote(name));
  }
  for (const auto& [name, position] : draft.temporary) {
    if (draft.used_stages.contains(name)) continue;
    context.warnings.add(
        position, "nothing reads the stage " + quote(name) + ", which is temporary: it is computed for nothing");
  }
}

}  // namespace terrace::job
