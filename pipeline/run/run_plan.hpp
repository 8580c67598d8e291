// A run as it is planned: its stages, and all that defines its result.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/node_names.hpp"
#include "io/results/file.hpp"
#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/run/stage.hpp"
#include "pipeline/run/stage_output.hpp"
#include "pipeline/run/taken_stage.hpp"

namespace terrace::run {

/// The inputs of a job by name.
using Inputs = std::map<std::string, std::shared_ptr<io::Source>>;

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
  /// Bytes of host memory that it may take: no more than helps (app/plan/stage_memory.hpp).
  std::size_t host_budget = std::numeric_limits<std::size_t>::max();

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

/// True if a result array lies in a scratch file while the run is under way.
bool lies_in_scratch(const PlannedStage& stage, const ArraySpec& array);
/// True if the choices of a stage, in plan.json, say that the CPU computes it beside the devices of the run.
bool is_on_cpu(const nlohmann::json& choices);
/// PlannedStage::host_budget by the choices of a stage in plan.json; of an earlier version, which has none, no bound.
std::size_t host_budget_in(const nlohmann::json& choices);
/// "cuda", "cpu": the back end that computes a stage of the plan.
std::string backend_of(const PlannedStage& stage, const RunPlan& plan);

/// A result array that is a dataset of the result file, with its spec: empty before the run if its length is found.
struct LargeDataset {
  std::size_t stage, array;
  io::DatasetSpec spec;
};
/// All of them, in order.
std::vector<LargeDataset> large_datasets(const RunPlan& plan);

/// A result array, by the numbers of its stage and of the array in that.
struct ResultArray {
  std::size_t stage, array;
};

}  // namespace terrace::run
