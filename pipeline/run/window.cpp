#include "pipeline/run/window.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"

namespace terrace::run {
namespace {

constexpr std::size_t page = 4096;

std::string describe(const BlockState& block) {
  return "block " + std::to_string(block.index) + " of phase " + std::to_string(block.phase);
}

std::string describe(const VersionKey& key) {
  return "generation " + std::to_string(key.generation) + " of tile " + std::to_string(key.tile) + " of array " +
         std::to_string(key.array);
}

}  // namespace

Window::Window(Program& program, const std::vector<TileGrid>& grids, Versions& versions, int locations,
               std::int64_t capacity)
    : program_(program), grids_(grids), versions_(versions), locations_(locations), capacity_(capacity) {}

void Window::restore(std::vector<PhaseState> phases, std::int64_t frontier, const Intervals& done,
                     std::map<std::int64_t, std::string> results) {
  for (PhaseState& phase : phases) {
    phases_made_ = phase.number + 1;
    phases_.push_back(std::move(phase));
  }
  frontier_ = frontier;
  done_before_ = done;
  results_before_ = std::move(results);
}

const PhaseState& Window::phase(std::int64_t number) const {
  return phases_[static_cast<std::size_t>(number - phases_.front().number)];
}

bool Window::make_next_phase() {
  if (ended_) return false;
  const std::int64_t first = known_blocks();
  if (program_.needs_results(phases_made_) && frontier_ < first) return false;
  std::optional<Phase> next = program_.phase(phases_made_);
  if (!next) {
    ended_ = true;
    return false;
  }
  phases_.push_back({phases_made_++, first, std::move(*next)});
  return true;
}

void Window::extend() {
  for (;;) {
    while (end() < known_blocks()) {
      if (static_cast<std::int64_t>(blocks_.size()) >= capacity_) return;
      auto phase =
          std::find_if(phases_.begin(), phases_.end(), [&](const PhaseState& p) { return end() < end_of(p); });
      register_block(*phase, end());
    }
    if (!make_next_phase()) return;
  }
}

void Window::register_block(const PhaseState& phase, std::int64_t sequence) {
  BlockState& block = blocks_.emplace_back();
  block.sequence = sequence;
  block.phase = phase.number;
  block.index = sequence - phase.first_sequence;
  if (done_before_.contains(sequence)) {
    block.step = BlockStep::done;
    block.result = results_before_[sequence];
    return;
  }
  block.device = program_.device(phase.number, block.index);
  refuse_other_device(block, phase);
  Block declared = program_.block(phase.phase, phase.number, block.index);
  block.operations = declared.operations;
  int number = 0;
  for (const Access& access : declared.accesses) {
    const TileGrid& grid = grids_[static_cast<std::size_t>(access.array)];
    grid.for_each_tile(access.box, [&](std::int64_t tile, const Box& part) {
      register_use(block, phase, number, access, tile, part);
    });
    ++number;
  }
}

/// A chain is one launch, and hands its state on inside it.
void Window::refuse_other_device(const BlockState& block, const PhaseState& phase) const {
  if (!phase.phase.chain || block.index == 0) return;
  const int before = program_.device(phase.number, block.index - 1);
  if (before == block.device) return;
  throw Error(describe(block) + " is dealt to device " + std::to_string(block.device) +
              ", and the chain that it continues to device " + std::to_string(before));
}

void Window::depend(BlockState& block, const PendingUse& use) {
  if (use.sequence == block.sequence) return;
  auto& dependents = at(use.sequence).dependents;
  if (!dependents.empty() && dependents.back() == block.sequence) return;
  dependents.push_back(block.sequence);
  ++block.unmet;
}

Version& Window::make(const VersionKey& key, const StoredVersion& stored) {
  const ArraySpec& spec = program_.arrays()[static_cast<std::size_t>(key.array)];
  const TileGrid& grid = grids_[static_cast<std::size_t>(key.array)];
  auto version = std::make_unique<Version>();
  version->key = key;
  version->box = grid.box(key.tile);
  version->bytes = static_cast<std::size_t>(version->box.volume()) * size_of(spec.type);
  const std::size_t full = static_cast<std::size_t>(volume(grid.tile_shape())) * size_of(spec.type);
  version->buffer = (full + page - 1) / page * page;
  version->copies.resize(static_cast<std::size_t>(locations_));
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
  const ArraySpec& spec = program_.arrays()[static_cast<std::size_t>(key.array)];
  if (spec.role == Role::input && key.generation == 0) {
    return make(key, {home_slot, 0, grids_[static_cast<std::size_t>(key.array)].box(key.tile).volume(), 0});
  }
  if (!create) {
    throw Error(describe(block) + " reads " + describe(key) + ", which no block has written or which is gone");
  }
  return make(key, {});
}

void Window::register_use(BlockState& block, const PhaseState& phase, int access_number, const Access& access,
                          std::int64_t tile, const Box& part) {
  const ArraySpec& spec = program_.arrays()[static_cast<std::size_t>(access.array)];
  const VersionKey key{access.array, tile, access.generation};
  const std::int64_t made = access.mode == Mode::update ? access.generation + 1 : access.generation;
  if (access.mode != Mode::read && spec.role == Role::input) {
    throw Error(describe(block) + " writes the input '" + spec.name + "'");
  }
  TileUse use{nullptr, nullptr, access_number, access.mode, false, part};

  if (access.mode == Mode::read) {
    use.version = &obtain(key, false, block);
    for (const PendingUse& other : use.version->pending) {
      if (other.mode == Mode::read || !overlaps(other.part, part)) continue;
      if (phase.phase.chain && other.sequence >= phase.first_sequence) continue;  // ordered inside the launch
      depend(block, other);
    }
  } else {
    const VersionKey target{access.array, tile, made};
    const bool fresh = look_up(target) == nullptr;
    if (access.mode == Mode::update) {
      use.source = &obtain(key, false, block);
      if (!fresh || part.volume() != use.source->box.volume()) {
        throw Error(describe(block) + " updates " + describe(key) + ", which is not whole or was updated before");
      }
      for (const PendingUse& other : use.source->pending) depend(block, other);
      use.source->pending.push_back({block.sequence, Mode::update, part});
      use.source->next_uses.push_back(block.sequence);
      use.source->doomed_by = block.sequence;
    }
    use.version = &obtain(target, true, block);
    if (access.mode == Mode::update) use.version->awaited = true;
    // A copy is valid or not as a whole: parts that two devices write would be lost.
    if (use.version->writer >= 0 && use.version->writer != block.device) {
      throw Error(describe(block) + " is dealt to device " + std::to_string(block.device) + " and writes a part of " +
                  describe(target) + ", of which device " + std::to_string(use.version->writer) + " writes another");
    }
    use.version->writer = block.device;
    for (const PendingUse& other : use.version->pending) {
      if (overlaps(other.part, part)) {
        throw Error(describe(block) + " writes a part of " + describe(target) + " that another block uses before");
      }
    }
    if (fresh) {
      if (Version* old = look_up({access.array, tile, made - spec.kept}); old != nullptr && old != use.source) {
        for (const PendingUse& other : old->pending) depend(block, other);
        old->doomed_by = std::min(old->doomed_by, block.sequence);
        doomed_.push_back(old->key);
      }
    }
  }
  use.version->pending.push_back({block.sequence, use.mode == Mode::read ? Mode::read : Mode::write, part});
  use.version->next_uses.push_back(block.sequence);
  block.uses.push_back(std::move(use));
}

/// Counts a part that a block has written; those of results are kept one by one, as they may go home before the rest.
void Window::add_part(Version& version, const Box& part) {
  version.filled += part.volume();
  const ArraySpec& spec = program_.arrays()[static_cast<std::size_t>(version.key.array)];
  const bool whole = part.volume() == version.box.volume();
  if (!whole && is_result(spec, version.key)) version.parts.push_back({part});
}

void Window::complete(BlockState& block, std::string result) {
  block.step = BlockStep::done;
  block.result = std::move(result);
  auto forget = [&](Version& version) {
    std::erase_if(version.pending, [&](const PendingUse& use) { return use.sequence == block.sequence; });
    std::erase(version.next_uses, block.sequence);
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
  for (std::int64_t dependent : block.dependents) --at(dependent).unmet;
  block.dependents.clear();
}

void Window::advance() {
  while (!blocks_.empty() && blocks_.front().step == BlockStep::done) {
    BlockState& block = blocks_.front();
    const PhaseState& state = phase(block.phase);
    program_.fold(state.phase, state.number, block.index, block.result.data());
    blocks_.pop_front();
    ++frontier_;
  }
  while (!phases_.empty() && end_of(phases_.front()) <= frontier_ && phases_.size() > 1) phases_.pop_front();
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
