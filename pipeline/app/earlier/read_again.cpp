#include "pipeline/app/earlier/read_again.hpp"

#include <algorithm>
#include <vector>

#include "io/data_error.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/run/inputs.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void add_inputs(const job::Job& job, const std::vector<job::ArrayName>& arrays, std::set<std::string>& inputs) {
  for (const job::ArrayName& array : arrays) {
    const job::Input* input = job.find_input(array.name);
    if (input == nullptr || !inputs.insert(array.name).second) continue;
    add_inputs(job, job::array_names(input->arrays, input->settings), inputs);
  }
}

}  // namespace

std::set<std::string> all_inputs_of(const job::Job& job, const job::Stage& stage) {
  std::set<std::string> inputs;
  add_inputs(job, job::array_names(stage.arrays, stage.settings), inputs);
  return inputs;
}

std::optional<std::string> meaning_difference(const Json& before, const Json& now) {
  if (before.value("nodes", Json()) != now.value("nodes", Json())) return "its nodes have other names";
  if (before.value("items", Json()) != now.value("items", Json())) return "its items have other names or lengths";
  if (before.value("names", Json()) != now.value("names", Json())) return "its elements are other names";
  if (before.value("packing", Json()) != now.value("packing", Json())) {
    return "its attributes say otherwise what its elements stand for";
  }
  return std::nullopt;
}

std::optional<std::string> changed_input(const job::OpenJob& open, const job::Stage& stage, const Json& record,
                                         const InputRecords& before, const InputRecords& now, ReadAgain& again) {
  const Json none = Json::object();
  const auto content_of = [&](const InputRecords& records, const std::string& name) -> const Json& {
    return records.contents.contains(name) ? records.contents[name] : none;
  };
  Doubts doubts;
  for (const std::string& name : all_inputs_of(open.job, stage)) {
    const InputState state = compare_input(name, {before.files.at(name), content_of(before, name)},
                                           {now.files.at(name), content_of(now, name)});
    if (state.same == Same::no) return state.why;
    if (state.same == Same::unknown) doubts[name] = state.why;
  }
  return again.changed(stage, record, doubts);
}

InputState compare_input(const std::string& name, const InputRecord& before, const InputRecord& now) {
  const Json old{{name, before.files}}, current{{name, now.files}};
  if (before.files.value("results", 1) != now.files.value("results", 1)) {
    return {Same::no, "this version reads input '" + name + "' otherwise"};
  }
  if (auto found = input_difference(old, current, FileStates::none)) return {Same::no, *std::move(found)};
  const std::string changed = "input '" + name + "' has changed: ";
  if (auto found = meaning_difference(before.content, now.content)) return {Same::no, changed + *found};
  if (before.content.contains("values") && now.content.contains("values")) {
    if (before.content["values"] == now.content["values"]) return {};
    const auto file = input_difference(old, current, FileStates::content);
    return {Same::no, file.value_or(changed + "it holds other values")};
  }
  if (auto found = input_difference(old, current, FileStates::all)) return {Same::unknown, *std::move(found)};
  return {};
}

void ReadAgain::plan_or_fail() {
  if (!plan_) plan_ = make_plan_();
}

bool ReadAgain::plan() {
  if (plan_ || failed_) return !failed_;
  try {
    plan_or_fail();
  } catch (const JobError&) {
    failed_ = true;  // the run says what is wrong
  } catch (const io::DataError&) {
    failed_ = true;
  }
  return !failed_;
}

std::optional<std::string> ReadAgain::backend_of(const std::string& stage) {
  if (!plan()) return std::nullopt;
  for (const run::PlannedStage& planned : plan_->stages) {
    if (planned.name == stage) return run::backend_of(planned, *plan_);
  }
  return std::nullopt;
}

std::string ReadAgain::doubt(const std::string& stage) const {
  const auto found = doubts_.find(stage);
  return found == doubts_.end() ? std::string() : found->second;
}

std::optional<std::string> ReadAgain::changed(const job::Stage& stage, const Json& record, const Doubts& inputs) {
  if (inputs.empty()) return std::nullopt;
  if (mode_ == Mode::note) {
    doubts_[stage.name] = inputs.begin()->second;
    return std::nullopt;
  }
  if (!record.contains("reads")) {
    return inputs.begin()->second + "; the version that made the result did not record what it had read of it";
  }
  const Json& reads = record["reads"];
  Json question{stage.name, reads, Json::array()};
  for (const auto& [name, why] : inputs) question[2].push_back(name);
  const auto known = answers_.find(question);
  if (known != answers_.end()) return known->second;
  const auto found = compare(stage, reads, inputs);
  return answers_[question] = found ? std::optional(inputs.at(*found)) : std::nullopt;
}

/// The name of the first input that has changed, or nullopt.
std::optional<std::string> ReadAgain::compare(const job::Stage& stage, const Json& reads, const Doubts& inputs) {
  if (!plan()) return inputs.begin()->first;
  try {
    return first_changed(stage, reads, inputs);
  } catch (const io::DataError&) {
    return inputs.begin()->first;  // it holds what the stage cannot compute with
  }
}

std::optional<std::string> ReadAgain::first_changed(const job::Stage& stage, const Json& reads,
                                                    const Doubts& inputs) const {
  std::set<fs::path> files;
  const auto files_of = [&](const std::string& name) { return open_.inputs.at(name)->files(); };
  for (const auto& [name, why] : inputs) {
    for (const fs::path& file : files_of(name)) files.insert(file);
  }
  const auto planned = std::find_if(plan_->stages.begin(), plan_->stages.end(),
                                    [&](const run::PlannedStage& other) { return other.name == stage.name; });
  auto compared = run::compare_tiles(reads.at("tiles"), planned->stage->plan(), files, watch_);
  if (!compared) return inputs.begin()->first;
  const std::vector<job::ArrayName> arrays = job::array_names(stage.arrays, stage.settings);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Json& parts = reads.at("parts").at(i);
    const std::string& name = arrays[i].name;
    if (parts.empty() || !open_.inputs.contains(name)) continue;
    const auto of_input = files_of(name);
    if (std::none_of(of_input.begin(), of_input.end(), [&](const fs::path& f) { return files.contains(f); }))
      continue;
    if (!run::holds_reads(name, {{"parts", parts}}, *open_.inputs.at(name), watch_)) return name;
    compared->insert(of_input.begin(), of_input.end());
  }
  for (const auto& [name, why] : inputs) {
    if (volume(open_.inputs.at(name)->shape()) == 0) continue;
    const auto of_input = files_of(name);
    if (!std::all_of(of_input.begin(), of_input.end(), [&](const fs::path& f) { return compared->contains(f); })) {
      return name;
    }
  }
  return std::nullopt;
}

}  // namespace terrace::app
