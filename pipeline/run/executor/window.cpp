#include "pipeline/run/executor/window.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::run {
namespace {

constexpr std::int64_t least_blocks = 1024;   // in any memory: with fewer far more tiles are read and written
constexpr std::size_t map_entry_bytes = 128;  // of a version: the key, the node, what allocating it costs

/// Memory of a block and of its uses of tiles.
std::size_t bytes_of(const BlockState& block) {
  const std::size_t marks = 2 * sizeof(PendingUse) + 2 * sizeof(std::int64_t);
  return sizeof block + block.uses.capacity() * (sizeof(TileUse) + marks) + block.slots.capacity() * sizeof(Slot) +
         block.assemblies.capacity() * sizeof(Assembly);
}

std::string describe(const BlockState& block) {
  return "block " + std::to_string(block.index) + " of phase " + std::to_string(block.phase);
}

std::string describe(const VersionKey& key) {
  return "generation " + std::to_string(key.generation) + " of tile " + std::to_string(key.tile) + " of array " +
         std::to_string(key.array);
}

}  // namespace

std::size_t Assembly::buffer() const { return whole_pages(static_cast<std::size_t>(box.volume()) * element); }

Window::Window(const Plan& plan, Tally& tally, const std::vector<TileGrid>& grids, Versions& versions,
               Dealing dealing, std::int64_t capacity, std::size_t bytes)
    : plan_(plan),
      tally_(tally),
      grids_(grids),
      versions_(versions),
      dealing_(dealing),
      capacity_(capacity),
      most_bytes_(bytes) {}

void Window::restore(std::vector<PhaseState> phases, std::int64_t frontier, const Intervals& done,
                     std::map<std::int64_t, std::string> results) {
  for (PhaseState& phase : phases) {
    phases_made_ = phase.phase.number + 1;
    phases_.push_back(std::move(phase));
  }
  frontier_ = frontier;
  done_before_ = done;
  results_before_ = std::move(results);
}

const PhaseState& Window::phase(std::int64_t number) const {
  return phases_[static_cast<std::size_t>(number - phases_.front().phase.number)];
}

bool Window::make_next_phase() {
  if (ended_) return false;
  const std::int64_t first = known_blocks();
  if (plan_.depends_on_results(phases_made_) && frontier_ < first) return false;
  std::optional<Phase> next = plan_.phase(phases_made_, tally_);
  if (!next) {
    ended_ = true;
    return false;
  }
  next->number = phases_made_++;
  phases_.push_back({first, *next});
  return true;
}

void Window::extend() {
  for (;;) {
    while (end() < known_blocks()) {
      const auto blocks = static_cast<std::int64_t>(blocks_.size());
      if (blocks >= capacity_ || (blocks >= least_blocks && bytes_ >= most_bytes_)) return;
      auto phase = std::find_if(phases_.begin(), phases_.end(), [&](const PhaseState& p) { return end() < p.end(); });
      register_block(*phase, end());
    }
    if (!make_next_phase()) return;
  }
}

void Window::register_block(const PhaseState& phase, std::int64_t sequence) {
  BlockState& block = blocks_.emplace_back();
  block.sequence = sequence;
  block.phase = phase.phase.number;
  block.index = sequence - phase.first_sequence;
  if (done_before_.contains(sequence)) {
    block.step = BlockStep::done;
    block.result = results_before_[sequence];
    register_last_uses(block, plan_.block(phase.phase, block.index));
    return;
  }
  block.device = plan_.device(phase.phase, block.index, dealing_.devices);
  if (block.device == Plan::host) {
    block.device = dealing_.host;
  } else if (block.device < 0 || block.device >= dealing_.devices) {
    throw Error(describe(block) + " is dealt to device " + std::to_string(block.device) + " of " +
                std::to_string(dealing_.devices));
  }
  Block declared = plan_.block(phase.phase, block.index);
  block.operations = declared.operations;
  const std::size_t made_before = versions_bytes_;
  for (const Access& access : declared.accesses) register_access(block, phase, access);
  register_last_uses(block, declared);
  bytes_ += block.bytes = bytes_of(block) + versions_bytes_ - made_before;
}

void Window::register_access(BlockState& block, const PhaseState& phase, const Access& access) {
  block.slots.push_back(access.slot);
  if (access.view == View::contiguous) {
    if (access.mode != Mode::read) throw Error(describe(block) + " writes an access that is to be assembled");
    Assembly& assembly = block.assemblies.emplace_back();
    assembly.box = access.box;
    assembly.element = size_of(plan_.arrays()[static_cast<std::size_t>(access.array)].type);
  }
  const TileGrid& grid = grids_[static_cast<std::size_t>(access.array)];
  grid.for_each_tile(access.box,
                     [&](std::int64_t tile, const Box& part) { register_use(block, phase, access, tile, part); });
}

/// Marks the versions that no block after this one uses.
void Window::register_last_uses(const BlockState& block, const Block& declared) {
  for (const TileGeneration& last : declared.last_uses) {
    grids_[static_cast<std::size_t>(last.array)].for_each_tile(last.box, [&](std::int64_t tile, const Box&) {
      Version* version = look_up({last.array, tile, last.generation});
      if (version == nullptr) return;  // dead since an earlier attempt
      version->doomed_by = std::min(version->doomed_by, block.sequence);
      if (version->pending.empty()) doomed_.push_back(version->key);
    });
  }
}

/// True if the launch of the later block can order it after the earlier one: both are of one phase and device.
bool Window::shares_launch(const BlockState& block, const BlockState& earlier) const {
  return earlier.phase == block.phase && earlier.device == block.device;
}

void Window::depend(BlockState& block, const PendingUse& use, bool on_end) {
  if (use.sequence == block.sequence) return;
  BlockState& earlier = at(use.sequence);
  auto& dependents = on_end ? earlier.dependents_on_end : earlier.dependents;
  if (!dependents.empty() && dependents.back() == block.sequence) return;
  dependents.push_back(block.sequence);
  if (on_end || !earlier.in_launch || !shares_launch(block, earlier)) ++block.unmet;
}

void Window::begin_in_launch(BlockState& block) {
  block.in_launch = true;
  for (std::int64_t dependent : block.dependents) {
    if (shares_launch(at(dependent), block)) --at(dependent).unmet;
  }
}

void Window::withdraw_from_launch(BlockState& block) {
  if (!std::exchange(block.in_launch, false)) return;
  for (std::int64_t dependent : block.dependents) {
    if (shares_launch(at(dependent), block)) ++at(dependent).unmet;
  }
}

Version& Window::make(const VersionKey& key, const StoredVersion& stored) {
  const ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(key.array)];
  const TileGrid& grid = grids_[static_cast<std::size_t>(key.array)];
  auto version = std::make_unique<Version>();
  version->key = key;
  version->box = grid.box(key.tile);
  version->bytes = static_cast<std::size_t>(version->box.volume()) * size_of(spec.type);
  const std::size_t full = static_cast<std::size_t>(volume(grid.tile_shape())) * size_of(spec.type);
  version->buffer = whole_pages(full);
  version->copies.resize(static_cast<std::size_t>(dealing_.devices) + 1);
  versions_bytes_ += sizeof(Version) + version->copies.size() * sizeof(Copy) + map_entry_bytes;
  version->slot = stored.slot;
  version->checksum = stored.checksum;
  version->filled = stored.filled;
  version->reads = stored.reads;
  version->parts = stored.parts;
  version->home = stored.slot == home_slot && version->complete();
  return versions_.add(std::move(version));
}

Version* Window::look_up(const VersionKey& key) {
  if (Version* found = versions_.find(key)) return found;
  if (auto stored = versions_.take_aside(key)) return &make(key, *stored);
  return nullptr;
}

Version& Window::obtain(const VersionKey& key, bool create, const BlockState& block) {
  if (Version* found = look_up(key)) return *found;
  const ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(key.array)];
  if (comes_from_source(spec, key)) {
    return make(key, {home_slot, 0, grids_[static_cast<std::size_t>(key.array)].box(key.tile).volume(), 0});
  }
  if (!create) {
    throw Error(describe(block) + " reads " + describe(key) + ", which no block has written or which is gone");
  }
  return make(key, {});
}

void Window::register_use(BlockState& block, const PhaseState& phase, const Access& access, std::int64_t tile,
                          const Box& part) {
  const ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(access.array)];
  if (access.mode != Mode::read && spec.role == Role::input) {
    throw Error(describe(block) + " writes the input '" + spec.name + "'");
  }
  TileUse use;
  use.access = static_cast<int>(block.slots.size()) - 1;
  use.mode = access.mode;
  use.part = part;
  if (access.mode != Mode::read) {
    register_write(block, access, tile, use);
  } else {
    const bool contiguous = access.view == View::contiguous;
    if (contiguous) use.assembly = static_cast<int>(block.assemblies.size()) - 1;
    use.version = &obtain({access.array, tile, access.generation}, false, block);
    for (const PendingUse& other : use.version->pending) {
      if (other.mode == Mode::read || !overlaps(other.part, part)) continue;
      const bool in_chain = phase.phase.order == Order::chain && other.sequence >= phase.first_sequence;
      if (in_chain && !contiguous && shares_launch(block, at(other.sequence))) continue;  // ordered inside the launch
      depend(block, other, contiguous);
    }
  }
  use.version->pending.push_back(
      {block.sequence, use.mode == Mode::read ? Mode::read : Mode::write, part, use.assembly >= 0});
  block.uses.push_back(std::move(use));
}

void Window::register_write(BlockState& block, const Access& access, std::int64_t tile, TileUse& use) {
  const ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(access.array)];
  const VersionKey key{access.array, tile, access.generation};
  const bool update = access.mode == Mode::update;
  const std::int64_t next = access.made > 0 ? access.made : access.generation + 1;
  const std::int64_t made = update ? next : access.generation;
  const VersionKey target{access.array, tile, made};
  const bool fresh = look_up(target) == nullptr;
  if (update) {
    use.source = &obtain(key, false, block);
    if (!fresh || use.part.volume() != use.source->box.volume()) {
      throw Error(describe(block) + " updates " + describe(key) + ", which is not whole or was updated before");
    }
    for (const PendingUse& other : use.source->pending) depend(block, other);
    use.source->pending.push_back({block.sequence, Mode::update, use.part});
    use.source->doomed_by = block.sequence;
  }
  use.version = &obtain(target, true, block);
  if (update) use.version->awaited = true;
  for (const PendingUse& other : use.version->pending) {
    if (overlaps(other.part, use.part)) {
      throw Error(describe(block) + " writes a part of " + describe(target) + " that another block uses before");
    }
  }
  if (use.version->read_early) {
    for (Copy& copy : use.version->copies) copy.valid.remove(use.part);
  }
  if (!fresh) return;
  if (Version* old = look_up({access.array, tile, made - spec.kept}); old != nullptr && old != use.source) {
    for (const PendingUse& other : old->pending) depend(block, other);
    old->doomed_by = std::min(old->doomed_by, block.sequence);
    doomed_.push_back(old->key);
  }
}

/// Counts a part that a block has written; lists the parts of results, which may go home before the rest.
void Window::add_part(Version& version, const Box& part) {
  version.filled += part.volume();
  const ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(version.key.array)];
  const bool whole = part.volume() == version.box.volume();
  if (!whole && is_result(spec, version.key)) version.parts.push_back({part});
}

void Window::complete(BlockState& block, std::string result) {
  block.step = BlockStep::done;
  block.result = std::move(result);
  auto forget = [&](Version& version) {
    std::erase_if(version.pending, [&](const PendingUse& use) { return use.sequence == block.sequence; });
  };
  for (TileUse& use : block.uses) {
    forget(*use.version);
    if (use.source != nullptr) forget(*use.source);
    if (use.mode == Mode::read) {
      ++use.version->reads;
    } else {
      add_part(*use.version, use.part);
      ++use.version->changes;
    }
  }
  for (std::int64_t dependent : block.dependents) {
    if (!block.in_launch || !shares_launch(at(dependent), block)) --at(dependent).unmet;
  }
  for (std::int64_t dependent : block.dependents_on_end) --at(dependent).unmet;
  block.dependents.clear();
  block.dependents_on_end.clear();
}

void Window::advance() {
  while (!blocks_.empty() && blocks_.front().step == BlockStep::done) {
    BlockState& block = blocks_.front();
    const PhaseState& state = phase(block.phase);
    tally_.fold(state.phase, block.index, block.result.data());
    bytes_ -= block.bytes;
    blocks_.pop_front();
    ++frontier_;
  }
  while (!phases_.empty() && phases_.front().end() <= frontier_ && phases_.size() > 1) phases_.pop_front();
}

Intervals Window::done() const {
  Intervals result;
  for (const BlockState& block : blocks_) {
    if (block.step == BlockStep::done) result.add(block.sequence, block.sequence + 1);
  }
  return result;
}

std::map<std::int64_t, std::string> Window::results() const {
  std::map<std::int64_t, std::string> found;
  for (const BlockState& block : blocks_) {
    if (block.step == BlockStep::done && !block.result.empty()) found[block.sequence] = block.result;
  }
  return found;
}

}  // namespace terrace::run
