// The next few thousand blocks of a stage, with their dependences and the next uses of tiles.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/run/executor/version.hpp"
#include "pipeline/run/intervals.hpp"
#include "pipeline/run/plan.hpp"

namespace terrace::run {

/// The use of one tile by a block.
struct TileUse {
  Version* version = nullptr;  // read or written; for an update the generation that it makes
  Version* source = nullptr;   // update: the generation that it is made from
  int access = 0;
  int assembly = -1;  // index in its block, if the access is contiguous
  Mode mode = Mode::read;
  bool held = false;   // counted among the holders of its copy
  bool taken = false;  // its part is in the assembly
  Box part;

  /// The version that has its buffer: for an update that has not started, the generation before.
  Version& buffer() const { return source != nullptr && version->awaited ? *source : *version; }
};

/// The buffer of a contiguous access in memory of the block's device, and its filled parts.
struct Assembly {
  Box box;
  std::size_t element = 0;    // bytes
  std::byte* data = nullptr;  // row-major, tightly packed; null: no memory yet
  Parts there;                // the parts of the box that it holds
  int incoming = 0;           // transfers into it in flight

  /// Bytes of its buffer.
  std::size_t buffer() const;
};

enum class BlockStep { registered, held, started, done };

/// A block in the window. `sequence` counts blocks over all phases of the stage.
struct BlockState {
  std::int64_t sequence = 0;
  std::int64_t phase = 0;
  std::int64_t index = 0;
  int device = 0;
  BlockStep step = BlockStep::registered;
  int attempt = 0;
  int unmet = 0;           // blocks that must end, or begin earlier in its launch, before this one may start
  bool in_launch = false;  // its launch orders those of its dependents that may be in the launch, too
  double operations = 0;
  std::vector<std::int64_t> dependents;
  std::vector<std::int64_t> dependents_on_end;  // even in its launch: the host assembles their reads
  std::vector<TileUse> uses;
  std::vector<Slot> slots;  // of its accesses
  std::vector<Assembly> assemblies;
  std::string result;     // of a done block that is not folded yet
  std::size_t bytes = 0;  // of memory, when it was registered
  double start_seconds = 0, end_seconds = 0;
};

struct PhaseState {
  std::int64_t first_sequence = 0;
  Phase phase;

  std::int64_t end() const { return first_sequence + phase.count; }
};

/// The devices of a plan's blocks.
struct Dealing {
  int devices = 1;  // among which blocks are dealt
  int host = 0;     // number of the device that computes the host's blocks: one of these, or the next one
};

/// Registers blocks in order and derives their dependences from their accesses.
class Window {
 public:
  /// @param grids the tiles of each array of the plan
  /// @param capacity most blocks at a time
  /// @param bytes most memory for them; some blocks are registered in any case
  Window(const Plan& plan, Tally& tally, const std::vector<TileGrid>& grids, Versions& versions, Dealing dealing,
         std::int64_t capacity, std::size_t bytes = std::numeric_limits<std::size_t>::max());

  /// Resumes at a checkpoint: phases under way, blocks from `frontier` on that are done, their results.
  void restore(std::vector<PhaseState> phases, std::int64_t frontier, const Intervals& done,
               std::map<std::int64_t, std::string> results);

  /// Registers blocks up to the capacity or the end of the known phases. @throws Error on accesses that contradict
  /// each other
  void extend();
  /// Marks a started block whose launch orders its dependents: those of its phase and device need not wait for it.
  void begin_in_launch(BlockState& block);
  /// Removes the mark: the block was not begun.
  void withdraw_from_launch(BlockState& block);
  /// Ends a block: frees its dependents and its uses of tiles. The block stays until `advance`.
  void complete(BlockState& block, std::string result);
  /// Folds and drops finished blocks at the front.
  void advance();

  /// Versions since the last call that nobody will read any more.
  std::vector<VersionKey> doomed() { return std::exchange(doomed_, {}); }

  /// Bytes of memory that its blocks take.
  std::size_t bytes() const { return bytes_; }
  bool finished() const { return ended_ && blocks_.empty(); }
  std::int64_t frontier() const { return frontier_; }
  std::int64_t end() const { return frontier_ + static_cast<std::int64_t>(blocks_.size()); }
  BlockState& at(std::int64_t sequence) { return blocks_[static_cast<std::size_t>(sequence - frontier_)]; }
  const PhaseState& phase(std::int64_t number) const;
  const std::deque<PhaseState>& phases() const { return phases_; }
  /// Blocks beyond the frontier that are done.
  Intervals done() const;
  /// Their results.
  std::map<std::int64_t, std::string> results() const;
  /// Blocks of the phases made so far.
  std::int64_t known_blocks() const { return phases_.empty() ? frontier_ : phases_.back().end(); }
  /// True if every block of the stage has been registered.
  bool end_is_known() const { return ended_ && end() == known_blocks(); }

 private:
  bool make_next_phase();
  void register_block(const PhaseState& phase, std::int64_t sequence);
  void register_access(BlockState& block, const PhaseState& phase, const Access& access);
  void register_use(BlockState& block, const PhaseState& phase, const Access& access, std::int64_t tile,
                    const Box& part);
  void register_last_uses(const BlockState& block, const Block& declared);
  void register_write(BlockState& block, const Access& access, std::int64_t tile, TileUse& use);
  bool shares_launch(const BlockState& block, const BlockState& earlier) const;
  void depend(BlockState& block, const PendingUse& use, bool on_end = false);
  Version* look_up(const VersionKey& key);
  Version& obtain(const VersionKey& key, bool create, const BlockState& block);
  void add_part(Version& version, const Box& part);
  Version& make(const VersionKey& key, const StoredVersion& stored);

  const Plan& plan_;
  Tally& tally_;
  const std::vector<TileGrid>& grids_;
  Versions& versions_;
  Dealing dealing_;
  std::int64_t capacity_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;           // of the blocks, of their marks on tiles, and of versions that they named first
  std::size_t versions_bytes_ = 0;  // of all versions made so far
  std::deque<PhaseState> phases_;   // those with blocks that are not folded yet
  std::int64_t phases_made_ = 0;
  bool ended_ = false;
  std::int64_t frontier_ = 0;
  std::deque<BlockState> blocks_;
  std::vector<VersionKey> doomed_;
  Intervals done_before_;  // by an earlier attempt
  std::map<std::int64_t, std::string> results_before_;
};

}  // namespace terrace::run
