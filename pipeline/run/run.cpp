#include "pipeline/run/run.hpp"

#include <algorithm>
#include <map>

#include "io/data_error.hpp"
#include "io/files/checksum.hpp"
#include "io/files/durable.hpp"
#include "kernels/compiled/store.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/damaged_tile.hpp"
#include "pipeline/run/executor/executor.hpp"
#include "pipeline/run/expected_time.hpp"
#include "pipeline/run/folder/run_files.hpp"
#include "pipeline/run/home_tiles.hpp"
#include "pipeline/run/inputs.hpp"
#include "pipeline/run/result_summary.hpp"

namespace terrace::run {
namespace {

using Json = nlohmann::json;

/// Memory of all locations.
struct Memory {
  std::vector<std::unique_ptr<Pool>> owned;
  std::vector<Pool*> pools;
  std::size_t host_workspace, device_workspace;  // in addition to the pools

  /// @param devices that compute @param host_budget bytes
  Memory(const std::vector<device::Context*>& devices, const RunSettings& settings, std::size_t host_budget,
         const Prediction& prediction)
      : host_workspace(prediction.host_workspace_bytes), device_workspace(prediction.workspace_bytes) {
    device::Context* first = devices.front();
    if (first->shares_host_memory()) host_workspace += device_workspace;
    const auto beside = [](std::size_t budget, std::size_t bytes) { return budget - std::min(budget, bytes); };
    add(
        beside(host_budget, host_workspace), [=](std::size_t n) { return first->allocate_host(n); },
        [=](void* memory, std::size_t n) { first->release_host(memory, n); },
        first->shares_host_memory() ? Growth::at_once : Growth::beside);
    for (device::Context* context : devices) {
      if (context->shares_host_memory()) {
        pools.push_back(nullptr);
        continue;
      }
      add(
          beside(settings.device_budget, device_workspace), [=](std::size_t n) { return context->allocate(n); },
          [=](void* memory, std::size_t n) { context->release(memory, n); }, Growth::at_once);
    }
  }

  /// Notes what each location holds now.
  void note(Profile& profile) const {
    for (std::size_t at = 0; at < pools.size(); ++at) {
      if (pools[at] != nullptr)
        profile.note_memory(static_cast<int>(at) - 1, with_workspace(at, pools[at]->allocated()));
    }
  }
  /// The most that the host has held, and the most of any device.
  void set_peaks(StageRecord& stage) const {
    stage.peak_host = with_workspace(0, pools[0]->peak());
    for (std::size_t at = 1; at < pools.size(); ++at) {
      if (pools[at] != nullptr)
        stage.peak_device = std::max(stage.peak_device, with_workspace(at, pools[at]->peak()));
    }
  }

 private:
  /// Bytes of a pool, and of the workspace of kernels that compute in its memory.
  std::int64_t with_workspace(std::size_t at, std::size_t bytes) const {
    return static_cast<std::int64_t>(bytes + (at > 0 ? device_workspace : host_workspace));
  }

  void add(std::size_t budget, Pool::Allocate allocate, Pool::Release release, Growth growth) {
    owned.push_back(std::make_unique<Pool>(budget, std::move(allocate), std::move(release), growth));
    pools.push_back(owned.back().get());
  }
};

/// The place of a stage's state, for errors.
std::string ledger_state(const Progress& progress, const PlannedStage& planned) {
  return progress.file.string() + ", state of stage '" + planned.name + "'";
}

/// The record of a stage that has computed nothing yet.
StageRecord record_of(const PlannedStage& planned, const RunPlan& plan) {
  StageRecord record;
  record.name = planned.name;
  record.method = method_of(*planned.stage);
  record.backend = backend_of(planned, plan);
  return record;
}

/// @return checksums of its tiles in the result
HomeChecksums run_stage(std::size_t number, RunPlan& plan, const Json& json, RunFolder& folder,
                        const RunSettings& settings, const Progress& before, Ledger& ledger, Profile& profile) {
  PlannedStage& planned = plan.stages[number];
  const Prediction prediction = planned.stage->prediction();
  std::optional<Checkpoint> restored;
  if (before.current && before.current->stage == static_cast<std::int64_t>(number)) restored = before.current;
  const std::int64_t done = restored ? restored->frontier + restored->done.count() : 0;

  StageRecord record = record_of(planned, plan);
  record.unit = prediction.unit;
  record.limit = prediction.limit;
  record.limit_kind = prediction.limit_kind;
  record.predicted_seconds = predicted_seconds(planned);
  record.whole = planned.stage->whole();
  record.repeated = std::max<std::int64_t>(0, folder.noted(static_cast<std::int64_t>(number)) - done);
  const std::size_t host_budget = std::min(settings.host_budget, planned.host_budget);
  record.budget_host = static_cast<std::int64_t>(host_budget);
  const std::vector<device::Context*> devices = devices_of(planned, settings);
  if (!devices.front()->shares_host_memory()) {
    record.budget_device = static_cast<std::int64_t>(settings.device_budget);
  }
  record.begin = profile.now();
  profile.begin_stage(record);

  Memory memory(devices, settings, host_budget, prediction);
  Environment environment;
  environment.devices = devices;
  environment.host = settings.cpu;
  environment.host_number = static_cast<int>(settings.devices.size());
  environment.first_device = planned.on_cpu ? static_cast<int>(settings.devices.size()) : 0;
  environment.pools = memory.pools;
  environment.profile = &profile;
  environment.ledger = &ledger;
  environment.stop = settings.stop;
  environment.checkpoint_seconds = settings.checkpoint_seconds;
  environment.window_bytes = settings.window_bytes;
  environment.note_memory = [&] { memory.note(profile); };
  environment.note_done = [&](const StageProgress& progress) {
    const double share = prediction.operations > 0 ? progress.operations / prediction.operations : 0;
    folder.note_done({static_cast<std::int64_t>(number), progress.done_blocks, share});
  };
  if (settings.report) {
    environment.report = [&](const StageProgress& progress) { settings.report(planned.name, progress, prediction); };
  }
  if (settings.warn) {
    environment.slow_checkpoint = [&](double seconds) {
      settings.warn("stage '" + planned.name + "': a checkpoint took " + format_duration(seconds) +
                    ", longer than checkpoint.every, " + format_duration(settings.checkpoint_seconds) +
                    ": the run does little else; `checkpoint: {every: auto}` gives it 5% of the time");
    };
  }
  HomeChecksums written;
  {
    Executor executor(static_cast<std::int64_t>(number), planned.stage->plan(), planned.stage->tally(),
                      read_plan_of(folder, [&] { return storage_of(plan, json, number, folder); }), environment,
                      restored);
    try {
      executor.run();
      written = executor.home_checksums();
      planned.tiles_read = tiles_read(planned.stage->plan(), executor.input_checksums());
    } catch (const ComputeError& error) {
      const Place place = planned.stage->tally().fault_place();
      throw ComputeError(
          message_at(place.text.empty() ? planned.place : place, "stage '" + planned.name + "': " + error.what()));
    } catch (const io::DataError&) {
      throw;  // it names the place in the job
    } catch (const DamagedTile& error) {
      throw error.of_stage(planned.name);
    } catch (const IoError& error) {
      throw IoError("stage '" + planned.name + "'", error.what());
    } catch (const Json::exception&) {
      throw DamagedRecord(ledger_state(before, planned), remedy_for_runs);
    } catch (const InputChanged& error) {
      throw error.in_stage(planned.name, plan.inputs);
    }
  }
  profile.end_stage();
  StageRecord& stage = profile.stage();
  stage.method = method_of(*planned.stage);  // a worker may have found that it has to be another one
  memory.set_peaks(stage);
  if (const double seconds = stage.computing.seconds(); seconds > 0) stage.rate = stage.operations / seconds;
  return written;
}

/// The shape of a result array of a completed stage in the result.
Extents made_shape(const PlannedStage& planned, std::size_t array) {
  return planned.stage->plan().made_shape(static_cast<int>(array), planned.stage->tally());
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
    tiles[array] = std::make_shared<HomeTiles>(name, *storage[at].home, spec.type,
                                               TileGrid(made_shape(plan.stages[number], at), spec.tile), checksums,
                                               plan.stages[number].name);
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
  if (const auto done = progress.completed.find(number); done != progress.completed.end()) return done->second.tiles;
  const bool current = progress.current && static_cast<std::size_t>(progress.current->stage) == number;
  return current ? home_checksums(progress.current->tiles) : HomeChecksums();
}

/// The tiles of one stage, and the checksums of those that earlier attempts have written.
struct EarlierTiles {
  StageTiles tiles;
  HomeChecksums before;
};

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

/// What datasets hold that lie in scratch files until the run ends.
std::map<std::string, io::LateContent> late_contents(const RunPlan& plan, const Json& json, const RunFolder& folder,
                                                     const std::vector<HomeChecksums>& written) {
  std::map<std::string, io::LateContent> late;
  std::map<std::size_t, StageTiles> tiles;  // by stage
  for (const LargeDataset& dataset : large_datasets(plan)) {
    const std::size_t number = dataset.stage;
    if (!plan.stages[number].stage->plan().arrays()[dataset.array].found) continue;
    if (!tiles.contains(number)) tiles[number] = tiles_of(plan, number, json, folder, written[number]);
    const auto found = tiles[number].find(static_cast<int>(dataset.array));
    if (found == tiles[number].end()) continue;  // it is empty
    late[dataset.spec.path] = [content = found->second](const Box& box, void* buffer) { content->read(box, buffer); };
  }
  return late;
}

/// All that the result file has beside its large datasets. @param written checksums of each stage's tiles
io::Finish finish_of(const RunPlan& plan, const Json& json, const RunFolder& folder, const RunSettings& settings,
                     const RunReport& report, std::vector<HomeChecksums> written) {
  io::Finish finish;
  finish.late = late_contents(plan, json, folder, written);
  for (LargeDataset& dataset : large_datasets(plan)) {
    const ArraySpec& spec = plan.stages[dataset.stage].stage->plan().arrays()[dataset.array];
    finish.tiles.push_back({spec.tile, std::move(written[dataset.stage][static_cast<int>(dataset.array)])});
    dataset.spec.shape = made_shape(plan.stages[dataset.stage], dataset.array);
    finish.large.push_back(std::move(dataset.spec));
  }
  summarise(plan, settings, report, finish);  // small results may read inputs now
  finish.attributes.push_back({"/", "run", json.at("run").get<std::string>()});
  return finish;
}

void finish_result_file(RunFolder& folder, io::Finish finish) {
  // Since the start the run has written only to the extents of large datasets. All other bytes are restored: an
  // interrupted finish, or another program, may have changed them.
  io::restore_metadata(folder.result(), folder.metadata());
  io::finish_result(folder.result(), std::move(finish));
}

/// Gives a stage that an earlier attempt has completed the results of its blocks.
void load_complete(PlannedStage& planned, const CompletedStage& done, const Progress& progress) {
  read_json(ledger_state(progress, planned), remedy_for_runs, [&] { planned.stage->tally().load(done.folded); });
  planned.tiles_read = tiles_read(planned.stage->plan(), done.inputs);
}

/// Later stages read the arrays of the complete stage from its tiles.
void bind_readers(PlannedStage& planned, const StageTiles& tiles) {
  for (auto& [array, source] : planned.readers) {
    if (tiles.contains(array)) source->bind(tiles.at(array));
  }
}

void release_readers(RunPlan& plan) {
  for (PlannedStage& stage : plan.stages) {
    for (auto& reader : stage.readers) reader.second->bind(nullptr);
  }
}

/// RunReport::taken of the run in the folder.
std::map<std::string, TakenProfile> taken_profiles(const RunFolder& folder) {
  const Json profiles = folder.profiles();
  return read_plan_of(folder, [&] {
    std::map<std::string, TakenProfile> taken;
    for (const auto& [stage, profile] : profiles.items()) taken[stage] = taken_profile_from(profile);
    return taken;
  });
}

/// Gives the devices of a run the folder, and the user's cache, from which kernels that are compiled at run time
/// come, and takes them away.
class ModulesOfRun {
 public:
  ModulesOfRun(const RunFolder& folder, const RunSettings& settings)
      : store_(folder.modules(), compiled::user_cache()), settings_(settings) {
    give(&store_);
  }
  ~ModulesOfRun() { give(nullptr); }
  ModulesOfRun(const ModulesOfRun&) = delete;
  ModulesOfRun& operator=(const ModulesOfRun&) = delete;

 private:
  void give(compiled::Store* store) {
    for (device::Context* context : settings_.devices) context->take_modules_from(store);
    if (settings_.cpu != nullptr) settings_.cpu->take_modules_from(store);
  }

  compiled::Store store_;
  const RunSettings& settings_;
};

/// complete(), without verifying inputs again if a computation fails. @param report is filled as the run goes on
void run_all(RunPlan& plan, RunFolder& folder, const RunSettings& settings, RunReport& report) {
  std::optional<Json> begun = folder.plan();
  if (begun) check_result(folder.held(), *begun);
  const StartedRun started = begun ? StartedRun{*begun, {}} : start_run(plan, folder, settings);
  const Json& json = started.plan;
  const Progress progress = Ledger::read(folder.ledger());
  read_plan_of(folder, [&] { make_scratch(plan, json, progress, folder, settings); });
  report.attempts = progress.attempt + 1;
  report.taken = taken_profiles(folder);
  std::vector<HomeChecksums> written;  // of each stage
  std::vector<EarlierTiles> earlier;
  std::vector<StageTiles> readable;  // by later stages
  {
    const ModulesOfRun modules(folder, settings);
    Ledger ledger(folder.ledger(), progress);
    report.profile.begin_attempt(folder.ledger(), report.attempts);
    for (std::size_t number = 0; number < plan.stages.size(); ++number) {
      PlannedStage& planned = plan.stages[number];
      HomeChecksums before = written_before(progress, number);
      if (const auto done = progress.completed.find(number); done != progress.completed.end()) {
        load_complete(planned, done->second, progress);
        report.profile.begin_stage(record_of(planned, plan));
        written.push_back(before);
      } else {
        written.push_back(run_stage(number, plan, json, folder, settings, progress, ledger, report.profile));
        note_rereads(readable, report.profile);
      }
      readable.emplace_back();
      for (const ResultArray& array : started.compared) {
        if (array.stage == number) before.erase(static_cast<int>(array.array));
      }
      const bool checked = !planned.temporary && !before.empty();
      if (planned.readers.empty() && !checked) continue;
      const StageTiles tiles = tiles_of(plan, number, json, folder, written.back());
      bind_readers(planned, tiles);
      readable.back() = tiles;
      if (checked) earlier.push_back({tiles, std::move(before)});
    }
  }
  check_earlier(earlier, settings);
  report.seconds = report.profile.seconds();
  io::Finish finish = finish_of(plan, json, folder, settings, report, std::move(written));
  verify_now(plan, folder, settings);
  finish_result_file(folder, std::move(finish));
  release_readers(plan);
}

/// run_all(), after which inputs are verified if a computation has failed.
void complete(RunPlan& plan, RunFolder& folder, const RunSettings& settings, RunReport& report) {
  try {
    run_all(plan, folder, settings, report);
  } catch (const ComputeError&) {
    verify_now(plan, folder, settings);  // a changed input may be the reason
    throw;
  }
}

}  // namespace

RunReport complete(RunPlan& plan, RunFolder& folder, const RunSettings& settings) {
  RunReport report;
  complete(plan, folder, settings, report);
  return report;
}

void finish_first_stages(RunPlan& plan, RunFolder& folder, const RunSettings& settings) {
  const Json json = read_plan_of(folder, [&] { return folder.plan().value(); });
  const Progress progress = Ledger::read(folder.ledger());
  std::vector<HomeChecksums> written;
  for (std::size_t number = 0; number < plan.stages.size(); ++number) {
    PlannedStage& planned = plan.stages[number];
    const CompletedStage& done = progress.completed.at(number);
    load_complete(planned, done, progress);
    written.push_back(done.tiles);
    if (!planned.readers.empty()) bind_readers(planned, tiles_of(plan, number, json, folder, done.tiles));
  }
  RunReport report;
  report.attempts = progress.attempt;
  report.taken = taken_profiles(folder);
  for (const PlannedStage& planned : plan.stages) {
    report.profile.begin_stage(record_of(planned, plan));
  }
  finish_result_file(folder, finish_of(plan, json, folder, settings, report, std::move(written)));
  release_readers(plan);
}

namespace {

/// True if all that the complete stage gives can be computed: some stages check that last.
bool gives_results(const PlannedStage& planned) {
  try {
    static_cast<void>(planned.stage->small());
    return true;
  } catch (const ComputeError&) {
    return false;
  } catch (const io::DataError&) {
    return false;
  }
}

/// Ends a run of which a stage cannot be computed: a result of the stages that are complete stays in the folder. If
/// this run has computed none of them, or that cannot be done, the folder stays as it is.
/// @param failed report of the run until it failed
void keep_complete(RunPlan& plan, RunFolder& folder, const RunSettings& settings, const RunReport& failed) noexcept {
  try {
    const std::optional<Json> begun = folder.plan();
    if (!begun) return;
    const Progress progress = Ledger::read(folder.ledger());
    verify_now(plan, folder, settings);
    std::vector<PlannedStage> complete;
    std::vector<HomeChecksums> written;
    std::vector<std::size_t> numbers;
    std::string computed;
    for (const auto& [number, stage] : progress.completed) {
      if (!gives_results(plan.stages.at(number))) continue;
      numbers.push_back(number);
      complete.push_back(std::move(plan.stages.at(number)));
      complete.back().tiles_read = tiles_read(complete.back().stage->plan(), stage.inputs);
      written.push_back(stage.tiles);
      if (!complete.back().is_taken()) computed += (computed.empty() ? "'" : ", '") + complete.back().name + "'";
    }
    if (computed.empty()) return;
    plan.stages = std::move(complete);
    const RunReport report{failed.profile.of_stages(numbers), progress.attempt, 0, failed.taken};
    finish_result_file(folder, finish_of(plan, *begun, folder, settings, report, std::move(written)));
    folder.keep();
    if (settings.warn) settings.warn("complete: " + computed + "; a run of the corrected job takes that over");
  } catch (const std::exception&) {
    return;  // the error that ended the run says more
  }
}

}  // namespace

RunReport execute(RunPlan& plan, RunFolder& folder, const RunSettings& settings) {
  RunReport report;
  try {
    complete(plan, folder, settings, report);
    folder.finish();
    return report;
  } catch (const ComputeError&) {
    keep_complete(plan, folder, settings, report);
    throw;
  } catch (const io::DataError&) {
    keep_complete(plan, folder, settings, report);
    throw;
  }
}

}  // namespace terrace::run
