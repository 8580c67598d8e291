// A whole run: from a plan to a result, over any number of attempts.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/settings.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/run/executor/executor.hpp"
#include "pipeline/run/inputs.hpp"
#include "pipeline/run/profile.hpp"
#include "pipeline/run/run_folder.hpp"
#include "pipeline/run/stage.hpp"
#include "pipeline/run/stage_output.hpp"
#include "pipeline/run/taken_stage.hpp"

namespace terrace::run {

/// One step of a run with its place in the result.
struct PlannedStage {
  std::string name;
  bool temporary = false;  // its arrays are not part of the result
  std::unique_ptr<Stage> stage;
  /// Sources of later stages that stand for this stage's result arrays, by array.
  std::vector<std::pair<int, std::shared_ptr<StageOutput>>> readers;
  /// Warnings that reading its inputs has given so far, as Stage::warnings(); null: never any.
  std::function<std::vector<std::string>()> read_warnings = nullptr;
  /// The names of the nodes whose matrices it reads; null: it reads none, or matrices of different nodes.
  std::shared_ptr<const io::NodeNames> nodes = nullptr;
  /// The inputs that it reads, in the order of job::array_names(); an empty name for an array of a stage.
  std::vector<std::string> inputs = {};
  nlohmann::json tiles_read = nullptr;  // run::tiles_read() of the complete stage
  bool ties = false;                    // job::Stage::ties
  Place place = {};                     // the place of the stage in the job; empty if not known
  /// Why the CPU computes it, beside the devices of the run, for people; nullopt: these compute it. Empty if an
  /// earlier attempt has decided so.
  std::optional<std::string> on_cpu = std::nullopt;

  /// Set in the attempt that begins a run, if the stage is a part of another result: what is to be taken over.
  std::shared_ptr<const TakenPart> taken = nullptr;

  /// The stage if it is not computed, else null.
  const TakenStage* taken_stage() const { return dynamic_cast<const TakenStage*>(stage.get()); }
  bool is_taken() const { return taken_stage() != nullptr; }
};

/// A run as planned: in the order of the job.
struct RunPlan {
  std::vector<PlannedStage> stages;
  nlohmann::json identity;  // of the result: all that defines it
  nlohmann::json fixed;     // all else that determines its bits: back end, devices' kind, build
  std::string cpu;          // kind of the CPU that computes stages beside the devices of that back end
  nlohmann::json inputs;    // files with their states
  nlohmann::json contents = nlohmann::json::object();  // of inputs, by name: content_of()
  Inputs sources;                                      // of the job
  nlohmann::json reads = nlohmann::json::object();     // of the sources, to make the plan: InputReads::close()
  std::string job_text;                                // as run
  std::string job_name;
  std::string job_folder;               // base of relative paths in the job
  std::string command = "terrace run";  // the command that resumes the run, for people
  nlohmann::json settings;              // with no effect on the result: budgets, back end
  std::filesystem::path scratch;        // folder of scratch files; empty: the run's folder
};

/// Disk space that a plan takes.
struct DiskNeed {
  std::int64_t result = 0, scratch = 0;
  std::int64_t taken = 0;  // of the result, what is taken over from another one
};
DiskNeed disk_need(const RunPlan& plan);
/// Checks that the disks have room for a run that begins. @param folder of the run, which need not exist
/// @param shared bytes of the result that take no space, since it shares them with the result that is there
/// @throws IoError naming the place, the needed and the free bytes
void check_disk(const RunPlan& plan, const std::filesystem::path& folder, std::int64_t shared);

struct RunSettings {
  std::vector<device::Context*> devices;
  device::Context* cpu = nullptr;    // beside them, for stages that are planned for the CPU
  std::size_t host_budget = 0;       // for tiles
  std::size_t window_bytes = 0;      // in addition, for the window of the next blocks: see window_share()
  std::size_t device_budget = 0;     // of each device; the stage's workspace included
  double checkpoint_seconds = 0;     // 0: automatic
  std::atomic<int>* stop = nullptr;  // not 0: stop at a checkpoint
  std::function<void(const std::string& stage, const StageProgress&, const Prediction&)> report;
  std::function<void(const std::string&)> warn;
  std::function<nlohmann::json()> inputs_now;  // as RunPlan::inputs; if set, called at the end
};

/// Watches work of a run beside its stages, and reports it as they are reported. It throws Stopped if the run is to
/// stop. @param settings outlives it
Watch watch_of(const RunSettings& settings);

/// Bytes of memory.host that the executor keeps for the window of the next blocks.
std::size_t window_share(std::size_t host_memory);

/// The report of a finished run.
struct RunReport {
  Profile profile;
  std::int64_t attempts = 0;
  double seconds = 0;
  std::map<std::string, TakenProfile> taken = {};  // of stages that are taken over, by name
};

/// Runs the plan in its folder, from the last checkpoint if there is one, to the complete result, which stays in the
/// folder. @throws Stopped, ComputeError, IoError, DeviceError; JobError if an input has changed meanwhile
RunReport complete(RunPlan& plan, RunFolder& folder, const RunSettings& settings);

/// complete(), after which the result is given its name and the folder removed. If a stage cannot be computed because
/// of its data, the stages that are complete by then stay in the folder as a result, from which another run may take
/// them over, and the run is at its end. @throws as complete()
RunReport execute(RunPlan& plan, RunFolder& folder, const RunSettings& settings);

/// Makes of the partial result in the folder of an unfinished run a finished file that holds the stages of the plan,
/// which are complete. The run can still be resumed afterwards; RunFolder::keep() ends it.
/// @param plan of the run's first stages; its identity, inputs and contents are those of the result
/// @throws ComputeError, IoError
void finish_first_stages(RunPlan& plan, RunFolder& folder, const RunSettings& settings);

/// @throws IoError if the partial result in a run's folder is gone or shorter than its plan says, or the copy of its
/// metadata is gone or damaged
void check_result(const io::Folder& folder, const nlohmann::json& plan);

/// True if the choices of a stage, in plan.json, say that the CPU computes it beside the devices of the run.
bool is_on_cpu(const nlohmann::json& choices);
/// The devices that compute a stage.
std::vector<device::Context*> devices_of(const PlannedStage& stage, const RunSettings& settings);
/// "cuda", "cpu": the back end that computes a stage of the plan.
std::string backend_of(const PlannedStage& stage, const RunPlan& plan);

/// The program's version and build, as recorded in results.
std::string version_text();
std::string build_id();

}  // namespace terrace::run
