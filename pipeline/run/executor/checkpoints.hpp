// Checkpoints: consistent cuts, written beside the computation.
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

/// Makes one cut at a time: fixes the set of done blocks, writes every tile that they changed since the last cut and
/// that is not on disk yet, syncs, and appends one record to the ledger. Slots that the last cut names stay untouched
/// until the next one is committed.
class Checkpoints {
 public:
  Checkpoints(std::int64_t stage, const Plan& plan, const Tally& tally, Window& window, Versions& versions,
              Store& store, Residence& mover, Ledger& ledger, Completions& completions);
  ~Checkpoints();

  /// What the last committed cut of an earlier attempt names, and what had been read of inputs.
  void restore(const StoredVersions& named, const InputChecksums& inputs);

  /// Says that the version's content or place has changed, or that it is gone.
  void touch(const VersionKey& key) { touched_.insert(key); }
  /// Takes in what a tile of an input was when it was read.
  /// @throws InputChanged, or IoError of what has no files, where an earlier read gave something else
  void note_input(const VersionKey& key, std::uint64_t checksum);

  bool active() const { return active_; }
  /// Whether the sync is under way, which will end by itself.
  bool syncing() const { return syncing_; }
  /// Whether the tiles of the cut in the making have all been written, so that only the sync is left.
  bool written() const { return to_write_.empty(); }
  /// Fixes the set of done blocks. No block that updates in place may be under way.
  /// @param complete the stage is done: only its folded results, what it read and its tiles at home are named
  /// @param work of the done blocks
  void begin(bool complete, const Work& work);
  /// Goes on with a cut in the making.
  void poll();
  /// What the last committed cut names.
  const StoredVersions& named() const { return named_; }
  /// Calls back no more; for the way out after an error.
  void abandon() noexcept {
    on_commit = nullptr;
    on_unpinned = nullptr;
  }
  /// Calls on the executor's thread when a cut has been committed.
  std::function<void()> on_commit;
  /// Called for versions that the cut no longer needs.
  std::function<void(const VersionKey&)> on_unpinned;

 private:
  bool is_home(const VersionKey& key) const;
  void name(const VersionKey& key);
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
  InputChecksums inputs_;      // of all that was read, by earlier attempts too
  InputChecksums new_inputs_;  // of these, what no cut has named yet
  StoredVersions named_;       // by the last committed cut; their slots are held
  Cut cut_;                    // in the making; the slots of its tiles are held
  std::unordered_set<VersionKey, VersionKeyHash> to_write_;
  std::unordered_set<VersionKey, VersionKeyHash> writing_;
  bool active_ = false;
  bool syncing_ = false;
  std::thread syncer_;
};

}  // namespace terrace::run
