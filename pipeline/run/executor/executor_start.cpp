// The executor's start of blocks: the choice of a block and its launch, and the view of its tiles.
#include "pipeline/run/executor/executor.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::run {
namespace {

/// True if a transfer from or into a copy of the version is in flight.
bool moving(const Version& version) {
  return std::any_of(version.copies.begin(), version.copies.end(),
                     [](const Copy& copy) { return copy.incoming || copy.transfers > 0; });
}

}  // namespace

void Executor::start_blocks() {
  for (std::size_t device = 0; device < devices_.size(); ++device) start_on(static_cast<int>(device));
}

std::int64_t Executor::first_startable(int device) {
  std::int64_t sequence = start_cursor_;
  bool chain_waits = false;
  while (sequence < hold_cursor(device)) {
    BlockState& block = window_.at(sequence);
    const PhaseState& phase = window_.phase(block.phase);
    const bool chain = phase.phase.order == Order::chain;
    const bool waits = block.device == device && block.step < BlockStep::started;
    // A later chain would occupy the device until it ends, even if its next blocks need the chain that waits.
    if (waits && !(chain && chain_waits) && startable(block)) break;
    // A chain continues with its next block or not at all: inside a launch, only later blocks wait for earlier ones.
    chain_waits |= waits && chain;
    sequence = waits && chain ? phase.end() : sequence + 1;
  }
  return sequence;
}

/// Launches of the device that have not ended, in the order in which they were begun.
std::vector<LaunchHandle*> Executor::active_launches(Device& device) const {
  std::vector<LaunchHandle*> active;
  for (const auto& launch : device.launches) {
    if (launch->active()) active.push_back(launch.get());
  }
  std::sort(active.begin(), active.end(), [](const auto* a, const auto* b) { return a->number() < b->number(); });
  return active;
}

/// Lets no more blocks begin. The latest launch is stopped first: it may need blocks of earlier ones.
void Executor::stop_launches() {
  for (Device& device : devices_) {
    std::vector<LaunchHandle*> active = active_launches(device);
    std::for_each(active.rbegin(), active.rend(), [](LaunchHandle* launch) { launch->stop(); });
  }
}

void Executor::start_on(int device) {
  Device& state = devices_[static_cast<std::size_t>(device)];
  const std::vector<LaunchHandle*> active = active_launches(state);
  for (LaunchHandle* launch : active) {
    if (launch->order() == Order::chain) return feed_chain(device, *launch);
  }
  for (auto& launch : state.launches) {
    if (launch->active()) continue;
    const std::int64_t sequence = first_startable(device);
    if (sequence >= hold_cursor(device)) return;
    BlockState& block = window_.at(sequence);
    if (window_.phase(block.phase).phase.order != Order::chain) {
      start_blocks_of(device, *launch, sequence);
      continue;
    }
    if (active_launches(state).empty()) start_chain(device, *launch, block);
    return;
  }
}

void Executor::start_chain(int device, LaunchHandle& launch, BlockState& block) {
  Device& state = devices_[static_cast<std::size_t>(device)];
  const PhaseState& phase = window_.phase(block.phase);
  const std::int64_t count = block.attempt > 0 ? 1 : phase.phase.count - block.index + phase.phase.further;
  // One block alone has its inputs in place, and its outputs can leave when it has ended.
  if (count > 1 && state.location > 0 && stage_buffers()) return;
  if (count > 1 && state.location > 0) stage_updates(state, block);
  freeze(device, true);
  launch.begin(phase, block.index, count, state.begun++);
  launch.submit(*state.worker, block.attempt);
  feed_chain(device, launch);
}

/// Starts a launch over blocks that follow one another from `sequence` on, as many as can be started.
void Executor::start_blocks_of(int device, LaunchHandle& launch, std::int64_t sequence) {
  Device& state = devices_[static_cast<std::size_t>(device)];
  const BlockState& first = window_.at(sequence);
  const bool repeat = first.attempt > 0;
  std::vector<BlockView> views;
  for (; sequence < hold_cursor(device) && static_cast<std::int64_t>(views.size()) < ring; ++sequence) {
    BlockState& next = window_.at(sequence);
    if (next.device != device) continue;
    if (next.phase != first.phase || next.attempt != first.attempt || !startable(next)) break;
    views.push_back(start(next));
    if (repeat) break;
  }
  const PhaseState& phase = window_.phase(first.phase);
  launch.begin(phase, first.index, static_cast<std::int64_t>(views.size()), state.begun++);
  for (const BlockView& view : views) launch.feed(*state.worker, phase, view);
  launch.submit(*state.worker, first.attempt);
}

std::int64_t Executor::next_of(int device, const LaunchHandle& launch) {
  std::int64_t sequence = launch.next_sequence();
  while (sequence < std::min(launch.end_sequence(), window_.end()) && window_.at(sequence).device != device)
    ++sequence;
  return sequence;
}

void Executor::feed_chain(int device, LaunchHandle& launch) {
  while (launch.has_room() && !launch.stopping()) {
    const std::int64_t sequence = next_of(device, launch);
    if (sequence >= launch.end_sequence()) {
      launch.close();  // other devices have the rest of the chain
      return;
    }
    if (sequence >= hold_cursor(device)) return end_if_starved(device, launch);
    BlockState& block = window_.at(sequence);
    if (block.attempt > 0 && launch.count() > 1) {
      launch.stop();
      return;
    }
    if (!startable(block)) return end_if_starved(device, launch);
    launch.feed(*devices_[static_cast<std::size_t>(device)].worker, window_.phase(block.phase), start(block));
  }
}

/// True if the launch may keep the report of its last block until the next one has begun: see device::Port::done.
bool Executor::keeps_last(const LaunchHandle& launch) {
  return launch.order() == Order::chain && launch.taken() < launch.fed() &&
         window_.at(launch.next_sequence() - 1).in_launch;
}

int Executor::launches_that_keep_their_last() {
  int found = 0;
  for (const Device& device : devices_) {
    found += static_cast<int>(std::count_if(device.launches.begin(), device.launches.end(), [&](const auto& launch) {
      return launch->active() && keeps_last(*launch);
    }));
  }
  return found;
}

/// No memory can be allocated while the launch waits. Ends the launch if a lack of memory keeps its next block from
/// holding buffers, or tiles from being moved through host memory. Also ends it if the next block waits only for
/// blocks whose reports launches keep.
void Executor::end_if_starved(int device, LaunchHandle& launch) {
  const int kept = launches_that_keep_their_last();
  if (running_blocks_ > kept || residence_.under_way()) return;
  if (keeps_last(launch)) return launch.close();
  if (kept > 0) return;
  const auto location = static_cast<std::size_t>(devices_[static_cast<std::size_t>(device)].location);
  for (const Pool* pool : {environment_.pools[0], environment_.pools[location]}) {
    if (pool->starved_by_freeze()) return launch.stop();
  }
}

bool Executor::needs_slot(const TileUse& use) const {
  const ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(use.version->key.array)];
  const bool home = spec.role == Role::result && use.version->key.generation == spec.generations;
  return use.mode != Mode::read && !home;
}

/// True if there are free slots for what a block writes. Slots that arrays share suffice for blocks that start in
/// their order: a later one leaves those of the blocks before it.
bool Executor::slots_admit(const BlockState& block) {
  std::vector<std::int64_t> needed = unstored_;
  const std::int64_t held = *std::max_element(hold_cursors_.begin(), hold_cursors_.end());
  for (std::int64_t sequence = window_.frontier(); shares_slots_ && sequence < held; ++sequence) {
    const BlockState& other = window_.at(sequence);
    const bool is_before = other.step < BlockStep::started && sequence < block.sequence;
    if (is_before || other.step == BlockStep::started) add_shared_slots(other, needed);
  }
  if (shares_slots_) add_shared_slots(block, needed);
  add_slots(block, needed);
  return std::none_of(block.uses.begin(), block.uses.end(), [&](const TileUse& use) {
    const std::size_t file = store_.slot_file(use.version->key.array);
    const bool takes = needs_slot(use) && (!use.version->counted || store_.is_shared(file));
    return takes && needed[file] > store_.free_slots(file);
  });
}

/// Adds the slots that a block takes, of files that are not shared.
void Executor::add_slots(const BlockState& block, std::vector<std::int64_t>& needed) const {
  std::vector<const Version*> seen;
  for (const TileUse& use : block.uses) {
    const std::size_t file = store_.slot_file(use.version->key.array);
    if (!needs_slot(use) || use.version->counted || store_.is_shared(file)) continue;
    if (std::find(seen.begin(), seen.end(), use.version) != seen.end()) continue;
    seen.push_back(use.version);
    needed[file] += store_.slots_of_tile(use.version->key.array);
  }
}

/// Adds the slots that a block takes, of shared files. A tile of which it writes a part may be stored before, with
/// parts of others, and then takes another slot: also if the block is taken back and started again.
void Executor::add_shared_slots(const BlockState& block, std::vector<std::int64_t>& needed) const {
  for (const TileUse& use : block.uses) {
    const std::size_t file = store_.slot_file(use.version->key.array);
    const bool is_part = use.part.volume() < use.version->box.volume();
    if (needs_slot(use) && store_.is_shared(file) && (is_part || !use.version->counted)) {
      needed[file] += store_.slots_of_tile(use.version->key.array);
    }
  }
}

/// Counts the slots that a version will take, or no more of them.
void Executor::count_slots(const Version& version, bool more) {
  const std::int64_t slots = store_.slots_of_tile(version.key.array);
  unstored_[store_.slot_file(version.key.array)] += more ? slots : -slots;
}

/// Counts a tile from the start of a write on: it will take its slots once, for all writes of its parts.
void Executor::count(Version& version) {
  ++version.claims;
  if (!std::exchange(version.counted, true)) count_slots(version, true);
}

/// A tile of which more is being written still counts, even if a checkpoint has stored it.
void Executor::uncount_if_stored(Version& version) {
  const bool nothing_to_store = version.on_disk() || !has_content(version);
  if (!version.counted || version.claims > 0 || !nothing_to_store) return;
  version.counted = false;
  count_slots(version, false);
}

bool Executor::startable(BlockState& block) {
  if (block.step != BlockStep::held || block.unmet > 0 || !contents_there(block)) return false;
  const bool in_host_memory = devices_[static_cast<std::size_t>(block.device)].location == 0;
  for (const TileUse& use : block.uses) {
    const bool being_written = use.version->pins > 0 || use.version->storing > 0;
    // If a tile changes while a checkpoint stores it, the stored state takes a slot of its own.
    if (use.mode == Mode::write && (in_host_memory || needs_slot(use)) && being_written) return false;
    // A transfer may have begun before the window knew the block, and may take its part along without content.
    if (use.mode == Mode::write && use.version->read_early && moving(*use.version)) return false;
    if (checkpoint_lacks_slots_ && needs_slot(use)) return false;
    if (use.source == nullptr) continue;
    if (checkpoint_wanted_ || use.source->pins > 0 || use.source->storing > 0 || moving(*use.source)) return false;
  }
  if (slots_admit(block)) return true;
  // Later blocks wait for those before them, whose inputs may be on their way.
  if (!checkpoints_.active() && !checkpoint_wanted_) {
    if (fruitless_checkpoints_ <= 2) {
      checkpoint_wanted_ = true;
    } else if (running_blocks_ == 0 && block.sequence == start_cursor_) {
      throw Error("the scratch files have too few spare slots for the largest block of the stage");
    }
  }
  return false;
}

TileView Executor::view_of(const BlockState& block, const TileUse& use, int location) const {
  const bool assembled = use.assembly >= 0;
  const Assembly* assembly = assembled ? &block.assemblies[static_cast<std::size_t>(use.assembly)] : nullptr;
  const Box& buffer = assembled ? assembly->box : use.version->box;
  TileView view;
  view.box = assembled ? assembly->box : use.part;
  view.strides = row_major_strides(buffer.shape());
  std::int64_t offset = 0;
  for (int d = 0; d < view.box.rank(); ++d) offset += (view.box.begin[d] - buffer.begin[d]) * view.strides[d];
  const std::size_t element = size_of(plan_.arrays()[static_cast<std::size_t>(use.version->key.array)].type);
  view.data =
      (assembled ? assembly->data : use.version->at(location).data) + static_cast<std::size_t>(offset) * element;
  return view;
}

BlockView Executor::start(BlockState& block) {
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  BlockView view;
  view.index = block.index;
  int access = -1;
  bool updates = false;  // the block updates tiles of a chain: its launch orders them
  for (TileUse& use : block.uses) {
    if (use.source != nullptr && use.version->awaited) {
      updates = window_.phase(block.phase).phase.order == Order::chain;
      residence_.hand_over(*use.source, *use.version);
      checkpoints_.touch(use.source->key);
      running_updates_ += 1;
      // If a running update makes the source, nothing of it will be stored.
      if (std::exchange(use.source->counted, false)) count_slots(*use.source, false);
    }
    if (needs_slot(use)) count(*use.version);
    if (use.mode != Mode::read) {
      ++use.version->writers;
      if (location == 0) ++use.version->host_writers;
    }
    if (use.access != access) view.accesses.push_back({block.slots[static_cast<std::size_t>(use.access)], {}});
    else if (use.assembly >= 0) continue;
    access = use.access;
    view.accesses.back().tiles.push_back(view_of(block, use, location));
  }
  if (window_.phase(block.phase).phase.order == Order::in_turn || updates) window_.begin_in_launch(block);
  block.step = BlockStep::started;
  block.start_seconds = environment_.profile->now();
  ++running_blocks_;
  fruitless_checkpoints_ = 0;
  unblocked_ = 0;
  return view;
}

}  // namespace terrace::run
