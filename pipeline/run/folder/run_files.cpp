#include "pipeline/run/folder/run_files.hpp"

#include <algorithm>
#include <random>

#include "io/files/durable.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/disk_need.hpp"
#include "pipeline/run/folder/scratch_files.hpp"
#include "pipeline/run/folder/taken_files.hpp"

namespace terrace::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string new_run_id() {
  std::random_device random;
  char text[17];
  std::snprintf(text, sizeof text, "%08x%08x", random(), random());
  return text;
}

/// The profiles of the stages that are taken over, by name.
Json profiles_of(const RunPlan& plan) {
  Json profiles = Json::object();
  for (const PlannedStage& stage : plan.stages) {
    if (stage.taken && !stage.taken->profile.empty()) profiles[stage.name] = profile_json(stage.taken->profile);
  }
  return profiles;
}

std::vector<io::FileExtent> extents_of(const io::CreatedResult& created) {
  std::vector<io::FileExtent> extents;
  for (const auto& extent : created.extents) {
    if (extent) extents.push_back(*extent);
  }
  return extents;
}

/// Makes the file at least `bytes` long, durably.
void reserve(const io::Entry& entry, std::int64_t bytes, const RunSettings& settings) {
  io::BlockFile file(entry, io::BlockFile::Mode::read_write);
  if (file.reserve(bytes) == io::Reservation::checked && settings.warn) {
    settings.warn(entry.path().string() + ": the file system cannot reserve space; the run may meet a full disk");
  }
  file.sync();
}

/// True if results of the stage lie in scratch files.
bool keeps_results(const PlannedStage& stage) {
  const auto& arrays = stage.stage->plan().arrays();
  return std::any_of(arrays.begin(), arrays.end(),
                     [&](const ArraySpec& spec) { return lies_in_scratch(stage, spec); });
}

/// True if the stage's scratch files hold data from which the run resumes.
bool scratch_counts(const RunPlan& plan, const Progress& progress, std::size_t stage) {
  if (progress.completed.contains(stage)) return keeps_results(plan.stages[stage]);
  return progress.current && static_cast<std::size_t>(progress.current->stage) == stage;
}

}  // namespace

StartedRun start_run(RunPlan& plan, RunFolder& folder, const RunSettings& settings) {
  Json json;
  const std::string id = new_run_id();
  json["run"] = id;
  json["command"] = plan.command;
  json["identity"] = plan.identity;
  json["fixed"] = plan.fixed;
  json["inputs"] = plan.inputs;
  json["reads"] = plan.reads;
  json["contents"] = plan.contents;
  json["stages"] = Json::array();
  if (!plan.cpu.empty()) json["cpu"] = plan.cpu;
  for (const PlannedStage& stage : plan.stages) {
    json["stages"].push_back(stage.stage->choices());
    if (stage.on_cpu) json["stages"].back()["backend"] = "cpu";
    json["stages"].back()["host_budget"] = stage.host_budget;
  }

  const fs::path scratch = plan.scratch.empty() ? folder.path() : plan.scratch;
  check_disk(plan, folder.path(), disk_need(plan).taken);

  const std::vector<LargeDataset> datasets = large_datasets(plan);
  std::vector<io::DatasetSpec> specs;
  for (const LargeDataset& dataset : datasets) specs.push_back(dataset.spec);
  const io::CreatedResult created = io::create_result(folder.result(), specs);
  TakenBytes taken(plan, datasets, created, folder);
  check_disk(plan, folder.path(), taken.share());
  taken.copy_rest(settings);
  reserve(folder.result(), created.length, settings);
  io::save_metadata(folder.result(), extents_of(created), folder.metadata());
  json["length"] = created.length;
  Json& extents = json["extents"] = Json::array();
  for (const auto& extent : created.extents) {
    extents.push_back(extent ? Json{extent->offset, extent->bytes} : Json(nullptr));
  }
  Json& files = json["scratch"] = Json::array();
  for (const ScratchFile& file : scratch_files(plan)) {
    const fs::path name = id + "-" + plan.stages[file.stage].name + "-" + file.name;
    // In the run's folder by its name alone, so that the folder may be moved.
    files.push_back({{"path", text_json((plan.scratch.empty() ? name : fs::absolute(scratch / name)).string())},
                     {"stage", file.stage},
                     {"arrays", file.arrays},
                     {"slots", file.slots},
                     {"slot_bytes", file.slot_bytes}});
  }
  note_taken(plan, folder);
  folder.note_profiles(profiles_of(plan));
  // Files are named before they are made, so that an interruption leaves no unknown file.
  folder.begin(json);
  return {std::move(json), taken.compared()};
}

void make_scratch(const RunPlan& plan, const Json& json, const Progress& progress, const RunFolder& folder,
                  const RunSettings& settings) {
  const std::vector<ScratchFile> files = scratch_files(plan);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const io::Entry file = scratch_entry(folder.held(), json.at("run"), json.at("scratch").at(i));
    const auto status = io::status_of(file);
    if (status) check_scratch_file(file, *status);
    if (scratch_counts(plan, progress, files[i].stage)) {
      const std::string again = ", and the run needs it; start over with --fresh=all";
      if (!status) throw IoError(file.path().string(), "is gone" + again);
      if (status->st_size < files[i].bytes()) throw IoError(file.path().string(), "is shorter than it was" + again);
    }
    make_scratch_file(file, json["run"]);
    if (!status || status->st_size < files[i].bytes()) {
      reserve(file, files[i].reserved(), settings);
      if (files[i].grows) io::BlockFile(file, io::BlockFile::Mode::read_write).extend(files[i].bytes());
    }
    io::sync_folder_of(file);
  }
}

std::vector<ArrayStorage> storage_of(const RunPlan& plan, const Json& json, std::size_t stage,
                                     const RunFolder& folder) {
  const auto& arrays = plan.stages[stage].stage->plan().arrays();
  std::vector<ArrayStorage> storage(arrays.size());
  auto result_file = std::make_shared<io::BlockFile>(folder.result(), io::BlockFile::Mode::read_write);
  const std::vector<LargeDataset> datasets = large_datasets(plan);
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (datasets[i].stage != stage || json.at("extents").at(i).is_null()) continue;
    storage[datasets[i].array].home = Home{result_file, json.at("extents").at(i).at(0)};
    storage[datasets[i].array].name = "dataset " + datasets[i].spec.path;
  }
  for (const Json& file : json.at("scratch")) {
    if (file.at("stage") != stage) continue;
    auto opened = std::make_shared<io::BlockFile>(scratch_entry(folder.held(), json.at("run"), file),
                                                  io::BlockFile::Mode::read_write);
    const SlotFile slots{opened, file.at("slots"), file.at("slot_bytes")};
    for (const std::size_t array : file.at("arrays")) {
      storage.at(array).slots = slots;
      if (!lies_in_scratch(plan.stages[stage], arrays[array])) continue;
      storage[array].home = Home{opened, page_bytes + slots.slots * slots.slot_bytes};
    }
  }
  return storage;
}

void check_result(const io::Folder& folder, const Json& plan) {
  const io::Entry result = folder / "result.h5";
  const auto state = io::file_state(result);
  if (!state) throw IoError(result.path().string(), "is gone, and the run needs it; start over with --fresh=all");
  const auto length = read_json((folder.path() / "plan.json").string(), remedy_for_runs,
                                [&] { return plan.at("length").get<std::int64_t>(); });
  if (state->size < length) {
    throw IoError(result.path().string(), "is shorter than it was; start over with --fresh=all");
  }
  io::check_metadata(folder / "metadata.copy");
}

}  // namespace terrace::run
