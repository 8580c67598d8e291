#include "pipeline/run/executor/executor.hpp"

#include <immintrin.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::run {
namespace {

constexpr std::int64_t window_capacity = 8192;
constexpr int blocked_rounds = 100;  // of the loop, 2 ms each

std::vector<TileGrid> grids_of(const Plan& plan) {
  std::vector<TileGrid> grids;
  for (const ArraySpec& spec : plan.arrays()) grids.emplace_back(spec.shape, spec.tile);
  return grids;
}

/// True if the CPU computes blocks beside devices with memory of their own.
bool adds_host(const Plan& plan, const Environment& environment) {
  return plan.uses_host() && !environment.devices.front()->shares_host_memory();
}

/// The devices among which the plan deals its blocks: the first of the available ones; then the CPU that is added.
std::vector<device::Context*> devices_of(const Plan& plan, const Environment& environment) {
  const auto available = static_cast<int>(environment.devices.size());
  const bool adds = adds_host(plan, environment);
  const int used = std::clamp(plan.devices(available), adds ? 0 : 1, available);
  std::vector<device::Context*> devices(environment.devices.begin(), environment.devices.begin() + used);
  if (adds) devices.push_back(environment.host);
  return devices;
}

Dealing dealing_of(const Plan& plan, const Environment& environment) {
  const auto all = static_cast<int>(devices_of(plan, environment).size());
  return adds_host(plan, environment) ? Dealing{all - 1, all - 1} : Dealing{all, 0};
}

}  // namespace

Executor::Executor(std::int64_t stage, const Plan& plan, Tally& tally, std::vector<ArrayStorage> storage,
                   Environment& environment, const std::optional<Checkpoint>& restored)
    : stage_(stage),
      plan_(plan),
      tally_(tally),
      environment_(environment),
      grids_(grids_of(plan)),
      store_(plan.arrays(), grids_, std::move(storage)),
      residence_(store_, devices_of(plan, environment), environment.pools, completions_, *environment.profile),
      window_(plan, tally, grids_, versions_, dealing_of(plan, environment), window_capacity,
              environment.window_bytes),
      checkpoints_(stage, plan, tally, window_, versions_, store_, residence_, *environment.ledger, completions_),
      hold_cursors_(environment.pools.size()),
      unstored_(store_.slot_file_count()),
      stored_tiles_(plan.arrays().size()) {
  for (std::size_t file = 0; file < unstored_.size(); ++file) shares_slots_ |= store_.is_shared(file);
  residence_.on_read = [this](const Version& version, std::uint64_t checksum) {
    const ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(version.key.array)];
    if (comes_from_source(spec, version.key)) checkpoints_.note_input(version.key, checksum);
  };
  residence_.on_moved = [this](Version& version) { settle(version); };
  checkpoints_.on_unpinned = [this](const VersionKey& key) { settle_key(key); };
  checkpoints_.on_commit = [this] {
    last_checkpoint_end_ = environment_.profile->now();
    checkpoint_seconds_ = last_checkpoint_end_ - checkpoint_begin_;
    ++environment_.profile->stage().checkpoints;
    const bool slow = environment_.checkpoint_seconds > 0 && checkpoint_seconds_ > environment_.checkpoint_seconds;
    if (slow && environment_.slow_checkpoint)
      std::exchange(environment_.slow_checkpoint, nullptr)(checkpoint_seconds_);
  };
  for (device::Context* context : devices_of(plan, environment)) {
    // A CPU's launches take the times of their blocks from the run's own clock.
    const device::u64 zero = context->shares_host_memory() ? environment.profile->steady_zero() : 0;
    const auto index = static_cast<int>(devices_.size());
    const int number = context == environment.host ? environment.host_number : environment.first_device + index;
    Device& device = devices_.emplace_back(
        Device{context, location_of(*context, index), number, plan.make_worker(*context), {}, BlockClock(zero)});
    for (int i = 0; i < 2; ++i) device.launches.push_back(std::make_unique<LaunchHandle>(*context, plan, ring));
  }
  if (restored) restore(*restored);
  last_checkpoint_end_ = environment_.profile->now();
}

Executor::~Executor() {
  abandon();
  for (std::int64_t sequence = window_.frontier(); sequence < window_.end(); ++sequence) {
    BlockState& block = window_.at(sequence);
    for (Assembly& assembly : block.assemblies) {
      residence_.drop(assembly, devices_[static_cast<std::size_t>(block.device)].location);
    }
  }
  for (auto& [key, version] : versions_) residence_.drop_all(*version);
  for (Pool* pool : environment_.pools) {
    if (pool != nullptr) pool->thaw_all();
  }
}

/// Waits for all work in flight and ignores its results.
void Executor::abandon() noexcept {
  for (Device& device : devices_) {
    for (auto& launch : device.launches) launch->wait();
  }
  checkpoints_.abandon();
  residence_.abandon();
}

void Executor::restore(const Checkpoint& checkpoint) {
  tally_.load(checkpoint.folded);
  for (const auto& [key, tile] : checkpoint.tiles) {
    versions_.put_aside(key, tile);
    store_.hold_again(key, tile);
    if (tile.slot == home_slot && tile.filled >= grids_[static_cast<std::size_t>(key.array)].box(key.tile).volume()) {
      ++stored_tiles_[static_cast<std::size_t>(key.array)];
    }
  }
  checkpoints_.restore(checkpoint.tiles, checkpoint.inputs);
  window_.restore(checkpoint.phases, checkpoint.frontier, checkpoint.done, checkpoint.results);
  start_cursor_ = checkpoint.frontier;
  std::fill(hold_cursors_.begin(), hold_cursors_.end(), checkpoint.frontier);
  done_blocks_ = checkpoint_blocks_ = checkpoint.frontier + checkpoint.done.count();
  environment_.profile->stage().before = checkpoint.work;
}

void Executor::run() {
  try {
    report(false);
    run_blocks();
    finish();
    environment_.profile->log_blocks(true);
  } catch (...) {
    environment_.profile->log_blocks(true);
    abandon();
    if (residence_.first_failure()) std::rethrow_exception(residence_.first_failure());
    throw;
  }
}

void Executor::run_blocks() {
  while (!window_.finished() || !tally_.fault().empty()) {
    const bool moved = step();
    if (stopping_ && !anything_running() && !checkpoints_.active() && !checkpoint_wanted_) {
      if (const std::string fault = tally_.fault(); !fault.empty()) throw ComputeError(fault);
      throw Stopped("stopped at a checkpoint; the same command goes on from it");
    }
    wait(moved);
  }
}

bool Executor::step() {
  bool moved = completions_.drain();
  moved |= residence_.poll();
  moved |= take_results();
  window_.advance();
  if (!stopping_ && !tally_.fault().empty()) stop();
  window_.extend();
  for (const VersionKey& key : window_.doomed()) settle_key(key);
  checkpoints_.poll();
  const std::int64_t started = start_cursor_;
  if (!stopping_) {
    hold_blocks();
    start_blocks();
    if (moved || start_cursor_ != started) read_ahead();
  }
  for (const VersionKey& key : residence_.emptied()) emptied(key);
  manage_checkpoints();
  if (environment_.note_done && std::exchange(noted_blocks_, done_blocks_) != done_blocks_) {
    environment_.note_done({done_blocks_, window_.known_blocks(), work().operations});
  }
  if (environment_.note_memory) environment_.note_memory();
  environment_.profile->log_blocks(false);
  if (environment_.profile->now() - last_report_ > 0.2) report(false);
  return std::exchange(staged_, false) || moved || start_cursor_ != started;
}

StageProgress Executor::progress() {
  return {done_blocks_,      window_.known_blocks(),
          work().operations, environment_.profile->stage().before.operations,
          dirty_bytes(),     disk_rate()};
}

void Executor::report(bool ended) {
  last_report_ = environment_.profile->now();
  if (!environment_.report) return;
  StageProgress state = progress();
  state.ended = ended;
  environment_.report(state);
}

/// The work of all done blocks; operations that a running launch skipped may be of other blocks, too.
Work Executor::work() const {
  const StageRecord& stage = environment_.profile->stage();
  Work work{stage.before.operations + stage.operations, stage.before.skipped + stage.skipped};
  for (const Device& device : devices_) {
    for (const auto& launch : device.launches) {
      if (launch->active()) work.skipped += static_cast<double>(launch->skipped());
    }
  }
  return work;
}

/// Bytes of tiles that are only in memory, and must be written for a checkpoint.
std::int64_t Executor::dirty_bytes() {
  std::int64_t bytes = 0;
  for (const auto& [key, version] : versions_) {
    const bool handed_over = version->heir != nullptr;
    if (!version->dead && !handed_over && has_content(*version) && !version->on_disk()) {
      bytes += static_cast<std::int64_t>(version->bytes);
    }
  }
  return bytes;
}

/// True if work is in flight whose completion will wake this thread.
bool Executor::under_way() const {
  return running_blocks_ > 0 || residence_.under_way() || checkpoints_.syncing() || anything_ending();
}

/// Detects a standstill: calls unblock() if no work is in flight and nothing has happened for some rounds.
void Executor::watch(bool moved) {
  const std::int64_t reached =
      std::accumulate(hold_cursors_.begin(), hold_cursors_.end(), window_.frontier() + start_cursor_);
  if (moved || reached != watched_ || under_way()) {
    blocked_rounds_ = 0;
  } else if (++blocked_rounds_ == blocked_rounds) {
    blocked_rounds_ = 0;
    unblock();
  }
  watched_ = reached;
}

/// Frees memory: ends launches that only wait (their pools are frozen), and makes a checkpoint. @throws Error in the
/// end
void Executor::unblock() {
  if (++unblocked_ > 3) {
    throw Error("stage " + environment_.profile->stage().name + " cannot go on: " + what_blocks() +
                "; what is durable stays, and the same command with more memory (memory.host, memory.device) or "
                "scratch space goes on from it");
  }
  stop_launches();
  checkpoint_wanted_ = true;
}

/// The memory that a block needs and the memory that there is.
std::string Executor::room_for(const BlockState& block) const {
  const int location = location_of_block(block);
  std::set<const Version*> tiles;
  std::size_t bytes = 0, taken_from = 0;  // of tiles from which parts are assembled, one after another
  for (const TileUse& use : block.uses) {
    if (use.assembly >= 0 && location == 0) taken_from = std::max(taken_from, use.version->buffer);
    if (use.assembly < 0 && tiles.insert(&use.buffer()).second) bytes += use.version->buffer;
  }
  bytes += taken_from;
  for (const Assembly& assembly : block.assemblies) bytes += assembly.buffer();
  const std::size_t budget = environment_.pools[static_cast<std::size_t>(location)]->budget();
  return " finds no room in memory: its tiles take " + format_size(static_cast<double>(bytes)) +
         ", and all tiles may take " + format_size(static_cast<double>(budget)) + " of " +
         (location == 0 ? "memory.host" : "memory.device");
}

std::string Executor::what_blocks() {
  if (window_.finished()) return "a part of its result is neither written nor being written";
  if (start_cursor_ >= window_.end()) return "no block is left to start, and the stage is not at its end";
  const BlockState& block = window_.at(std::max(start_cursor_, window_.frontier()));
  const std::string name = "block " + std::to_string(block.index) + " of phase " + std::to_string(block.phase);
  if (block.step == BlockStep::registered) return name + room_for(block);
  if (block.unmet > 0) return name + " waits for " + std::to_string(block.unmet) + " blocks that do not end";
  if (!slots_admit(block)) return name + " finds no free slots in the scratch files";
  return name + " waits for tiles that do not come, or for a checkpoint that does not end";
}

void Executor::wait(bool moved) {
  watch(moved);
  if (moved) {
    idle_rounds_ = 0;
    return;
  }
  // Words and events must be polled; disks report their ends.
  const bool asked = running_blocks_ > 0 || residence_.copying() || anything_ending();
  // No sched_yield: Linux would run all other threads first, and busy threads of CPU kernels would keep this one
  // waiting for seconds.
  if (asked && ++idle_rounds_ < 50) {
    _mm_pause();
    return;
  }
  completions_.wait_for(std::chrono::microseconds(asked ? 50 : 2000));
}

}  // namespace terrace::run
