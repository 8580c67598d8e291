// The kind of a stage: its declaration, and the function that makes a stage from a step of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "kernels/device/context.hpp"
#include "kernels/launch/method.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/job/declaration.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/stage.hpp"

namespace terrace::stages {

class RoundedInputs;

/// The resources for which a stage is planned.
struct Resources {
  bool cuda = false;              // else the CPU
  int devices = 1;                // that the run opens: a plan may deal its blocks to them
  device::Limits device;          // of every device (they are of one kind)
  device::Limits cpu = {};        // of the CPU beside CUDA devices: plans may give blocks to the host
  std::size_t host_budget = 0;    // for blocks
  std::size_t input_memory = 0;   // of memory.host, memory of inputs: not a part of host_budget
  std::size_t window_memory = 0;  // also of memory.host: the window of the executor
  std::size_t device_budget = 0;  // on the CPU: memory that a block may work on
  std::size_t device_beside =
      0;  // of memory.device, what a stage needs beside its blocks: not a part of device_budget
  std::int64_t scratch_space = std::numeric_limits<std::int64_t>::max();  // bytes on disk for scratch arrays
  bool device_given = true;    // true if the job gives it; else it is host_budget, or the device's memory
  bool leaves_choice = false;  // the job lets the CPU compute in place of CUDA devices
  bool compiles = true;        // false: no kernel is compiled for the run
  bool to_run = true;          // else the job is only checked: large arrays are not read to choose by their values

  device::Backend backend() const { return cuda ? device::Backend::cuda : device::Backend::cpu; }
  /// The memory.host that leaves `blocks` bytes for blocks.
  std::size_t host_memory_for(std::size_t blocks) const;
};

/// The reason why only the CPU computes a step, with what to do.
struct CpuAlone {
  std::string parameter;  // that asks for it
  std::string why;
};

/// A step of a job, ready to be planned.
struct Request {
  const job::Stage& stage;
  /// An input of the job, or an array of an earlier stage, by its name in the job.
  std::function<std::shared_ptr<io::Source>(const std::string& name)> array;
  const Resources& resources;
  /// Choices of the attempt to resume; null: to be made.
  const nlohmann::json* choices = nullptr;
  /// Takes the arrays that are read as f32; null: losses are not recorded.
  RoundedInputs* rounded = nullptr;
  /// Watches what is read to make the stage, and what its plan reads again when the run has come to its end.
  Watch watch = nullptr;
};

struct VerifyRequest;
struct Checked;

/// StageKind::deals of stages all of whose plans do.
inline bool always_deals(const job::Stage&, const std::function<const io::Source*(const std::string&)>&) {
  return true;
}

struct StageKind {
  job::StageDeclaration declaration;
  /// @throws JobError if inputs do not fit (with places), or no plan fits the budgets (naming the least)
  std::function<std::unique_ptr<run::Stage>(const Request&)> make;
  /// Computes parts of a finished result again (verifier.hpp); null: no part of it can be.
  std::function<std::vector<Checked>(const VerifyRequest&)> verify = nullptr;
  /// The methods of all back ends that this program has.
  std::vector<run::StageMethod> (*methods)() = nullptr;
  /// The reason why only the CPU computes a step, if its settings ask for that, or what it reads; null: CUDA computes
  /// every step.
  std::optional<CpuAlone> (*cpu_alone)(const Request& request) = nullptr;
  /// True if the plan of a step deals blocks to several devices. @param input by its name in the job; null: it is
  /// none
  bool (*deals)(const job::Stage& stage, const std::function<const io::Source*(const std::string&)>& input) = nullptr;
  /// True if a step that reads little has little to do; a few times of jobs, for example, make a large table.
  bool small_by_inputs = false;
  /// True if results, where they are real numbers, depend on the tiles.
  bool cut_decides_bits = false;
};

/// `wavefront`: two-dimensional tables in which a cell needs its neighbours above and to the left.
StageKind wavefront_stage();
/// `recursive`: tables whose tiles are updated by other tiles of the same table, or of two more.
StageKind recursive_stage();
/// `query`: totals of tables of distances, distances and paths of pairs.
StageKind query_stage();
/// `stencil`: grids whose cells are made anew from their neighbourhood, step by step.
StageKind stencil_stage();
/// `dp_table`: tables of many dimensions in which a cell combines the cells where its steps lead.
StageKind dp_table_stage();
/// `nest`: recurrences that a job writes as loops and statements.
StageKind nest_stage();
/// `kernel_graph`: graphs of operators over images.
StageKind kernel_graph_stage();
/// `makespan`: schedules of jobs on identical machines, with a guarantee.
StageKind makespan_stage();

}  // namespace terrace::stages
