#include "pipeline/run/executor.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::run {
namespace {

/// Whether a copy from or into the version is under way, beside what one block holds.
bool moving(const Version& version) {
  int holders = 0;
  for (const Copy& copy : version.copies) {
    if (copy.incoming) return true;
    holders += copy.holders;
  }
  return holders > 1;
}

}  // namespace

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
      if (count > 1 && devices_[static_cast<std::size_t>(device)].location > 0 && stage_buffers()) return;
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
    tile.data = use.version->at(location).data + static_cast<std::size_t>(offset) * element;
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

}  // namespace terrace::run
