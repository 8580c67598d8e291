#include "pipeline/app/plan/stage_memory.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/run/expected_time.hpp"
#include "pipeline/run/run_plan.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;
using stages::Resources;

constexpr double least_bytes = 192 << 20;  // of a smaller budget: less saves hardly anything, and slabs get low
constexpr int most_halvings = 5;
/// Share of computing that another cut than the whole one may cost. H100, star2d of radius 1 in f32: 3.6 T cells/s in
/// slabs with an eighth of the grid in memory, 4.4 T with all of it; on two threads of an EPYC heat3d took 3 to 15%
/// more.
constexpr double cut_costs = 0.15;
constexpr double same_bytes = 1.01;
constexpr double worth = 0.95;  // of the time with all of the budgets: a smaller one is taken for that

/// Smaller budgets than `budget`, halves of what a stage can use.
std::vector<std::size_t> smaller_budgets(double useful, std::size_t budget) {
  std::vector<std::size_t> all;
  for (int n = 0; n < most_halvings; ++n) {
    useful /= 2;
    if (useful >= least_bytes && useful < static_cast<double>(budget))
      all.push_back(static_cast<std::size_t>(useful));
  }
  return all;
}

/// Looks for the plan that takes the least time.
class Search {
 public:
  Search(std::unique_ptr<run::Stage> whole, const Resources& resources, bool fixed, const StageMaker& make)
      : resources_(resources), make_(make) {
    whole_ = whole->choices();
    fixed_ = fixed;
    best_.stage = std::move(whole);
    best_.host_budget = resources.host_budget;
    device_ = resources.device_budget;
    least_ = worth * run::predicted_seconds(best_);
    most_moved_ = same_bytes * moved_of_disk(*best_.stage);
  }

  StageInMemory run() {
    const double useful = run::memory_of_all(*best_.stage);
    const run::Prediction p = best_.stage->prediction();
    std::vector<std::size_t> devices = {resources_.device_budget};
    if (resources_.cuda) {
      for (const std::size_t budget :
           smaller_budgets(static_cast<double>(p.block_bytes + p.workspace_bytes), resources_.device_budget)) {
        devices.push_back(budget);
      }
    }
    for (std::size_t n = 1; n < devices.size(); ++n) try_cut(resources_.host_budget, devices[n]);
    // Budgets of the host beside all of the device's memory, and beside the part of it that is best: each plan takes
    // its time.
    const std::vector<std::size_t> hosts = smaller_budgets(useful, resources_.host_budget);
    const std::size_t best_device = device_;
    try_all(hosts, devices.front());
    if (best_device != devices.front()) try_all(hosts, best_device);
    return {std::move(best_.stage), best_.host_budget};
  }

 private:
  /// Plans for budgets of the host, the largest first, as far as they hold a block.
  void try_all(const std::vector<std::size_t>& hosts, std::size_t device) {
    for (const std::size_t host : hosts) {
      if (!try_cut(host, device)) return;
    }
  }

  /// Plans for budgets, with the cut that they give. @return false if they hold no block
  bool try_cut(std::size_t host, std::size_t device) {
    Resources cut = resources_;
    cut.host_budget = host;
    cut.device_budget = resources_.cuda ? device : std::min(device, host);
    std::unique_ptr<run::Stage> stage;
    try {
      stage = make_(cut, nullptr);
    } catch (const JobError&) {
      return false;
    }
    const Json choices = stage->choices();
    if (fixed_ && choices != whole_) return true;
    const auto all = static_cast<std::size_t>(run::memory_of_all(*stage));
    // A device's memory costs nothing: what fits it may stay there.
    if (cut.device_budget != resources_.device_budget) stage = with(choices, host);
    if (consider(std::move(stage), host)) device_ = device;
    const std::size_t more = std::min(all, resources_.host_budget);
    if (more > host && consider(with(choices, more), more)) device_ = device;
    return true;
  }

  std::unique_ptr<run::Stage> with(const Json& choices, std::size_t host) {
    Resources resources = resources_;
    resources.host_budget = host;
    if (!resources_.cuda) resources.device_budget = std::min(resources.device_budget, host);
    return make_(resources, &choices);
  }

  static double moved_of_disk(const run::Stage& stage) {
    const run::Prediction p = stage.prediction();
    return p.bytes_read + p.bytes_written;
  }

  /// Takes the plan if it ends sooner than the best so far; true if so. What memory can hold is not moved to a disk
  /// and back, even if computing hides that: others use the disk, too.
  bool consider(std::unique_ptr<run::Stage> stage, std::size_t host_budget) {
    if (moved_of_disk(*stage) > most_moved_) return false;
    run::PlannedStage planned;
    planned.stage = std::move(stage);
    planned.host_budget = host_budget;
    const bool is_cut = planned.stage->choices() != whole_;
    const double seconds =
        run::predicted_seconds(planned) + (is_cut ? cut_costs * run::predicted_times(planned).compute : 0);
    if (seconds >= least_) return false;
    least_ = seconds;
    best_ = std::move(planned);
    return true;
  }

  const Resources& resources_;
  const StageMaker& make_;
  Json whole_;  // choices of the stage with all of the budgets
  bool fixed_;
  run::PlannedStage best_;
  std::size_t device_ = 0;  // budget of a device, of the best plan
  double least_, most_moved_;
};

}  // namespace

StageInMemory in_best_memory(std::unique_ptr<run::Stage> whole, const Resources& resources, bool fixed,
                             const StageMaker& make) {
  return Search(std::move(whole), resources, fixed, make).run();
}

}  // namespace terrace::app
