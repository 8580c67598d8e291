#include "pipeline/run/executor.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::run {
namespace {

constexpr std::int64_t window_capacity = 8192;
constexpr std::int64_t ring = 2048;  // blocks of one launch between ready and done
constexpr std::int64_t ahead = 8;    // blocks that hold memory before they can start, at least
constexpr std::size_t ahead_bytes = 256u << 20;
constexpr std::size_t most_staged = 8;  // tiles of an array on their way between device and disk
constexpr int blocked_rounds = 100;     // of the loop, 2 ms each

std::vector<TileGrid> grids_of(const Program& program) {
  std::vector<TileGrid> grids;
  for (const ArraySpec& spec : program.arrays()) grids.emplace_back(spec.shape, spec.tile);
  return grids;
}

Copy& copy_at(Version& version, int location) { return version.copies[static_cast<std::size_t>(location)]; }

/// Whether a copy from or into the version is under way, beside what one block holds.
bool moving(const Version& version) {
  int holders = 0;
  for (const Copy& copy : version.copies) {
    if (copy.incoming) return true;
    holders += copy.holders;
  }
  return holders > 1;
}

/// Where a use finds its buffer: an update works in that of the generation before it until it starts.
Version& buffer_of(TileUse& use) {
  return use.source != nullptr && use.version->awaited ? *use.source : *use.version;
}

}  // namespace

Executor::Executor(std::int64_t stage, Program& program, std::vector<ArrayStorage> storage, Environment& environment,
                   const std::optional<Cut>& restored)
    : stage_(stage),
      program_(program),
      environment_(environment),
      grids_(grids_of(program)),
      store_(program.arrays(), grids_, std::move(storage)),
      mover_(store_, environment.devices, environment.pools, completions_, *environment.profile),
      window_(program, grids_, versions_, static_cast<int>(environment.devices.size()) + 1, window_capacity),
      cutter_(stage, program, window_, versions_, store_, mover_, *environment.ledger, completions_),
      unstored_(program.arrays().size()),
      stored_tiles_(program.arrays().size()) {
  mover_.on_read = [this](const Version& version, std::uint64_t checksum) {
    const Role role = program_.arrays()[static_cast<std::size_t>(version.key.array)].role;
    if (role == Role::input) cutter_.note_input(version.key, checksum);
  };
  mover_.on_moved = [this](Version& version) { settle(version); };
  cutter_.on_unpinned = [this](const VersionKey& key) { settle_key(key); };
  cutter_.on_commit = [this] {
    last_cut_end_ = environment_.profile->now();
    cut_seconds_ = last_cut_end_ - cut_begin_;
    ++environment_.profile->stage().cuts;
  };
  for (std::size_t d = 0; d < environment.devices.size(); ++d) {
    device::Context& context = *environment.devices[d];
    program_.open(context, static_cast<int>(d));
    Device& device = devices_.emplace_back();
    device.context = &context;
    device.location = location_of(context, static_cast<int>(d));
    for (int i = 0; i < 2; ++i) device.launches.push_back(std::make_unique<LaunchState>(context, program_, ring));
  }
  if (restored) restore(*restored);
  last_cut_end_ = environment_.profile->now();
}

Executor::~Executor() {
  abandon();
  for (auto& [key, version] : versions_) mover_.drop_all(*version);
  for (std::size_t d = 0; d < devices_.size(); ++d) freeze(static_cast<int>(d), false);
}

/// Waits for what is under way and takes no more notice of it.
void Executor::abandon() noexcept {
  for (Device& device : devices_) {
    for (auto& launch : device.launches) launch->wait();
  }
  cutter_.abandon();
  mover_.abandon();
}

void Executor::restore(const Cut& cut) {
  program_.load(cut.folded);
  for (const auto& [key, tile] : cut.tiles) {
    versions_.put_aside(key, tile);
    store_.hold(key, tile.slot);
    if (tile.slot == home_slot && tile.filled >= grids_[static_cast<std::size_t>(key.array)].box(key.tile).volume()) {
      ++stored_tiles_[static_cast<std::size_t>(key.array)];
    }
  }
  cutter_.restore(cut.tiles);
  window_.restore(cut.phases, cut.frontier, cut.done, cut.results);
  start_cursor_ = hold_cursor_ = cut.frontier;
  done_blocks_ = cut_blocks_ = cut.frontier + cut.done.count();
}

void Executor::run() {
  try {
    run_blocks();
    finish();
  } catch (...) {
    abandon();
    if (mover_.first_failure()) std::rethrow_exception(mover_.first_failure());
    throw;
  }
}

void Executor::run_blocks() {
  while (!window_.finished()) {
    const bool moved = step();
    if (stopping_ && !anything_running() && !cutter_.active() && !cut_wanted_) {
      throw Stopped("stopped at a checkpoint; the same command goes on from it");
    }
    wait(moved);
  }
}

bool Executor::step() {
  bool moved = completions_.drain();
  moved |= mover_.poll();
  moved |= take_results();
  window_.advance();
  window_.extend();
  for (const VersionKey& key : window_.doomed()) settle_key(key);
  cutter_.poll();
  const std::int64_t started = start_cursor_;
  if (!stopping_) {
    hold_blocks();
    start_blocks();
  }
  for (const VersionKey& key : mover_.emptied()) settle_key(key);
  manage_cuts();
  if (environment_.note_done && noted_blocks_ != done_blocks_) environment_.note_done(noted_blocks_ = done_blocks_);
  const double now = environment_.profile->now();
  if (environment_.report && now - last_report_ > 0.2) {
    last_report_ = now;
    environment_.report(progress());
  }
  return moved || start_cursor_ != started;
}

StageProgress Executor::progress() {
  StageProgress state{done_blocks_, window_.known_blocks(), done_operations_, 0, 0};
  for (const auto& [key, version] : versions_) {
    const bool input = program_.arrays()[static_cast<std::size_t>(key.array)].role == Role::input;
    if (!input && !version->dead && has_content(*version) && !version->on_disk()) {
      state.dirty_bytes += static_cast<std::int64_t>(version->bytes);
    }
  }
  return state;
}

/// Whether something goes on that will end by itself and be heard of.
bool Executor::under_way() const {
  return running_blocks_ > 0 || mover_.under_way() || cutter_.syncing() || anything_ending();
}

/// Nothing under way and nothing done means that nothing ever will be: a few rounds later that is an error.
void Executor::watch(bool moved) {
  const std::int64_t reached = window_.frontier() + start_cursor_ + hold_cursor_;
  if (moved || reached != watched_ || under_way()) {
    blocked_rounds_ = 0;
  } else if (++blocked_rounds_ == blocked_rounds) {
    blocked_rounds_ = 0;
    unblock();
  }
  watched_ = reached;
}

/// Memory may be got by ending a launch that only waits (nothing is allocated beside it), and by a cut.
void Executor::unblock() {
  if (++unblocked_ > 3) {
    throw Error("stage " + environment_.profile->stage().name + " cannot go on: " + what_blocks() +
                "; what is durable stays, and the same command with more memory (memory.host, memory.device) or "
                "scratch space goes on from it");
  }
  for (Device& device : devices_) {
    for (auto& launch : device.launches) {
      if (launch->active()) launch->stop();
    }
  }
  cut_wanted_ = true;
}

std::string Executor::what_blocks() {
  if (window_.finished()) return "a part of its result is neither written nor being written";
  if (start_cursor_ >= window_.end()) return "no block is left to start, and the stage is not at its end";
  const BlockState& block = window_.at(std::max(start_cursor_, window_.frontier()));
  const std::string name = "block " + std::to_string(block.index) + " of phase " + std::to_string(block.phase);
  if (block.step == BlockStep::registered) return name + " finds no room for its tiles in memory";
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
  // Words and events have to be asked; what disks do is told.
  const bool asked = running_blocks_ > 0 || mover_.copying() || anything_ending();
  if (asked && ++idle_rounds_ < 50) {
    sched_yield();
    return;
  }
  completions_.wait_for(std::chrono::microseconds(asked ? 50 : 2000));
}

// --- memory
// ---------------------------------------------------------------------------------------------------------

void Executor::hold_blocks() {
  std::int64_t blocks = 0;
  std::size_t bytes = 0;
  start_cursor_ = std::max(start_cursor_, window_.frontier());
  while (start_cursor_ < window_.end() && window_.at(start_cursor_).step >= BlockStep::started) ++start_cursor_;
  hold_cursor_ = std::max(hold_cursor_, start_cursor_);
  for (std::int64_t sequence = start_cursor_; sequence < hold_cursor_; ++sequence) {
    BlockState& block = window_.at(sequence);
    if (block.step >= BlockStep::started || block.uses.empty()) continue;
    contents_there(block);
    ++blocks;
    for (TileUse& use : block.uses) bytes += use.version->buffer;
  }
  while (hold_cursor_ < window_.end()) {
    BlockState& block = window_.at(hold_cursor_);
    if (block.step == BlockStep::registered) {
      if (!block.uses.empty() && blocks >= ahead && bytes >= ahead_bytes) return;
      if (!hold(block)) return;
      block.step = BlockStep::held;
      if (!block.uses.empty()) ++blocks;
      for (TileUse& use : block.uses) bytes += use.version->buffer;
    }
    ++hold_cursor_;
  }
}

bool Executor::old_generations_gone(const BlockState& block) {
  for (const TileUse& use : block.uses) {
    if (use.mode != Mode::write) continue;
    const VersionKey& key = use.version->key;
    const std::int64_t kept = program_.arrays()[static_cast<std::size_t>(key.array)].kept;
    if (versions_.find({key.array, key.tile, key.generation - kept}) != nullptr) return false;
  }
  return true;
}

bool Executor::hold(BlockState& block) {
  if (!old_generations_gone(block)) return false;
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  bool all = true;
  for (TileUse& use : block.uses) {
    Version& version = buffer_of(use);
    if (version.awaited) return false;
    mover_.ensure(version, location, block.sequence);
    Copy& copy = copy_at(version, location);
    if (copy.data == nullptr) {
      all = false;
    } else if (!use.held) {
      ++copy.holders;
      use.held = true;
    }
  }
  return all;
}

bool Executor::contents_there(BlockState& block) {
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  bool all = true;
  for (TileUse& use : block.uses) all &= mover_.ensure(buffer_of(use), location, block.sequence);
  return all;
}

// --- starting
// -------------------------------------------------------------------------------------------------------

void Executor::start_blocks() {
  for (std::size_t device = 0; device < devices_.size(); ++device) start_on(static_cast<int>(device));
}

std::int64_t Executor::first_startable(int device) {
  std::int64_t sequence = start_cursor_;
  while (sequence < hold_cursor_) {
    BlockState& block = window_.at(sequence);
    if (block.device == device && startable(block)) break;
    const PhaseState& phase = window_.phase(block.phase);
    // A chain goes on with its next block or not at all: what waits inside a launch is only what comes later in it.
    const bool barred = phase.phase.chain && block.step < BlockStep::started;
    sequence = barred ? phase.first_sequence + phase.phase.count : sequence + 1;
  }
  return sequence;
}

void Executor::start_on(int device) {
  auto& launches = devices_[static_cast<std::size_t>(device)].launches;
  for (auto& launch : launches) {
    if (launch->active() && launch->phase().phase.chain) return feed_chain(device, *launch);
  }
  for (auto& launch : launches) {
    if (launch->active()) continue;
    const bool alone = std::none_of(launches.begin(), launches.end(), [](auto& other) { return other->active(); });
    std::int64_t sequence = first_startable(device);
    if (sequence >= hold_cursor_) return;
    BlockState& block = window_.at(sequence);
    const PhaseState phase = window_.phase(block.phase);
    const bool repeat = block.attempt > 0;
    if (phase.phase.chain) {
      if (!alone) return;
      const std::int64_t count = repeat ? 1 : phase.phase.count - block.index;
      // What one block needs is there, and what it writes leaves when it has ended.
      if (count > 1 && devices_[static_cast<std::size_t>(device)].location > 0) stage_tiles();
      freeze(device, true);
      launch->begin(phase, block.index, count);
      launch->submit(block.attempt, device);
      return feed_chain(device, *launch);
    }
    std::vector<BlockView> views;
    while (sequence < hold_cursor_ && static_cast<std::int64_t>(views.size()) < ring) {
      BlockState& next = window_.at(sequence);
      if (next.phase != block.phase || next.device != device || next.attempt != block.attempt || !startable(next)) {
        break;
      }
      views.push_back(start(next));
      ++sequence;
      if (repeat) break;
    }
    launch->begin(phase, block.index, static_cast<std::int64_t>(views.size()));
    for (const BlockView& view : views) launch->feed(view);
    launch->submit(block.attempt, device);
  }
}

void Executor::feed_chain(int device, LaunchState& launch) {
  while (launch.has_room() && !launch.stopping()) {
    const std::int64_t sequence = launch.phase().first_sequence + launch.ready();
    if (sequence >= hold_cursor_) return end_if_starved(device, launch);
    BlockState& block = window_.at(sequence);
    if (block.attempt > 0 && launch.end() - launch.first() > 1) {
      launch.stop();
      return;
    }
    if (!startable(block)) return end_if_starved(device, launch);
    launch.feed(start(block));
  }
}

/// Nothing can be allocated while the launch waits for us: ends it when that is what it would take to hold its next
/// block, or to bring that block's tiles or take away those of the last ones through host memory.
void Executor::end_if_starved(int device, LaunchState& launch) {
  if (running_blocks_ > 0 || mover_.under_way()) return;
  const auto location = static_cast<std::size_t>(devices_[static_cast<std::size_t>(device)].location);
  for (const Pool* pool : {environment_.pools[0], environment_.pools[location]}) {
    if (pool->starved_by_freeze()) return launch.stop();
  }
}

bool Executor::needs_slot(const TileUse& use) const {
  const ArraySpec& spec = program_.arrays()[static_cast<std::size_t>(use.version->key.array)];
  const bool home = spec.role == Role::result && use.version->key.generation == spec.generations;
  return use.mode != Mode::read && !home;
}

bool Executor::slots_admit(const BlockState& block) {
  std::vector<std::int64_t> needed(unstored_.size());
  std::vector<const Version*> seen;
  for (const TileUse& use : block.uses) {
    if (!needs_slot(use) || use.version->counted) continue;
    if (std::find(seen.begin(), seen.end(), use.version) != seen.end()) continue;
    seen.push_back(use.version);
    const auto array = static_cast<std::size_t>(use.version->key.array);
    if (++needed[array] + unstored_[array] > store_.free_slots(static_cast<int>(array))) return false;
  }
  return true;
}

/// From a write's start on its tile will take a slot, one for all writes of parts of it.
void Executor::count(Version& version) {
  ++version.claims;
  if (!std::exchange(version.counted, true)) ++unstored_[static_cast<std::size_t>(version.key.array)];
}

/// What a cut stores of a tile while more of it is being written does not count for it.
void Executor::uncount_if_stored(Version& version) {
  const bool nothing_to_store = version.on_disk() || !has_content(version);
  if (!version.counted || version.claims > 0 || !nothing_to_store) return;
  version.counted = false;
  --unstored_[static_cast<std::size_t>(version.key.array)];
}

bool Executor::startable(BlockState& block) {
  if (block.step != BlockStep::held || block.unmet > 0 || !contents_there(block)) return false;
  const bool in_host_memory = devices_[static_cast<std::size_t>(block.device)].location == 0;
  for (const TileUse& use : block.uses) {
    const bool being_written = use.version->pins > 0 || use.version->storing > 0;
    if (use.mode == Mode::write && in_host_memory && being_written) return false;
    if (use.source == nullptr) continue;
    if (cut_wanted_ || use.source->pins > 0 || use.source->storing > 0 || moving(*use.source)) return false;
  }
  if (slots_admit(block)) return true;
  if (!cutter_.active() && !cut_wanted_) {
    if (fruitless_cuts_ > 2 && running_blocks_ == 0) {
      throw Error("the scratch files have too few spare slots for the largest block of the stage");
    }
    cut_wanted_ = true;
  }
  return false;
}

BlockView Executor::start(BlockState& block) {
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  BlockView view;
  view.index = block.index;
  for (TileUse& use : block.uses) {
    if (use.source != nullptr && use.version->awaited) {
      mover_.hand_over(*use.source, *use.version);
      cutter_.touch(use.source->key);
    }
    if (needs_slot(use)) count(*use.version);
    if (use.mode != Mode::read && location == 0) ++use.version->writers;
    view.accesses.resize(static_cast<std::size_t>(use.access) + 1);
    TileView tile;
    tile.box = use.part;
    tile.strides = row_major_strides(use.version->box.shape());
    std::int64_t offset = 0;
    for (int d = 0; d < tile.box.rank(); ++d) {
      offset += (use.part.begin[d] - use.version->box.begin[d]) * tile.strides[d];
    }
    const std::size_t element = size_of(program_.arrays()[static_cast<std::size_t>(use.version->key.array)].type);
    tile.data = copy_at(*use.version, location).data + static_cast<std::size_t>(offset) * element;
    view.accesses.back().tiles.push_back(std::move(tile));
    running_updates_ += use.source != nullptr;
  }
  block.step = BlockStep::started;
  block.start_seconds = environment_.profile->now();
  if (running_blocks_++ == 0) running_since_ = block.start_seconds;
  fruitless_cuts_ = 0;
  unblocked_ = 0;
  return view;
}

/// Takes host memory for what has to come and go while a launch runs on a device of its own: enough to keep a disk
/// busy.
void Executor::stage_tiles() {
  for (std::size_t array = 0; array < grids_.size(); ++array) {
    const auto bytes = static_cast<std::size_t>(slot_bytes(program_.arrays()[array], grids_[array]));
    const std::size_t share = environment_.pools[0]->budget() / 4 / std::max<std::size_t>(1, bytes);
    environment_.pools[0]->prepare(bytes, std::clamp<std::size_t>(share, 2, most_staged));
  }
}

void Executor::freeze(int device, bool frozen) {
  const auto location = static_cast<std::size_t>(devices_[static_cast<std::size_t>(device)].location);
  if (location == 0) return;
  environment_.pools[0]->freeze(frozen);
  environment_.pools[location]->freeze(frozen);
}

// --- ending
// ---------------------------------------------------------------------------------------------------------

bool Executor::take_results() {
  bool any = false;
  for (Device& device : devices_) {
    for (auto& launch : device.launches) {
      if (!launch->active()) continue;
      std::int64_t index = 0;
      while (const void* result = launch->next_done(&index)) {
        complete(window_.at(launch->phase().first_sequence + index), result);
        any = true;
      }
      if (!launch->ended()) continue;
      end_launch(*launch);
      any = true;
      if (launch->phase().phase.chain) freeze(static_cast<int>(&device - devices_.data()), false);
    }
  }
  return any;
}

void Executor::end_launch(LaunchState& launch) {
  launch.finish();
  const std::int64_t failed = launch.failed();
  if (failed >= 0) {
    BlockState& block = window_.at(launch.phase().first_sequence + failed);
    program_.failed(launch.phase().phase, launch.phase().number, failed, block.attempt);
    ++block.attempt;
  } else if (!launch.stopping() && launch.unfinished()) {
    throw DeviceError(
        "launch", "a launch of stage " + environment_.profile->stage().name + " ended before its blocks were done");
  }
  // Blocks that were ready but not begun are started again by a later launch.
  for (std::int64_t sequence = window_.frontier(); sequence < window_.end(); ++sequence) {
    BlockState& block = window_.at(sequence);
    const bool ours =
        block.phase == launch.phase().number && block.index >= launch.first() && block.index < launch.end();
    if (!ours || block.step != BlockStep::started) continue;
    start_cursor_ = std::min(start_cursor_, sequence);
    rewind(block);
  }
}

void Executor::rewind(BlockState& block) {
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  block.step = BlockStep::held;
  for (TileUse& use : block.uses) {
    if (needs_slot(use)) {
      --use.version->claims;
      uncount_if_stored(*use.version);
    }
    if (use.mode != Mode::read && location == 0) --use.version->writers;
    if (use.source == nullptr) continue;
    --running_updates_;
    let_go(*use.version, block.sequence);
    mover_.hand_back(*use.source, *use.version, location);
    cutter_.touch(use.source->key);
  }
  if (--running_blocks_ == 0) {
    environment_.profile->stage().compute_seconds += environment_.profile->now() - running_since_;
  }
}

/// Takes the version's buffers from the blocks after `sequence` that hold them already.
void Executor::let_go(Version& version, std::int64_t sequence) {
  for (std::int64_t later = sequence + 1; later < window_.end(); ++later) {
    BlockState& block = window_.at(later);
    if (block.step >= BlockStep::started) continue;
    for (TileUse& use : block.uses) {
      if (!use.held || &buffer_of(use) != &version) continue;
      --copy_at(version, devices_[static_cast<std::size_t>(block.device)].location).holders;
      use.held = false;
      block.step = BlockStep::registered;
      hold_cursor_ = std::min(hold_cursor_, later);
    }
  }
}

void Executor::complete(BlockState& block, const void* result) {
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  block.end_seconds = environment_.profile->now();
  std::vector<Version*> touched;
  for (TileUse& use : block.uses) {
    --copy_at(*use.version, location).holders;
    if (use.mode != Mode::read) {
      if (location == 0) --use.version->writers;
      mover_.changed(*use.version, location);
      cutter_.touch(use.version->key);
      if (needs_slot(use)) --use.version->claims;
    } else if (program_.arrays()[static_cast<std::size_t>(use.version->key.array)].reads > 0) {
      cutter_.touch(use.version->key);
    }
    touched.push_back(use.version);
    if (use.source != nullptr) touched.push_back(use.source);
    running_updates_ -= use.source != nullptr;
  }
  window_.complete(block, std::string(static_cast<const char*>(result), program_.result_bytes()));
  // A version may be named by several uses of the block, and settling may remove it.
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (Version* version : touched) settle(*version);

  ++done_blocks_;
  done_operations_ += block.operations;
  StageRecord& stage = environment_.profile->stage();
  ++stage.blocks;
  stage.operations += block.operations;
  const std::string part = program_.part(window_.phase(block.phase).phase);
  if (!part.empty()) stage.add(part, block.operations, block.start_seconds, block.end_seconds);
  if (--running_blocks_ == 0) stage.compute_seconds += block.end_seconds - running_since_;
  fruitless_cuts_ = 0;
  BlockRecord record;
  record.phase = block.phase;
  record.first = block.index;
  record.device = block.device;
  record.attempts = block.attempt + 1;
  record.operations = block.operations;
  record.begin = block.start_seconds;
  record.end = block.end_seconds;
  environment_.profile->add(record);
}

bool Executor::over(const Version& version) const {
  if (!version.pending.empty()) return false;
  const ArraySpec& spec = program_.arrays()[static_cast<std::size_t>(version.key.array)];
  if (spec.role == Role::input) return window_.end_is_known();
  if (spec.role == Role::result && version.key.generation == spec.generations) return false;
  if (version.doomed_by != never) return true;
  return spec.reads > 0 && version.reads >= spec.reads;
}

void Executor::settle_key(const VersionKey& key) {
  if (Version* version = versions_.find(key)) settle(*version);
}

void Executor::settle(Version& version) {
  const auto array = static_cast<std::size_t>(version.key.array);
  const ArraySpec& spec = program_.arrays()[array];
  uncount_if_stored(version);
  const bool quiet = version.storing == 0 && version.pins == 0 &&
                     std::all_of(version.copies.begin(), version.copies.end(),
                                 [](const Copy& copy) { return copy.holders == 0 && !copy.incoming; });
  if (version.dead || over(version)) {
    version.dead = true;
    if (quiet) retire(version);
    return;
  }
  const bool result = spec.role == Role::result && version.key.generation == spec.generations;
  if (result && version.complete() && !version.on_disk() && version.storing == 0) {
    mover_.write_back(version, [](const StoredVersion&) {});
    return;
  }
  if (result && version.complete() && version.on_disk() && !std::exchange(version.home, true)) {
    ++stored_tiles_[array];
    cutter_.touch(version.key);
  }
  if (!quiet || !version.pending.empty() || !version.on_disk()) return;
  const bool cached = std::any_of(version.copies.begin(), version.copies.end(),
                                  [](const Copy& copy) { return copy.data != nullptr; });
  if (cached && !result) return;  // it may be read again, and leaves when memory is needed
  mover_.drop_all(version);
  if (spec.role == Role::input) {
    const VersionKey key = version.key;
    versions_.remove(key);
  } else {
    const VersionKey key = version.key;
    versions_.put_aside(key);
  }
}

void Executor::retire(Version& version) {
  const VersionKey key = version.key;
  const auto array = static_cast<std::size_t>(key.array);
  if (version.counted) --unstored_[array];
  mover_.drop_all(version);
  store_.release(key, version.slot);
  if (program_.arrays()[array].role != Role::input) cutter_.touch(key);
  versions_.remove(key);
}

// --- checkpoints
// ----------------------------------------------------------------------------------------------------

bool Executor::anything_running() const {
  for (const Device& device : devices_) {
    for (const auto& launch : device.launches) {
      if (launch->active()) return true;
    }
  }
  return false;
}

/// Whether a launch has all of its blocks: it will end by itself.
bool Executor::anything_ending() const {
  for (const Device& device : devices_) {
    for (const auto& launch : device.launches) {
      if (launch->active() && (launch->stopping() || launch->ready() == launch->end())) return true;
    }
  }
  return false;
}

void Executor::manage_cuts() {
  const double now = environment_.profile->now();
  const double every =
      environment_.checkpoint_seconds > 0 ? environment_.checkpoint_seconds : std::max(10.0, 20 * cut_seconds_);
  if (!stopping_ && environment_.stop != nullptr && environment_.stop->load() != 0) {
    stopping_ = true;
    cut_wanted_ = true;
    for (Device& device : devices_) {
      for (auto& launch : device.launches) {
        if (launch->active()) launch->stop();
      }
    }
  }
  const bool due = now - last_cut_end_ > every && done_blocks_ != cut_blocks_;
  if (mover_.wants_cut() || (!cutter_.active() && due)) cut_wanted_ = true;
  if (!cut_wanted_ || cutter_.active() || running_updates_ > 0) return;
  if (stopping_ && anything_running()) return;
  cut_wanted_ = false;
  cut_blocks_ = done_blocks_;
  cut_begin_ = now;
  ++fruitless_cuts_;
  cutter_.begin(false);
}

void Executor::finish() {
  auto arrays_done = [&] {
    for (std::size_t array = 0; array < grids_.size(); ++array) {
      if (program_.arrays()[array].role == Role::result && stored_tiles_[array] < grids_[array].count()) return false;
    }
    return true;
  };
  bool begun = false, committed = false;
  cutter_.on_commit = [&] {
    ++environment_.profile->stage().cuts;
    committed = begun;
  };
  while (!committed) {
    bool moved = completions_.drain();
    moved |= mover_.poll();
    moved |= take_results();
    cutter_.poll();
    if (!begun && !cutter_.active() && !mover_.busy() && !anything_running()) {
      if (!arrays_done())
        throw Error("stage " + environment_.profile->stage().name + " left a part of its result unwritten");
      begun = true;
      cutter_.begin(true);
      moved = true;
    }
    wait(moved);
  }
  if (environment_.report) environment_.report(progress());
}

}  // namespace terrace::run
