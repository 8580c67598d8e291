// Checkpoints: consistent checkpoints, written in parallel with the computation.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <unordered_set>
#include <vector>

#include "pipeline/run/executor/completions.hpp"
#include "pipeline/run/executor/residence.hpp"
#include "pipeline/run/executor/store.hpp"
#include "pipeline/run/executor/version.hpp"
#include "pipeline/run/executor/window.hpp"
#include "pipeline/run/ledger.hpp"

namespace terrace::run {

/// Makes one checkpoint at a time: fixes the set of done blocks, writes every tile that they changed since the last
/// checkpoint and that is only in memory, syncs, and appends one record to the ledger. Slots that the last checkpoint
/// names stay untouched until the next one is committed.
class Checkpoints {
 public:
  Checkpoints(std::int64_t stage, const Plan& plan, const Tally& tally, Window& window, Versions& versions,
              Store& store, Residence& mover, Ledger& ledger, Completions& completions);
  ~Checkpoints();

  /// Takes over the tiles that the last checkpoint of an earlier attempt names, and the checksums of inputs read so
  /// far.
  void restore(const StoredVersions& named, const InputChecksums& inputs);
  /// Checksums of all tiles of inputs that were read, also by earlier attempts.
  const InputChecksums& inputs() const { return inputs_; }

  /// Marks a version whose content or place has changed, or that is gone.
  void touch(const VersionKey& key) { touched_.insert(key); }
  /// Records the checksum of a tile of an input that was read.
  /// @throws InputChanged if an earlier read gave another checksum; IoError then, if the input has no files
  void note_input(const VersionKey& key, std::uint64_t checksum);

  bool active() const { return active_; }
  /// True while the sync is in flight, which will end by itself.
  bool syncing() const { return syncing_; }
  /// True if all tiles of the checkpoint in the making have been written, so that only the sync is left.
  bool written() const { return to_write_.empty(); }
  /// Fixes the set of done blocks. No block that updates in place may be running.
  /// @param complete the stage is done: only its folded results, input checksums and tiles at home are named
  /// @param work of the done blocks
  void begin(bool complete, const Work& work);
  /// Continues the checkpoint in the making.
  void poll();
  /// The tiles that the last committed checkpoint names.
  const StoredVersions& named() const { return named_; }
  /// Stops calling back, for the cleanup after an error.
  void abandon() noexcept {
    on_commit = nullptr;
    on_unpinned = nullptr;
  }
  /// Called on the executor's thread when a checkpoint has been committed.
  std::function<void()> on_commit;
  /// Called for versions that the checkpoint no longer needs.
  std::function<void(const VersionKey&)> on_unpinned;

 private:
  bool is_home(const VersionKey& key) const;
  void name(const VersionKey& key);
  void cut(int array, const Extents& made);
  void commit();

  std::int64_t stage_;
  const Plan& plan_;
  const Tally& tally_;
  Window& window_;
  Versions& versions_;
  Store& store_;
  Residence& residence_;
  Ledger& ledger_;
  Completions& completions_;
  std::unordered_set<VersionKey, VersionKeyHash> touched_;
  InputChecksums inputs_;      // of all tiles read, also by earlier attempts
  InputChecksums new_inputs_;  // of these, not yet in any checkpoint
  StoredVersions named_;       // by the last committed checkpoint; their slots are held
  Checkpoint checkpoint_;      // in the making; the slots of its tiles are held
  std::unordered_set<VersionKey, VersionKeyHash> to_write_;
  std::unordered_set<VersionKey, VersionKeyHash> writing_;
  bool active_ = false;
  bool syncing_ = false;
  std::thread syncer_;
};

}  // namespace terrace::run
