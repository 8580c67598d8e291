// Runs one stage: holds memory for blocks in order, moves their tiles, starts them, takes their results.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "pipeline/run/executor/block_clock.hpp"
#include "pipeline/run/executor/checkpoints.hpp"
#include "pipeline/run/executor/completions.hpp"
#include "pipeline/run/executor/launch_handle.hpp"
#include "pipeline/run/executor/pool.hpp"
#include "pipeline/run/executor/residence.hpp"
#include "pipeline/run/executor/store.hpp"
#include "pipeline/run/executor/window.hpp"
#include "pipeline/run/ledger.hpp"
#include "pipeline/run/plan.hpp"
#include "pipeline/run/profile.hpp"
#include "pipeline/run/stage.hpp"

namespace terrace::run {

/// Shared by the stages of one run. All of it outlives the executor.
struct Environment {
  std::vector<device::Context*> devices;
  device::Context* host = nullptr;  // the CPU, for blocks that plans give to the host; null if a plan has none
  int host_number = 0;              // its number among the devices of the run, for the profile
  int first_device = 0;             // number of the first of them among the devices of the run, for the profile
  std::vector<Pool*> pools;         // host, then one of each of `devices` (null if it works in host memory)
  Profile* profile = nullptr;
  Ledger* ledger = nullptr;
  std::atomic<int>* stop = nullptr;      // not 0: stop at a checkpoint
  double checkpoint_seconds = 0;         // 0: as often as 5% of the time allows
  std::size_t window_bytes = 16u << 20;  // of host memory, for the window of the next blocks
  /// Notes the stage's progress, durable against a kill only; called after every change.
  std::function<void(const StageProgress&)> note_done;
  std::function<void(const StageProgress&)> report;
  std::function<void()> note_memory;  // notes what the pools hold; called after every step
  /// Called with the seconds of the first checkpoint that takes longer than `checkpoint_seconds`; may be null.
  std::function<void(double seconds)> slow_checkpoint;
};

class Executor {
 public:
  /// @param storage the disk side of every array of the plan
  /// @param restored the last checkpoint of this stage, if an earlier attempt made one
  Executor(std::int64_t stage, const Plan& plan, Tally& tally, std::vector<ArrayStorage> storage,
           Environment& environment, const std::optional<Checkpoint>& restored);
  ~Executor();

  /// Runs the stage to its end and commits it. @throws Stopped after the checkpoint of a requested stop,
  /// ComputeError, IoError, DeviceError
  void run();
  /// Checksums of the complete tiles at home; of all tiles after `run`.
  HomeChecksums home_checksums() const { return run::home_checksums(checkpoints_.named()); }
  const InputChecksums& input_checksums() const { return checkpoints_.inputs(); }

 private:
  static constexpr std::int64_t ring = 2048;  // blocks of one launch between ready and done

  struct Device {
    device::Context* context;
    int location;
    int number;  // among the devices of the run, for the profile
    std::unique_ptr<Worker> worker;
    std::vector<std::unique_ptr<LaunchHandle>> launches;
    BlockClock clock;
    std::int64_t begun = 0;  // launches so far
  };

  void restore(const Checkpoint& checkpoint);
  void run_blocks();
  void abandon() noexcept;
  bool step();
  void wait(bool moved);
  bool under_way() const;
  void watch(bool moved);
  void unblock();
  std::string what_blocks();
  std::string room_for(const BlockState& block) const;
  StageProgress progress();
  void report(bool ended);
  Work work() const;

  // Memory, in the order of blocks.
  void hold_blocks();
  void hold_blocks_at(int location);
  bool holds_up_devices(const BlockState& block) const;
  int location_of_block(const BlockState& block) const;
  std::int64_t& hold_cursor(int device);
  std::int64_t least_held() const;
  bool hold(BlockState& block);
  bool hold_assemblies(BlockState& block, int location);
  bool old_generations_gone(const BlockState& block);
  bool contents_there(BlockState& block);
  bool content_there(BlockState& block, TileUse& use, int location);
  void count_memory(const BlockState& block, std::int64_t& blocks, std::size_t& bytes) const;
  void read_ahead();

  // Starting and ending.
  void start_blocks();
  void start_on(int device);
  void start_chain(int device, LaunchHandle& launch, BlockState& block);
  void start_blocks_of(int device, LaunchHandle& launch, std::int64_t sequence);
  std::int64_t first_startable(int device);
  std::vector<LaunchHandle*> active_launches(Device& device) const;
  void stop_launches();
  /// The next block of a chain on its device, or the first unregistered block, or the chain's end.
  std::int64_t next_of(int device, const LaunchHandle& launch);
  void feed_chain(int device, LaunchHandle& launch);
  void end_if_starved(int device, LaunchHandle& launch);
  bool keeps_last(const LaunchHandle& launch);
  int launches_that_keep_their_last();
  bool startable(BlockState& block);
  bool slots_admit(const BlockState& block);
  void add_slots(const BlockState& block, std::vector<std::int64_t>& needed) const;
  void add_shared_slots(const BlockState& block, std::vector<std::int64_t>& needed) const;
  bool needs_slot(const TileUse& use) const;
  void count_slots(const Version& version, bool more);
  void count(Version& version);
  void uncount_if_stored(Version& version);
  void rewind(BlockState& block);
  void let_go(Version& version, std::int64_t sequence);
  BlockView start(BlockState& block);
  TileView view_of(const BlockState& block, const TileUse& use, int location) const;
  std::map<std::size_t, std::size_t> buffers_to_stage() const;
  bool stage_buffers();
  void stage_updates(const Device& device, const BlockState& block);
  void freeze(int device, bool frozen);
  bool take_results();
  bool take_results(Device& device);
  void end_launch(LaunchHandle& launch);
  void complete(BlockState& block, const LaunchHandle::Done& done);
  void release_uses(BlockState& block);
  void record(const BlockState& block, const LaunchHandle::Done& done);
  void settle(Version& version);
  void settle_key(const VersionKey& key);
  void emptied(const VersionKey& key);
  bool over(const Version& version) const;
  void retire(Version& version);

  // Checkpoints.
  void manage_checkpoints();
  void end_update_chains();
  bool checkpoint_is_due(double now);
  bool slots_for_checkpoint();
  double disk_rate();
  std::int64_t dirty_bytes();
  bool updates_running() const;
  void stop();
  bool anything_running() const;
  bool anything_ending() const;
  void finish();

  std::int64_t stage_;
  const Plan& plan_;
  Tally& tally_;
  Environment& environment_;
  std::vector<TileGrid> grids_;
  Completions completions_;
  Versions versions_;
  Store store_;
  Residence residence_;
  Window window_;
  Checkpoints checkpoints_;
  std::vector<Device> devices_;

  std::int64_t start_cursor_ = 0;                   // blocks before it have been started
  std::vector<std::int64_t> hold_cursors_;          // of each location: blocks before it hold their buffers there
  std::int64_t read_cursor_ = 0;                    // blocks before it have their inputs in memory, or in flight
  std::multimap<std::int64_t, std::size_t> early_;  // bytes read ahead for blocks that do not hold their buffers yet
  std::size_t early_bytes_ = 0;
  std::map<std::size_t, std::size_t> to_stage_;  // host buffers that a launch waits for, by size
  bool staged_ = false;                          // some of these were allocated in this step
  // By file of slots: those that versions will take, as these are written or being written, and not on disk.
  std::vector<std::int64_t> unstored_;
  bool shares_slots_ = false;                                                // some arrays
  std::int64_t done_blocks_ = 0, noted_blocks_ = 0, checkpoint_blocks_ = 0;  // all, noted, in the last checkpoint
  int running_blocks_ = 0, running_updates_ = 0;
  bool checkpoint_wanted_ = false;
  bool checkpoint_lacks_slots_ = false;  // until writes that are under way have ended
  bool stopping_ = false;
  int fruitless_checkpoints_ = 0;
  double last_checkpoint_end_ = 0, checkpoint_begin_ = 0, checkpoint_seconds_ = 0, last_report_ = 0;
  double next_look_ = 0;                    // time of the next check whether a checkpoint is due
  std::vector<std::int64_t> stored_tiles_;  // result tiles at home, of each array
  int idle_rounds_ = 0;
  int blocked_rounds_ = 0, unblocked_ = 0;
  std::int64_t watched_ = 0;  // grows with every block that is held, started or folded
};

}  // namespace terrace::run
