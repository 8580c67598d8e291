// One step of a run: its plan, what it leaves in the result, and what it is expected to cost.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/results/file.hpp"
#include "pipeline/run/plan.hpp"
#include "pipeline/run/tally.hpp"

namespace terrace::run {

/// What a stage is expected to do, for plans and for comparison with what was measured.
struct Prediction {
  std::int64_t blocks = 0;
  double operations = 0;                     // in the stage's unit
  bool leaves_out = false;                   // those that turn out not to change the result are left out
  std::string unit;                          // "cell"
  double operations_per_second = 0;          // expected of the kernel
  double bytes_read = 0, bytes_written = 0;  // on disk
  double bytes_up = 0, bytes_down = 0;       // over the link
  double limit = 0;                          // the least of the ceilings, in operations a second
  std::string limit_kind;           // what sets it: "operations", "device memory", "disk", "link", "critical path"
  std::string block_shape;          // "1024 x 16569", for people
  std::size_t block_bytes = 0;      // what the largest block holds in device memory
  std::size_t workspace_bytes = 0;  // memory beside the tiles: the device's, or the host's where it computes
};

/// What makes one step of a job run. Made from the job and either budgets or the choices of an earlier attempt.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual const Plan& plan() const = 0;
  /// Folded results of the plan's blocks.
  virtual Tally& tally() = 0;
  /// How result array `array` of the plan appears in the result: path, dimensions, units. Type and shape are the
  /// array's.
  virtual io::DatasetSpec dataset(int array) const = 0;
  /// Everything small, from the folded results.
  virtual std::vector<io::SmallDataset> small() const = 0;
  virtual std::vector<io::Attribute> attributes() const = 0;
  virtual Prediction prediction() const = 0;
  /// Operations of the whole problem, in the prediction's unit, where some may be left out or done again; 0: all are
  /// done once.
  virtual double whole() const { return 0; }
  /// What is right but hardly meant, as far as it is known: some of it from the plan on, the rest after the run.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// What was chosen that the job does not say: block shapes, types, schedule. Enough to make the same plan again.
  virtual nlohmann::json choices() const = 0;
};

}  // namespace terrace::run
