// One step of a run: its plan, its part of the result, its predicted cost, and how far it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/results/file.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/run/plan.hpp"
#include "pipeline/run/tally.hpp"

namespace terrace::run {

/// The predicted cost of a stage, for `terrace plan` and for comparison with the measured cost.
struct Prediction {
  std::int64_t blocks = 0;
  double operations = 0;                     // in the stage's unit
  bool leaves_out = false;                   // operations that cannot change the result are left out
  std::string unit;                          // "cell"
  double operations_per_second = 0;          // expected of the kernel
  double bytes_read = 0, bytes_written = 0;  // on disk
  double bytes_up = 0, bytes_down = 0;       // over the link
  bool link_waits = false;               // memory holds one block at a time: nothing is moved while it is computed
  double limit = 0;                      // the least of the ceilings, in operations a second
  std::string limit_kind;                // its name, as "operations", "look-ups", "device memory"; empty: none
  std::string block_shape;               // "1024 x 16569", or with more after a comma, for people
  std::size_t block_bytes = 0;           // of device memory for the largest block
  std::size_t workspace_bytes = 0;       // in addition to tiles: of the device, or of the host if it computes
  std::size_t host_workspace_bytes = 0;  // of the host where it computes blocks beside devices
};

/// The progress of a stage, for display.
struct StageProgress {
  std::int64_t done_blocks = 0, known_blocks = 0;
  double operations = 0;           // of the blocks that are done
  double restored_operations = 0;  // of these, of earlier attempts
  std::int64_t dirty_bytes = 0;    // in memory, to be written before a checkpoint is complete
  double disk_rate = 0;            // bytes a second expected for that: measured, or assumed at first
  bool ended = false;              // the stage is complete
};

/// A kernel that could compute a stage (kernels/launch/method.hpp), as people see it.
struct StageMethod {
  std::string name, help;
  std::string backend;     // "cpu", "cuda"
  std::string schedule;    // that a job names to have it; empty: none does
  bool automatic = true;   // taken where the job leaves the choice
  bool chosen = false;     // it computes the stage
  std::string unfit = {};  // why it does not compute the stage; empty: it does
  double per_second = 0;   // operations that are expected of it; 0: not known
};

/// One step of a job. Made from the job and either budgets or the choices of an earlier attempt.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual const Plan& plan() const = 0;
  /// Folded results of the plan's blocks.
  virtual Tally& tally() = 0;
  /// Path, dimensions and units of result array `array` of the plan in the result. Type and shape are the
  /// array's.
  virtual io::DatasetSpec dataset(int array) const = 0;
  /// Small datasets, made from the folded results.
  virtual std::vector<io::SmallDataset> small() const = 0;
  virtual std::vector<io::Attribute> attributes() const = 0;
  virtual Prediction prediction() const = 0;
  /// Of tables whose rows are those of some nodes alone: the node of each row, by its row in the names of the nodes
  /// that the stage reads. Null: rows are those of all nodes.
  virtual std::shared_ptr<const std::vector<std::int64_t>> sources() const { return nullptr; }
  /// The methods of the back end, with the one that computes the stage.
  virtual std::vector<StageMethod> methods() const { return {}; }
  /// Facts about the problem that are known before it is computed, a line each, the one that sums them up first:
  /// skews, dependences; none if nothing is known.
  virtual std::vector<std::string> analysis() const { return {}; }
  /// Operations of the whole problem, in the prediction's unit, if some may be left out or done again; 0: all are
  /// done once.
  virtual double whole() const { return 0; }
  /// Warnings about results that are correct but hardly intended: some known when planned, the rest after the run.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// Choices that the job leaves open: block shapes, types, schedule. They suffice to make the same plan again.
  virtual nlohmann::json choices() const = 0;
};

/// The name of the method that computes a stage; empty if it has none.
std::string method_of(const Stage& stage);

}  // namespace terrace::run
