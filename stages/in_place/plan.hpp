// In-place sweeps as a plan of blocks.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/in_place/methods.hpp"
#include "kernels/in_place/task.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/dealing.hpp"

namespace terrace::stages {

/// The names of the tiles that a slab updates, as in in_place::InPlaceTask.
enum class InPlaceSlot { rows, above };

/// A phase is a pass: a chain of slabs (kernels/in_place/task.hpp), which continues over the passes. A slab is a tile
/// of the grid, which is updated in place: generation 0 is the input, and pass p turns generation 2p into 2p + 2.
/// Slab k makes generation 2p + 1 of tile k, whose last rows lack sweeps, and 2p + 2 of tile k - 1; the last slab
/// makes 2p + 2 of its own tile at once. If a slab is the whole grid, a pass makes one generation.
///
/// Slabs are dealt to several devices in parts of slabs that follow one another: while a device makes a pass over its
/// part, those behind it make earlier ones. At the end of a part the launch leaves what the next slab needs in the
/// tile, which goes to the next device and comes back through all sweeps of the pass.
class InPlacePlan : public run::Plan {
 public:
  /// @param why_not the reason why one device sweeps all
  InPlacePlan(const in_place::InPlaceMethod& method, in_place::InPlaceSpec spec, std::int64_t sweeps,
              std::shared_ptr<io::Source> grid, std::string why_not);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  int devices(int available) const override;
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override;
  std::size_t descriptor_bytes() const override { return sizeof(in_place::InPlaceTask); }
  std::size_t result_bytes() const override { return sizeof(in_place::InPlaceResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The method that computes it.
  const in_place::InPlaceMethod& method() const { return method_; }
  const in_place::InPlaceSpec& spec() const { return spec_; }
  std::int64_t sweeps() const { return sweeps_; }
  std::int64_t passes() const { return passes_; }
  /// Choices from which take_choices() makes the spec again.
  nlohmann::json choices() const;
  /// The descriptor of a slab of a pass, without the pointers of its accesses and the slab before it in its launch.
  in_place::InPlaceTask task_of(std::int64_t pass, std::int64_t slab) const;

 private:
  std::int64_t sweeps_of(std::int64_t pass) const;
  DealtParts parts() const { return {std::max<std::int64_t>(1, spec_.slabs()), spec_.parts}; }
  /// Generations that a pass makes of a tile.
  std::int64_t made_in_pass() const { return spec_.slabs() > 1 ? 2 : 1; }

  const in_place::InPlaceMethod& method_;
  in_place::InPlaceSpec spec_;
  std::int64_t sweeps_, passes_;
  std::string why_not_;
  std::vector<run::ArraySpec> arrays_;
};

/// Cuts the sweeps of a spec as an earlier plan has.
void take_choices(const nlohmann::json& choices, in_place::InPlaceSpec& spec);

}  // namespace terrace::stages
