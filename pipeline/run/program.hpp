// What a stage tells the executor: phases, blocks with their accesses, and how to compute them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/launch/port.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/run/array.hpp"

namespace terrace::run {

enum class Mode {
  read,    // reads the box of that generation
  write,   // makes the box of that generation; several blocks may each write a part of a tile, the parts disjoint
  update,  // turns whole tiles of generation g into g + 1 in place; `generation` is g
};

/// One access of a block: a box of one generation of an array of the stage.
struct Access {
  int array = 0;
  std::int64_t generation = 0;
  Box box;
  Mode mode = Mode::read;
};

/// The unit of work.
struct Block {
  std::vector<Access> accesses;
  double operations = 0;  // in the unit that the stage's rate counts: cells, relaxations, ...
};

/// A number of blocks, in an order that would be right if they ran one after another.
struct Phase {
  std::int64_t count = 0;
  /// Consecutive blocks hand a state on inside one launch: what a block reads and an earlier block of the same chain
  /// writes is ordered by the launch itself.
  bool chain = false;
  /// The phase was made from the results of the earlier ones, which must be complete before it is asked for.
  bool after_results = false;
  /// Whatever else the stage needs to make the phase's blocks; recorded with the phase.
  std::string data = {};
};

/// A part of a tile as a block sees it, in memory of the device that computes the block.
struct TileView {
  Box box;                    // the part
  std::byte* data = nullptr;  // its first element
  Extents strides;            // in elements, of the tile
};

/// One access as the block sees it: the tiles that its box touches, in the order of tiles.
struct AccessView {
  std::vector<TileView> tiles;
};

struct BlockView {
  std::int64_t index = 0;
  std::vector<AccessView> accesses;  // in the order of Block::accesses
};

/// A stage as the executor runs it. All members are called from one thread, but `run`, which may be called from
/// another while the others are called too. `phase`, `block` and `describe` are pure functions of the plan, the
/// phases made so far and, for phases that say so, the folded results.
class Program {
 public:
  virtual ~Program() = default;

  virtual const std::vector<ArraySpec>& arrays() const = 0;

  /// Makes the phase of that number; nothing when the stage has no more. Asked for once in a run, and not again for
  /// phases that an earlier attempt made and recorded.
  virtual std::optional<Phase> phase(std::int64_t number) = 0;
  /// Whether phase `number` can only be made when all earlier blocks are done and folded.
  virtual bool needs_results(std::int64_t number) const = 0;
  virtual Block block(const Phase& phase, std::int64_t number, std::int64_t index) const = 0;
  /// What blocks of the phase are for, where a stage does several things: the profile tells them apart. "": nothing
  /// to tell.
  virtual std::string part(const Phase&) const { return ""; }
  /// The device (index in the run's list) that computes the block.
  virtual int device(std::int64_t, std::int64_t) const { return 0; }

  /// Called once before the first block, for every device: workspace, handles.
  virtual void open(device::Context&, int) {}
  virtual std::size_t descriptor_bytes() const = 0;
  virtual std::size_t result_bytes() const = 0;
  /// Writes the descriptor that kernels read. Called when the block's inputs are there and its outputs are free.
  virtual void describe(const Phase& phase, const BlockView& view, void* descriptor) const = 0;
  /// Computes the blocks of `port`; called on the context's compute queue (see device::Context::submit). Of a phase
  /// that is no chain all of them are ready, and their descriptors written, before the call.
  /// @param attempt 0, or how often this block has failed its checks
  virtual void run(const Phase& phase, std::int64_t number, const device::Port& port, int attempt,
                   device::Context& context, int device) = 0;
  /// A block did not pass its own checks; tiles that it was to update are as they were. Returns when it can be
  /// repeated (with attempt + 1).
  /// @throws ComputeError when it cannot
  virtual void failed(const Phase& phase, std::int64_t number, std::int64_t index, int attempt) = 0;

  /// Takes in a block's result; called in the order of blocks.
  virtual void fold(const Phase& phase, std::int64_t number, std::int64_t index, const void* result) = 0;
  /// What has been folded so far, and its way back after a stop.
  virtual std::string save() const = 0;
  virtual void load(const std::string& state) = 0;
};

}  // namespace terrace::run
