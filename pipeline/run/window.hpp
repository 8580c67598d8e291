// The next few thousand blocks of a stage: who waits for whom, and which tiles are needed next.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/run/intervals.hpp"
#include "pipeline/run/program.hpp"
#include "pipeline/run/version.hpp"

namespace terrace::run {

/// What a block does with one tile.
struct TileUse {
  Version* version = nullptr;  // read or written; for an update the generation that comes to be
  Version* source = nullptr;   // update: the generation that it is made from
  int access = 0;
  Mode mode = Mode::read;
  bool held = false;  // counted among the holders of its copy
  Box part;

  /// Where its buffer is: an update works in that of the generation before it until it starts.
  Version& buffer() const { return source != nullptr && version->awaited ? *source : *version; }
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
  int unmet = 0;  // blocks that must end before this one may start
  double operations = 0;
  std::vector<std::int64_t> dependents;
  std::vector<TileUse> uses;
  std::string result;  // of a block that is done but not yet folded
  double ready_seconds = 0, start_seconds = 0, end_seconds = 0;
};

struct PhaseState {
  std::int64_t number = 0;
  std::int64_t first_sequence = 0;
  Phase phase;
};

/// Registers blocks in order and derives what waits for what from their accesses.
class Window {
 public:
  /// @param grids how each array of the program is cut
  /// @param locations copies that a version may have (host and devices)
  /// @param capacity most blocks at a time
  Window(Program& program, const std::vector<TileGrid>& grids, Versions& versions, int locations,
         std::int64_t capacity);

  /// Goes on where a cut left off: phases that are under way, blocks from `frontier` on that are done, their results.
  void restore(std::vector<PhaseState> phases, std::int64_t frontier, const Intervals& done,
               std::map<std::int64_t, std::string> results);

  /// Registers blocks as far as capacity and known phases go. @throws Error on accesses that contradict each other,
  /// and where one chain, or the writing of one tile, is dealt to several devices, which nothing carries over
  void extend();
  /// Ends a block: frees its dependents and its marks on tiles. The block stays until `advance`.
  void complete(BlockState& block, std::string result);
  /// Folds and drops finished blocks at the front.
  void advance();

  /// Versions that nobody will read any more, since the last call.
  std::vector<VersionKey> doomed() { return std::exchange(doomed_, {}); }

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
  std::int64_t known_blocks() const { return phases_.empty() ? frontier_ : end_of(phases_.back()); }
  /// Whether every block of the stage has been registered.
  bool end_is_known() const { return ended_ && end() == known_blocks(); }

 private:
  static std::int64_t end_of(const PhaseState& phase) { return phase.first_sequence + phase.phase.count; }
  bool make_next_phase();
  void register_block(const PhaseState& phase, std::int64_t sequence);
  void refuse_other_device(const BlockState& block, const PhaseState& phase) const;
  void register_use(BlockState& block, const PhaseState& phase, int access_number, const Access& access,
                    std::int64_t tile, const Box& part);
  void depend(BlockState& block, const PendingUse& use);
  Version* look_up(const VersionKey& key);
  Version& obtain(const VersionKey& key, bool create, const BlockState& block);
  void add_part(Version& version, const Box& part);
  Version& make(const VersionKey& key, const StoredVersion& stored);

  Program& program_;
  const std::vector<TileGrid>& grids_;
  Versions& versions_;
  int locations_;
  std::int64_t capacity_;
  std::deque<PhaseState> phases_;  // those with blocks that are not folded yet
  std::int64_t phases_made_ = 0;
  bool ended_ = false;
  std::int64_t frontier_ = 0;
  std::deque<BlockState> blocks_;
  std::vector<VersionKey> doomed_;
  Intervals done_before_;  // by an earlier attempt
  std::map<std::int64_t, std::string> results_before_;
};

}  // namespace terrace::run
