// The executor's end of blocks: results, failed checks, blocks taken back, versions that are over.
#include "pipeline/run/executor/executor.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::run {

bool Executor::take_results() {
  bool any = false;
  for (Device& device : devices_) any |= take_results(device);
  return any;
}

/// Takes results in the order of launches, as later ones may need the results of earlier ones.
bool Executor::take_results(Device& device) {
  bool any = false;
  const std::vector<LaunchHandle*> active = active_launches(device);
  auto running = active.begin();
  for (; running != active.end(); ++running) {
    while (const auto done = (*running)->next_done()) {
      complete(window_.at(done->sequence), *done);
      any = true;
    }
    if (!(*running)->ended()) break;
  }
  // Blocks that were not begun are taken back the last first, as a later launch may have taken over the tiles of an
  // earlier one. So a stopped launch with such blocks ends after the later ones, which were stopped, too.
  const bool later_runs = running != active.end();
  for (auto after = running; after != active.begin();) {
    LaunchHandle& launch = **--after;
    if (later_runs && launch.stopping() && launch.order() == Order::in_turn && launch.unfinished()) continue;
    end_launch(launch);
    any = true;
    if (launch.order() == Order::chain) freeze(static_cast<int>(&device - devices_.data()), false);
  }
  return any;
}

void Executor::end_launch(LaunchHandle& launch) {
  launch.finish();
  environment_.profile->stage().skipped += static_cast<double>(launch.skipped());
  if (const std::int64_t failed = launch.failed(); failed >= 0) {
    BlockState& block = window_.at(failed);
    tally_.failed(window_.phase(block.phase).phase, block.index, block.attempt);
    if (block.in_launch) throw Error("a block whose launch orders those after it failed, and cannot be repeated");
    ++block.attempt;
  } else if (!launch.stopping() && launch.unfinished()) {
    throw DeviceError(
        "launch", "a launch of stage " + environment_.profile->stage().name + " ended before its blocks were done");
  }
  // Blocks that were ready but not begun are started again by a later launch. The last first: a block may have taken
  // over the tiles of an earlier one.
  const std::vector<std::int64_t> left = launch.not_done();
  for (auto sequence = left.rbegin(); sequence != left.rend(); ++sequence) {
    start_cursor_ = std::min(start_cursor_, *sequence);
    rewind(window_.at(*sequence));
  }
}

void Executor::rewind(BlockState& block) {
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  window_.withdraw_from_launch(block);
  block.step = BlockStep::held;
  for (TileUse& use : block.uses) {
    if (needs_slot(use)) {
      --use.version->claims;
      uncount_if_stored(*use.version);
    }
    if (use.mode != Mode::read) {
      --use.version->writers;
      if (location == 0) --use.version->host_writers;
    }
    if (use.source == nullptr) continue;
    --running_updates_;
    let_go(*use.version, block.sequence);
    residence_.hand_back(*use.source, *use.version, location);
    // The source will take a slot again: it is being written, or its content is in memory alone.
    const bool unstored = use.source->claims > 0 || (has_content(*use.source) && !use.source->on_disk());
    if (unstored && !std::exchange(use.source->counted, true)) {
      count_slots(*use.source, true);
    }
    checkpoints_.touch(use.source->key);
  }
  --running_blocks_;
}

/// Takes the version's buffers from the blocks after `sequence` that hold them already.
void Executor::let_go(Version& version, std::int64_t sequence) {
  for (std::int64_t later = sequence + 1; later < window_.end(); ++later) {
    BlockState& block = window_.at(later);
    if (block.step >= BlockStep::started) continue;
    for (TileUse& use : block.uses) {
      if (!use.held || &use.buffer() != &version) continue;
      --version.at(devices_[static_cast<std::size_t>(block.device)].location).holders;
      use.held = false;
      block.step = BlockStep::registered;
      std::int64_t& cursor = hold_cursor(block.device);
      cursor = std::min(cursor, later);
    }
  }
}

/// Adds a block that is done to the profile, with the times at which the device computed it.
void Executor::record(const BlockState& block, const LaunchHandle::Done& done) {
  BlockRecord record;
  record.phase = block.phase;
  record.first = block.index;
  record.device = devices_[static_cast<std::size_t>(block.device)].number;
  record.attempts = block.attempt + 1;
  record.operations = block.operations;
  std::tie(record.begin, record.end) = devices_[static_cast<std::size_t>(block.device)].clock.span(
      done.begin, done.end, block.start_seconds, block.end_seconds);
  environment_.profile->add(record, plan_.part(window_.phase(block.phase).phase));
}

/// Takes over the parts that a block has written, and gives up the memory that it held.
void Executor::release_uses(BlockState& block) {
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  for (TileUse& use : block.uses) {
    if (use.assembly < 0) --owner(*use.version).at(location).holders;
    if (std::exchange(use.taken, false)) note_taken(*use.version, block.sequence, use.part, false);
    if (use.mode != Mode::read) {
      --use.version->writers;
      if (location == 0) --use.version->host_writers;
      residence_.changed(*use.version, location, use.part);
      checkpoints_.touch(use.version->key);
      if (needs_slot(use)) --use.version->claims;
    } else if (plan_.arrays()[static_cast<std::size_t>(use.version->key.array)].reads > 0) {
      checkpoints_.touch(use.version->key);
    }
    running_updates_ -= use.source != nullptr;
  }
  for (Assembly& assembly : block.assemblies) residence_.drop(assembly, location);
}

void Executor::complete(BlockState& block, const LaunchHandle::Done& done) {
  block.end_seconds = environment_.profile->now();
  release_uses(block);
  record(block, done);
  window_.complete(block, std::string(static_cast<const char*>(done.result), plan_.result_bytes()));
  // A version may be named by several uses of the block, and settling may remove it.
  std::vector<Version*> touched;
  for (const TileUse& use : block.uses) {
    touched.push_back(use.version);
    if (use.source != nullptr) touched.push_back(use.source);
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (Version* version : touched) settle(*version);

  ++done_blocks_;
  --running_blocks_;
  fruitless_checkpoints_ = 0;
}

bool Executor::over(const Version& version) const {
  if (!version.pending.empty()) return false;
  const ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(version.key.array)];
  if (spec.role == Role::input) return window_.end_is_known();
  if (spec.role == Role::result && version.key.generation == spec.generations) return false;
  if (version.doomed_by != never) return true;
  return spec.reads > 0 && version.reads >= spec.reads;
}

void Executor::settle_key(const VersionKey& key) {
  if (Version* version = versions_.find(key)) settle(*version);
}

/// Called when no memory holds the version any more: blocks that need it must read it again.
void Executor::emptied(const VersionKey& key) {
  Version* version = versions_.find(key);
  if (version == nullptr) return;
  read_cursor_ = std::min(read_cursor_, version->next_use());
  settle(*version);
}

void Executor::settle(Version& version) {
  const auto array = static_cast<std::size_t>(version.key.array);
  const ArraySpec& spec = plan_.arrays()[array];
  uncount_if_stored(version);
  const bool quiet = version.storing == 0 && version.pins == 0 &&
                     std::all_of(version.copies.begin(), version.copies.end(), [](const Copy& copy) {
                       return copy.holders == 0 && copy.transfers == 0 && !copy.incoming;
                     });
  if (version.dead || over(version)) {
    version.dead = true;
    if (quiet) retire(version);
    return;
  }
  const bool result = spec.role == Role::result && version.key.generation == spec.generations;
  if (result && version.complete() && !version.on_disk() && version.storing == 0 && !version.queued) {
    residence_.write_back(version, [](const StoredVersion&) {});
    return;
  }
  if (result && version.complete() && version.on_disk() && !std::exchange(version.home, true)) {
    ++stored_tiles_[array];
    checkpoints_.touch(version.key);
  }
  if (!quiet || !version.pending.empty() || !version.on_disk()) return;
  const bool cached = std::any_of(version.copies.begin(), version.copies.end(),
                                  [](const Copy& copy) { return copy.data != nullptr; });
  if (cached && !result) return;  // it may be read again, and leaves when memory is needed
  residence_.drop_all(version);
  if (comes_from_source(spec, version.key)) {
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
  if (version.counted) count_slots(version, false);
  residence_.drop_all(version);
  store_.release(key, version.slot);
  if (!comes_from_source(plan_.arrays()[array], key)) checkpoints_.touch(key);
  versions_.remove(key);
}

}  // namespace terrace::run
