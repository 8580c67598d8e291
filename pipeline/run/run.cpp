#include "pipeline/run/run.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "io/data_error.hpp"
#include "io/files/checksum.hpp"
#include "io/files/durable.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/folder/scratch_files.hpp"
#include "pipeline/run/home_tiles.hpp"
#include "pipeline/run/result_summary.hpp"

namespace terrace::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::int64_t page = 4096;

std::string new_run_id() {
  std::random_device random;
  char text[17];
  std::snprintf(text, sizeof text, "%08x%08x", random(), random());
  return text;
}

std::int64_t bytes_of(const ArraySpec& spec) {
  return volume(spec.shape) * static_cast<std::int64_t>(size_of(spec.type));
}

/// A file that holds an array's slots, or all of a temporary result, after a header of one page.
struct ScratchFile {
  std::size_t stage, array;
  std::int64_t slots, slot_bytes, home_bytes;
  std::int64_t bytes() const { return page + slots * slot_bytes + home_bytes; }
};

std::vector<ScratchFile> scratch_files(const RunPlan& plan) {
  std::vector<ScratchFile> files;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const auto& arrays = plan.stages[s].stage->plan().arrays();
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      const TileGrid grid(arrays[a].shape, arrays[a].tile);
      ScratchFile file{s, a, slots_needed(arrays[a], grid), slot_bytes(arrays[a], grid), 0};
      if (plan.stages[s].temporary && arrays[a].role == Role::result) file.home_bytes = bytes_of(arrays[a]);
      if (file.slots > 0 || file.home_bytes > 0) files.push_back(file);
    }
  }
  return files;
}

/// Result arrays that are datasets of the result file, in order, with their specs.
struct LargeDataset {
  std::size_t stage, array;
  io::DatasetSpec spec;
};

std::vector<LargeDataset> large_datasets(const RunPlan& plan) {
  std::vector<LargeDataset> datasets;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    if (plan.stages[s].temporary) continue;
    const auto& arrays = plan.stages[s].stage->plan().arrays();
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      if (arrays[a].role != Role::result) continue;
      io::DatasetSpec spec = plan.stages[s].stage->dataset(static_cast<int>(a));
      spec.type = arrays[a].type;
      spec.shape = arrays[a].shape;
      datasets.push_back({s, a, std::move(spec)});
    }
  }
  return datasets;
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

/// Makes all files of the run and records their places in the plan.
Json start(RunPlan& plan, RunFolder& folder, const RunSettings& settings) {
  Json json;
  const std::string id = new_run_id();
  json["run"] = id;
  json["command"] = plan.command;
  json["identity"] = plan.identity;
  json["fixed"] = plan.fixed;
  json["inputs"] = plan.inputs;
  json["reads"] = plan.reads;
  json["stages"] = Json::array();
  for (const PlannedStage& stage : plan.stages) json["stages"].push_back(stage.stage->choices());

  const fs::path scratch = plan.scratch.empty() ? folder.path() : plan.scratch;
  const DiskNeed need = disk_need(plan);
  io::check_free_space(folder.path(), need.result + (plan.scratch.empty() ? need.scratch : 0));
  if (!plan.scratch.empty()) io::check_free_space(scratch, need.scratch);
  io::check_file_size(folder.result().path(), need.result);

  std::vector<io::DatasetSpec> specs;
  for (const LargeDataset& dataset : large_datasets(plan)) specs.push_back(dataset.spec);
  const io::CreatedResult created = io::create_result(folder.result(), specs);
  reserve(folder.result(), created.length, settings);
  io::save_metadata(folder.result(), extents_of(created), folder.metadata());
  json["length"] = created.length;
  Json& extents = json["extents"] = Json::array();
  for (const auto& extent : created.extents) {
    extents.push_back(extent ? Json{extent->offset, extent->bytes} : Json(nullptr));
  }
  Json& files = json["scratch"] = Json::array();
  for (const ScratchFile& file : scratch_files(plan)) {
    const ArraySpec& spec = plan.stages[file.stage].stage->plan().arrays()[file.array];
    const fs::path name = id + "-" + plan.stages[file.stage].name + "-" + spec.name;
    // In the run's folder by its name alone, so that the folder may be moved.
    files.push_back({{"path", text_json((plan.scratch.empty() ? name : fs::absolute(scratch / name)).string())},
                     {"stage", file.stage},
                     {"array", file.array},
                     {"slots", file.slots},
                     {"slot_bytes", file.slot_bytes}});
  }
  // Files are named before they are made, so that an interruption leaves no unknown file.
  folder.begin(json);
  return json;
}

/// True if the stage's scratch files hold data from which the run resumes.
bool scratch_counts(const RunPlan& plan, const Progress& progress, std::size_t stage) {
  if (stage < progress.completed.size()) return plan.stages[stage].temporary;
  return progress.current && static_cast<std::size_t>(progress.current->stage) == stage;
}

/// Checks the scratch files that the plan names, and makes missing ones.
/// @throws IoError if one with data of an earlier attempt is missing or short, or if one is not of this run
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
    if (!status || status->st_size < files[i].bytes()) reserve(file, files[i].bytes(), settings);
    io::sync_folder_of(file);
  }
}

/// Calls `read`, which takes values out of plan.json. @throws IoError naming the file if they are missing
template <class Read>
auto read_plan_of(const RunFolder& folder, const Read& read) {
  return read_json((folder.path() / "plan.json").string(), remedy_for_runs, read);
}

/// The disk side of one stage's arrays.
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
    const std::size_t array = file.at("array");
    storage.at(array).slots = {opened, file.at("slots"), file.at("slot_bytes")};
    if (plan.stages[stage].temporary && arrays[array].role == Role::result) {
      storage[array].home = Home{opened, page + storage[array].slots.slots * storage[array].slots.slot_bytes};
    }
  }
  return storage;
}

/// Memory of all locations.
struct Memory {
  std::vector<std::unique_ptr<Pool>> owned;
  std::vector<Pool*> pools;

  Memory(const RunSettings& settings, std::size_t workspace) {
    device::Context* first = settings.devices.front();
    const auto beside = [=](std::size_t budget) { return budget - std::min(budget, workspace); };
    add(
        first->shares_host_memory() ? beside(settings.host_budget) : settings.host_budget,
        [=](std::size_t n) { return first->allocate_host(n); },
        [=](void* memory, std::size_t n) { first->release_host(memory, n); },
        first->shares_host_memory() ? Growth::at_once : Growth::beside);
    for (device::Context* context : settings.devices) {
      if (context->shares_host_memory()) {
        pools.push_back(nullptr);
        continue;
      }
      add(
          beside(settings.device_budget), [=](std::size_t n) { return context->allocate(n); },
          [=](void* memory, std::size_t n) { context->release(memory, n); }, Growth::at_once);
    }
  }

 private:
  void add(std::size_t budget, Pool::Allocate allocate, Pool::Release release, Growth growth) {
    owned.push_back(std::make_unique<Pool>(budget, std::move(allocate), std::move(release), growth));
    pools.push_back(owned.back().get());
  }
};

/// The place of a stage's state, for errors.
std::string ledger_state(const Progress& progress, const PlannedStage& planned) {
  return progress.file.string() + ", state of stage '" + planned.name + "'";
}

/// @return checksums of its tiles in the result
HomeChecksums run_stage(std::size_t number, RunPlan& plan, const Json& json, RunFolder& folder,
                        const RunSettings& settings, const Progress& before, Ledger& ledger, Profile& profile) {
  PlannedStage& planned = plan.stages[number];
  const Prediction prediction = planned.stage->prediction();
  std::optional<Cut> restored;
  if (before.current && before.current->stage == static_cast<std::int64_t>(number)) restored = before.current;
  const std::int64_t done = restored ? restored->frontier + restored->done.count() : 0;

  StageRecord record;
  record.name = planned.name;
  record.unit = prediction.unit;
  record.limit = prediction.limit;
  record.limit_kind = prediction.limit_kind;
  record.predicted_seconds = predicted_seconds(prediction);
  record.whole = planned.stage->whole();
  record.repeated = std::max<std::int64_t>(0, folder.noted(static_cast<std::int64_t>(number)) - done);
  record.begin = profile.now();
  profile.begin_stage(record);

  Memory memory(settings, prediction.workspace_bytes);
  Environment environment;
  environment.devices = settings.devices;
  environment.pools = memory.pools;
  environment.profile = &profile;
  environment.ledger = &ledger;
  environment.stop = settings.stop;
  environment.checkpoint_seconds = settings.checkpoint_seconds;
  environment.window_bytes = settings.window_bytes;
  environment.note_done = [&](const StageProgress& progress) {
    const double share = prediction.operations > 0 ? progress.operations / prediction.operations : 0;
    folder.note_done({static_cast<std::int64_t>(number), progress.done_blocks, share});
  };
  if (settings.report) {
    environment.report = [&](const StageProgress& progress) { settings.report(planned.name, progress, prediction); };
  }
  HomeChecksums written;
  {
    Executor executor(static_cast<std::int64_t>(number), planned.stage->plan(), planned.stage->tally(),
                      read_plan_of(folder, [&] { return storage_of(plan, json, number, folder); }), environment,
                      restored);
    try {
      executor.run();
      written = executor.home_checksums();
    } catch (const ComputeError& error) {
      throw ComputeError("stage '" + planned.name + "': " + error.what());
    } catch (const io::DataError&) {
      throw;  // it names the place in the job
    } catch (const IoError& error) {
      throw IoError("stage '" + planned.name + "'", error.what());
    } catch (const Json::exception& error) {
      throw unreadable_json(ledger_state(before, planned), remedy_for_runs, error);
    } catch (const InputChanged& error) {
      throw error.in_stage(planned.name, plan.inputs);
    }
  }
  StageRecord& stage = profile.stage();
  stage.end = profile.now();
  stage.peak_host = static_cast<std::int64_t>(memory.pools[0]->peak());
  if (settings.devices.front()->shares_host_memory()) {
    stage.peak_host += static_cast<std::int64_t>(prediction.workspace_bytes);
  }
  for (std::size_t d = 1; d < memory.pools.size(); ++d) {
    if (memory.pools[d] != nullptr) {
      stage.peak_device = std::max(stage.peak_device, static_cast<std::int64_t>(memory.pools[d]->peak()) +
                                                          static_cast<std::int64_t>(prediction.workspace_bytes));
    }
  }
  if (stage.compute_seconds > 0) stage.rate = stage.operations / stage.compute_seconds;
  return written;
}

/// The result arrays of a completed stage, by number.
using StageTiles = std::map<int, std::shared_ptr<HomeTiles>>;

/// @param written checksums of all of their tiles
StageTiles tiles_of(const RunPlan& plan, std::size_t number, const Json& json, const RunFolder& folder,
                    const HomeChecksums& written) {
  const auto& arrays = plan.stages[number].stage->plan().arrays();
  const auto storage = read_plan_of(folder, [&] { return storage_of(plan, json, number, folder); });
  StageTiles tiles;
  for (const auto& [array, checksums] : written) {
    const auto at = static_cast<std::size_t>(array);
    const ArraySpec& spec = arrays.at(at);
    const std::string name =
        storage[at].name.empty() ? "array " + plan.stages[number].name + "/" + spec.name : storage[at].name;
    tiles[array] =
        std::make_shared<HomeTiles>(name, *storage[at].home, spec.type, TileGrid(spec.shape, spec.tile), checksums);
  }
  return tiles;
}

/// Records in the profile of the running stage the tiles of earlier stages that it has read once more.
/// @param earlier of each stage before it
void note_rereads(const std::vector<StageTiles>& earlier, Profile& profile) {
  const auto seconds = [&](HomeTiles::Clock::time_point time) {
    const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
    return 1e-9 * static_cast<double>(since - static_cast<std::int64_t>(profile.steady_zero()));
  };
  for (std::size_t number = 0; number < earlier.size(); ++number) {
    for (const auto& [array, tiles] : earlier[number]) {
      const HomeTiles::Rereads reread = tiles->take_rereads();
      if (reread.bytes == 0) continue;
      CopyRecord copy;
      copy.array = array;
      copy.tile = -1;
      copy.bytes = reread.bytes;
      copy.begin = seconds(reread.begin);
      copy.end = seconds(reread.end);
      copy.written_by = static_cast<std::int64_t>(number);
      profile.add(copy);
    }
  }
}

/// Checksums of the tiles of the stage that earlier attempts have written, 0 for other tiles.
HomeChecksums written_before(const Progress& progress, std::size_t number) {
  if (number < progress.completed.size()) return progress.completed[number].tiles;
  const bool current = progress.current && static_cast<std::size_t>(progress.current->stage) == number;
  return current ? home_checksums(progress.current->tiles) : HomeChecksums();
}

/// The tiles of one stage, and the checksums of those that earlier attempts have written.
struct EarlierTiles {
  StageTiles tiles;
  HomeChecksums before;
};

/// Watches work after the stages, whose results are kept. @throws Stopped
Watch watch_of(const RunSettings& settings) {
  return [&settings](const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
    if (settings.stop != nullptr && settings.stop->load() != 0) {
      throw Stopped("stopped while " + part + "; the same command goes on");
    }
    if (!settings.report) return;
    StageProgress progress;
    progress.operations = static_cast<double>(done);
    Prediction prediction;
    prediction.unit = unit;
    prediction.operations = static_cast<double>(all);
    settings.report(part, progress, prediction);
  };
}

/// Reads what earlier attempts have written and nobody has read since. That is done once, before the result is
/// complete, and not whenever a run goes on: one that is often interrupted would read more than it computes.
/// @throws IoError where it is not as it was written; Stopped
void check_earlier(const std::vector<EarlierTiles>& stages, const RunSettings& settings) {
  std::int64_t all = 0;
  for (const EarlierTiles& stage : stages) {
    for (const auto& [array, before] : stage.before) all += stage.tiles.at(array)->rest_bytes(before);
  }
  const Watch watch = watch_of(settings);
  WatchedPart checking(watch, "checking what earlier attempts wrote", "byte", all);
  const auto advance = [&](std::int64_t bytes) { checking.advance(bytes); };
  for (const EarlierTiles& stage : stages) {
    for (const auto& [array, before] : stage.before) stage.tiles.at(array)->check_rest(before, advance);
  }
}

/// Verifies changed inputs: stages may have read parts of one before and after it was changed.
/// @throws JobError naming the input
void verify_now(const RunPlan& plan, const RunFolder& folder, const RunSettings& settings) {
  if (!settings.inputs_now) return;
  const Json now = settings.inputs_now();
  if (now != plan.inputs) verify_inputs(plan, plan.inputs, now, Ledger::read(folder.ledger()), watch_of(settings));
}

/// @param written checksums of each stage's tiles
void finish_result_file(const RunPlan& plan, const Json& json, RunFolder& folder, const RunSettings& settings,
                        const RunReport& report, std::vector<HomeChecksums> written) {
  io::Finish finish;
  for (LargeDataset& dataset : large_datasets(plan)) {
    const ArraySpec& spec = plan.stages[dataset.stage].stage->plan().arrays()[dataset.array];
    finish.tiles.push_back({spec.tile, std::move(written[dataset.stage][static_cast<int>(dataset.array)])});
    finish.large.push_back(std::move(dataset.spec));
  }
  summarise(plan, settings, report, finish);  // small results may read inputs now
  finish.attributes.push_back({"/", "run", json.at("run").get<std::string>()});
  verify_now(plan, folder, settings);
  // Since the start the run has written only to the extents of large datasets. All other bytes are restored: an
  // interrupted finish, or another program, may have changed them.
  io::restore_metadata(folder.result(), folder.metadata());
  io::finish_result(folder.result(), std::move(finish));
}

/// complete(), without verifying inputs again if a computation fails.
RunReport run_all(RunPlan& plan, RunFolder& folder, const RunSettings& settings) {
  RunReport report;
  std::optional<Json> begun = folder.plan();
  if (begun) check_result(folder.held(), *begun);
  const Json json = begun ? *begun : start(plan, folder, settings);
  const Progress progress = Ledger::read(folder.ledger());
  read_plan_of(folder, [&] { make_scratch(plan, json, progress, folder, settings); });
  report.attempts = progress.attempt + 1;
  std::vector<HomeChecksums> written;  // of each stage
  std::vector<EarlierTiles> earlier;
  std::vector<StageTiles> readable;  // by later stages
  {
    Ledger ledger(folder.ledger(), progress);
    report.profile.begin_attempt(folder.ledger(), report.attempts);
    for (std::size_t number = 0; number < plan.stages.size(); ++number) {
      PlannedStage& planned = plan.stages[number];
      HomeChecksums before = written_before(progress, number);
      if (number < progress.completed.size()) {
        read_json(ledger_state(progress, planned), remedy_for_runs,
                  [&] { planned.stage->tally().load(progress.completed[number].folded); });
        StageRecord record;
        record.name = planned.name;
        report.profile.begin_stage(record);
        written.push_back(before);
      } else {
        written.push_back(run_stage(number, plan, json, folder, settings, progress, ledger, report.profile));
        note_rereads(readable, report.profile);
      }
      readable.emplace_back();
      const bool checked = !planned.temporary && !before.empty();
      if (planned.readers.empty() && !checked) continue;
      const StageTiles tiles = tiles_of(plan, number, json, folder, written.back());
      for (auto& [array, source] : planned.readers) {
        if (tiles.contains(array)) source->bind(tiles.at(array));
      }
      readable.back() = tiles;
      if (checked) earlier.push_back({tiles, std::move(before)});
    }
  }
  check_earlier(earlier, settings);
  report.seconds = report.profile.seconds();
  finish_result_file(plan, json, folder, settings, report, std::move(written));
  for (PlannedStage& stage : plan.stages) {
    for (auto& reader : stage.readers) reader.second->bind(nullptr);
  }
  return report;
}

}  // namespace

std::size_t window_share(std::size_t host_memory) {
  constexpr std::size_t most = 16u << 20;   // thousands of blocks
  constexpr std::size_t least = 64u << 10;  // the share is a multiple of it; a thousand blocks are kept in any memory
  return std::min(most, host_memory / 32 / least * least);
}

DiskNeed disk_need(const RunPlan& plan) {
  DiskNeed need;
  for (const ScratchFile& file : scratch_files(plan)) need.scratch += file.bytes();
  for (const LargeDataset& dataset : large_datasets(plan)) {
    need.result += volume(dataset.spec.shape) * static_cast<std::int64_t>(size_of(dataset.spec.type)) + page;
  }
  need.result += 1 << 20;  // for small datasets, written at the end
  return need;
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

RunReport complete(RunPlan& plan, RunFolder& folder, const RunSettings& settings) {
  try {
    return run_all(plan, folder, settings);
  } catch (const ComputeError&) {
    verify_now(plan, folder, settings);  // a changed input may be the reason
    throw;
  }
}

RunReport execute(RunPlan& plan, RunFolder& folder, const RunSettings& settings) {
  RunReport report = complete(plan, folder, settings);
  folder.finish();
  return report;
}

}  // namespace terrace::run
