// A stage as the executor runs it: its blocks and their order, as pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "pipeline/run/access.hpp"
#include "pipeline/run/array.hpp"
#include "pipeline/run/phase.hpp"
#include "pipeline/run/tally.hpp"
#include "pipeline/run/worker.hpp"

namespace terrace::run {

/// The pure description of a stage: arrays, phases, blocks. Blocks are functions of their phase and index, so that
/// 10^9 of them cost no memory.
class Plan {
 public:
  virtual ~Plan() = default;

  virtual const std::vector<ArraySpec>& arrays() const = 0;

  /// The phase of that number; nullopt after the stage's last. Called once in a run, and not again for phases that
  /// an earlier attempt made and recorded.
  /// @param tally if the phase depends on results: all earlier blocks are folded into it; else not to be read
  virtual std::optional<Phase> phase(std::int64_t number, const Tally& tally) const = 0;
  /// Entries along the first axis of a result array that the stage makes, when it is at its end: the result holds no
  /// others. @param tally of the whole stage
  virtual std::int64_t entries(int array, const Tally&) const {
    const Extents& shape = arrays()[static_cast<std::size_t>(array)].shape;
    return shape.rank() > 0 ? shape[0] : 1;
  }
  /// The shape of a result array in the result.
  Extents made_shape(int array, const Tally& tally) const {
    Extents shape = arrays()[static_cast<std::size_t>(array)].shape;
    if (shape.rank() > 0) shape[0] = entries(array, tally);
    return shape;
  }
  /// True if phase `number` is made from the results of all blocks before it.
  virtual bool depends_on_results(std::int64_t number) const = 0;
  virtual Block block(const Phase& phase, std::int64_t index) const = 0;
  /// The name of the kind of work of the phase's blocks, if the stage has several: the profile lists them apart.
  /// "": one kind.
  virtual std::string part(const Phase&) const { return ""; }

  /// Devices among which the plan deals its blocks, of `available` ones.
  virtual int devices(int available) const { return available > 0 ? 1 : 0; }
  /// The parts that it deals, for people: "3 rows of tiles"; "": one device computes all blocks.
  virtual std::string dealt() const { return ""; }
  /// True if device() gives blocks to the host.
  virtual bool uses_host() const { return false; }
  /// A value of device(): the CPU computes the block, in host memory, also beside devices with memory of their own.
  static constexpr int host = -1;
  /// The device that computes the block, below devices(available), or `host`. No result depends on it.
  virtual int device(const Phase&, std::int64_t, int) const { return 0; }

  /// Bytes that a kernel receives of a block, and bytes that it reports.
  virtual std::size_t descriptor_bytes() const = 0;
  virtual std::size_t result_bytes() const = 0;
  /// Makes the worker that computes blocks on a device. The plan outlives it.
  virtual std::unique_ptr<Worker> make_worker(device::Context& context) const = 0;
};

}  // namespace terrace::run
