// The executor's memory: blocks hold buffers in order, contents are brought, tiles are read ahead.
#include "pipeline/run/executor/executor.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "pipeline/base/rounding.hpp"

namespace terrace::run {
namespace {

constexpr std::int64_t ahead = 8;  // blocks of a device that hold memory before they can start, at least
constexpr std::size_t ahead_bytes = 256u << 20;
constexpr std::int64_t most_looked_at = 256;        // started blocks that are counted for it
constexpr std::size_t most_staged = 8;              // tiles of an array on their way between device and disk
constexpr std::size_t least_staged = 1u << 20;      // bytes of a tile, of arrays that are staged whole
constexpr std::size_t staged_at_once = 128u << 20;  // bytes
constexpr std::size_t most_reading = 1u << 30;      // bytes in flight from disk when tiles are read ahead
constexpr std::size_t early_share = 8;              // tiles read ahead take up to 1 / early_share of host memory

bool has_memory(const Assembly& assembly) { return assembly.data != nullptr || assembly.box.empty(); }

}  // namespace

int Executor::location_of_block(const BlockState& block) const {
  return devices_[static_cast<std::size_t>(block.device)].location;
}

std::int64_t& Executor::hold_cursor(int device) {
  return hold_cursors_[static_cast<std::size_t>(devices_[static_cast<std::size_t>(device)].location)];
}

/// Blocks before it hold their buffers, on all devices.
std::int64_t Executor::least_held() const {
  std::int64_t least = never;
  for (const Device& device : devices_) {
    least = std::min(least, hold_cursors_[static_cast<std::size_t>(device.location)]);
  }
  return least;
}

/// Holds memory at each location in the order of blocks, so that a device with full memory does not delay the others.
/// Devices that work in host memory share one order.
void Executor::hold_blocks() {
  start_cursor_ = std::max(start_cursor_, window_.frontier());
  while (start_cursor_ < window_.end() && window_.at(start_cursor_).step >= BlockStep::started) ++start_cursor_;
  bool host = false;
  for (const Device& device : devices_) {
    if (device.location > 0 || !std::exchange(host, true)) hold_blocks_at(device.location);
  }
}

/// True if the block must not hold host memory yet: tiles of other devices move through that memory, so that blocks
/// which wait for these devices would keep them from going on.
bool Executor::holds_up_devices(const BlockState& block) const {
  return devices_.front().location > 0 && location_of_block(block) == 0 && block.unmet > 0;
}

void Executor::hold_blocks_at(int location) {
  std::int64_t blocks = 0;
  std::size_t bytes = 0;
  const std::int64_t devices = std::count_if(devices_.begin(), devices_.end(),
                                             [&](const Device& device) { return device.location == location; });
  std::int64_t& cursor = hold_cursors_[static_cast<std::size_t>(location)];
  cursor = std::max(cursor, start_cursor_);
  // On the CPU, started blocks that wait for its threads count as blocks ahead: more blocks ahead would take new
  // memory, and not the memory that earlier blocks give back.
  for (std::int64_t sequence = std::max(window_.frontier(), start_cursor_ - most_looked_at);
       location == 0 && sequence < start_cursor_; ++sequence) {
    BlockState& block = window_.at(sequence);
    if (block.step != BlockStep::started || block.uses.empty()) continue;
    count_memory(block, blocks, bytes);
  }
  for (std::int64_t sequence = start_cursor_; sequence < cursor; ++sequence) {
    BlockState& block = window_.at(sequence);
    if (block.step >= BlockStep::started || block.uses.empty() || location_of_block(block) != location) continue;
    contents_there(block);
    count_memory(block, blocks, bytes);
  }
  for (; cursor < window_.end(); ++cursor) {
    BlockState& block = window_.at(cursor);
    if (block.step != BlockStep::registered || location_of_block(block) != location) continue;
    if (!block.uses.empty() && blocks >= ahead * devices &&
        bytes >= ahead_bytes * static_cast<std::size_t>(devices)) {
      return;
    }
    if (holds_up_devices(block) || !hold(block)) return;
    block.step = BlockStep::held;
    count_memory(block, blocks, bytes);
  }
}

bool Executor::old_generations_gone(const BlockState& block) {
  for (const TileUse& use : block.uses) {
    if (use.mode != Mode::write) continue;
    const VersionKey& key = use.version->key;
    const std::int64_t kept = plan_.arrays()[static_cast<std::size_t>(key.array)].kept;
    if (versions_.find({key.array, key.tile, key.generation - kept}) != nullptr) return false;
  }
  return true;
}

void Executor::count_memory(const BlockState& block, std::int64_t& blocks, std::size_t& bytes) const {
  if (!block.uses.empty()) ++blocks;
  for (const TileUse& use : block.uses) {
    if (use.assembly < 0) bytes += use.version->buffer;
  }
  for (const Assembly& assembly : block.assemblies) bytes += assembly.buffer();
}

bool Executor::hold(BlockState& block) {
  if (!old_generations_gone(block)) return false;
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  bool all = hold_assemblies(block, location);
  for (TileUse& use : block.uses) {
    Version& version = use.buffer();
    // If a part is assembled from a tile in the same memory, the tile must stay there meanwhile.
    if (content_there(block, use, location) && use.assembly >= 0) continue;
    if (use.assembly >= 0 &&
        (location > 0 || !has_memory(block.assemblies[static_cast<std::size_t>(use.assembly)]))) {
      continue;
    }
    if (version.awaited) return false;
    Copy& copy = version.at(location);
    if (copy.data == nullptr) {
      all = false;
    } else if (!use.held) {
      ++copy.holders;
      use.held = true;
    }
  }
  return all;
}

/// Gets memory for the block's assemblies. The tiles from which they are assembled need not be in memory together: if
/// they take the room of an assembly, they leave, and come back one after another.
bool Executor::hold_assemblies(BlockState& block, int location) {
  const auto get = [&](Assembly& assembly) { return residence_.ensure_room(assembly, location, block.sequence); };
  const auto get_all = [&] {
    return std::count_if(block.assemblies.begin(), block.assemblies.end(), std::not_fn(get)) == 0;
  };
  if (get_all()) return true;
  // Blocks and transfers in flight free memory, too.
  if (location > 0 || block.sequence > start_cursor_ || under_way()) return false;
  for (const TileUse& use : block.uses) {
    if (use.assembly >= 0) residence_.let_go(*use.version, location);
  }
  return get_all();
}

bool Executor::content_there(BlockState& block, TileUse& use, int location) {
  if (use.assembly >= 0) {
    Assembly& assembly = block.assemblies[static_cast<std::size_t>(use.assembly)];
    if (assembly.data == nullptr ||
        !residence_.assemble(assembly, *use.version, location, block.sequence, use.part)) {
      return false;
    }
    if (std::exchange(use.held, false)) --use.version->at(location).holders;
    if (!std::exchange(use.taken, true)) note_taken(*use.version, block.sequence, use.part, true);
    return true;
  }
  if (use.buffer().awaited) return false;
  if (use.mode == Mode::write) return residence_.ensure_room(*use.version, location, block.sequence);
  return residence_.ensure(use.buffer(), location, block.sequence, use.part);
}

bool Executor::contents_there(BlockState& block) {
  const int location = devices_[static_cast<std::size_t>(block.device)].location;
  bool all = true;
  for (TileUse& use : block.uses) all &= content_there(block, use, location);
  return all;
}

/// Reads tiles for blocks that hold no memory yet into a share of host memory, in place of tiles that are needed
/// later.
void Executor::read_ahead() {
  const std::int64_t held = least_held();
  read_cursor_ = std::max(read_cursor_, held);
  while (!early_.empty() && early_.begin()->first < held) {
    early_bytes_ -= early_.begin()->second;
    early_.erase(early_.begin());
  }
  const std::size_t most = environment_.pools[0]->budget() / early_share;
  for (; read_cursor_ < window_.end(); ++read_cursor_) {
    BlockState& block = window_.at(read_cursor_);
    if (block.step != BlockStep::registered) continue;  // holds memory already, or is done
    for (TileUse& use : block.uses) {
      Version& version = use.source != nullptr ? *use.source : *use.version;
      if (use.mode == Mode::write || version.awaited || !residence_.is_only_on_disk(version, use.part)) continue;
      if (early_bytes_ + version.buffer > most || residence_.reading() >= most_reading) return;
      // Tiles of earlier blocks come first.
      if (residence_.short_of_memory(0) || !residence_.read_ahead(version, read_cursor_)) return;
      early_.emplace(read_cursor_, version.buffer);
      early_bytes_ += version.buffer;
    }
  }
}

/// The host buffers of each size that a launch on a device with memory of its own should find: enough to keep a disk
/// busy in addition to those in use; for arrays of large tiles with slots, enough for all their live tiles.
std::map<std::size_t, std::size_t> Executor::buffers_to_stage() const {
  const Pool& pool = *environment_.pools[0];
  std::map<std::size_t, std::size_t> wanted;
  for (std::size_t array = 0; array < grids_.size(); ++array) {
    const ArraySpec& spec = plan_.arrays()[array];
    const auto bytes = static_cast<std::size_t>(tile_bytes(spec, grids_[array]));
    const auto tiles = static_cast<std::size_t>(grids_[array].count());
    const std::size_t live = spec.live > 0 ? std::min(static_cast<std::size_t>(spec.live), tiles) : tiles;
    const std::size_t share = pool.budget() / 4 / std::max<std::size_t>(1, bytes);
    const std::size_t ready = std::clamp<std::size_t>(std::min(share, tiles), 2, most_staged);
    const std::size_t all = needs_slots(spec) && bytes >= least_staged ? live + ready : 0;
    wanted[bytes] = std::max({wanted[bytes], pool.in_use(bytes) + ready, all});
  }
  return wanted;
}

/// Allocates some of these at a time, so that reads go on meanwhile. @return true if there is more to allocate
bool Executor::stage_buffers() {
  if (to_stage_.empty()) to_stage_ = buffers_to_stage();
  std::size_t staged = 0;
  for (const auto& [bytes, count] : to_stage_) {
    while (environment_.pools[0]->prepare(bytes, count)) {
      if ((staged += bytes) >= staged_at_once) return staged_ = true;
    }
  }
  to_stage_.clear();
  return false;
}

/// Allocates device memory for the tiles that a chain updates, for all of them if the budget allows: its blocks hold
/// their tiles one after another, too late for a frozen pool. If the chain runs on several devices, also for the
/// tiles that blocks hand on, in half of the budget: a device keeps some until another one takes them.
void Executor::stage_updates(const Device& device, const BlockState& block) {
  Pool& pool = *environment_.pools[static_cast<std::size_t>(device.location)];
  for (const TileUse& use : block.uses) {
    const auto array = static_cast<std::size_t>(use.version->key.array);
    const ArraySpec& spec = plan_.arrays()[array];
    const auto tiles = static_cast<std::size_t>(grids_[array].count());
    if (use.source != nullptr) {
      while (pool.prepare(use.version->buffer, tiles)) {
      }
    } else if (spec.role == Role::scratch && devices_.size() > 1) {
      const std::size_t made = spec.kept > 1 ? 2 * tiles : ceiling(tiles, devices_.size());
      const std::size_t wanted = std::max(made, static_cast<std::size_t>(spec.kept));
      while (pool.allocated() < pool.budget() / 2 && pool.prepare(use.version->buffer, wanted)) {
      }
    }
  }
}

void Executor::freeze(int device, bool frozen) {
  const auto location = static_cast<std::size_t>(devices_[static_cast<std::size_t>(device)].location);
  if (location == 0) return;
  for (Pool* pool : {environment_.pools[0], environment_.pools[location]}) {
    if (frozen) pool->freeze();
    else pool->thaw();
  }
}

}  // namespace terrace::run
