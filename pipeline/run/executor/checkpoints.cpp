#include "pipeline/run/executor/checkpoints.hpp"

#include "pipeline/base/error.hpp"
#include "pipeline/run/inputs.hpp"

namespace terrace::run {
namespace {

/// Enters the place on disk of a tile that the checkpoint names; the tile there may have more parts than the
/// checkpoint.
void place(StoredVersion& named, const StoredVersion& written) {
  named.slot = written.slot;
  named.checksum = written.checksum;
  // Parts are kept in the order in which they were done.
  for (std::size_t i = 0; i < named.parts.size(); ++i) named.parts[i] = written.parts.at(i);
}

}  // namespace

Checkpoints::Checkpoints(std::int64_t stage, const Plan& plan, const Tally& tally, Window& window, Versions& versions,
                         Store& store, Residence& mover, Ledger& ledger, Completions& completions)
    : stage_(stage),
      plan_(plan),
      tally_(tally),
      window_(window),
      versions_(versions),
      store_(store),
      residence_(mover),
      ledger_(ledger),
      completions_(completions) {}

Checkpoints::~Checkpoints() {
  if (syncer_.joinable()) syncer_.join();
}

void Checkpoints::restore(const StoredVersions& named, const InputChecksums& inputs) {
  inputs_ = inputs;
  named_ = named;
  for (const auto& [key, tile] : named_) store_.hold_again(key, tile);
}

void Checkpoints::note_input(const VersionKey& key, std::uint64_t checksum) {
  const auto [known, first] = inputs_.emplace(key, checksum);
  if (first) new_inputs_[key] = checksum;
  if (known->second == checksum) return;
  const ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(key.array)];
  if (!spec.source->files().empty()) throw InputChanged(spec.name, spec.source->files());
  throw IoError("'" + spec.name + "', tile " + std::to_string(key.tile),
                "came back different from what was read before: the disk or the memory is damaged; start over with "
                "--fresh=all");
}

void Checkpoints::begin(bool complete, const Work& work) {
  active_ = true;
  checkpoint_ = {};
  checkpoint_.stage = stage_;
  checkpoint_.complete = complete;
  checkpoint_.work = work;
  checkpoint_.folded = tally_.save();
  checkpoint_.frontier = window_.frontier();
  checkpoint_.inputs = std::exchange(new_inputs_, {});
  if (complete) {
    for (const auto& [key, tile] : named_) {
      if (!is_home(key)) checkpoint_.gone.push_back(key);
    }
    for (const VersionKey& key : std::exchange(touched_, {})) {
      if (is_home(key)) name(key);
    }
    for (std::size_t n = 0; n < plan_.arrays().size(); ++n) {
      if (plan_.arrays()[n].role != Role::result) continue;
      const Extents made = plan_.made_shape(static_cast<int>(n), tally_);
      if (made != plan_.arrays()[n].shape) cut(static_cast<int>(n), made);
    }
    return;
  }
  checkpoint_.done = window_.done();
  checkpoint_.results = window_.results();
  checkpoint_.phases.assign(window_.phases().begin(), window_.phases().end());
  for (const VersionKey& key : std::exchange(touched_, {})) name(key);
}

/// Names the tiles of an array that became shorter than was planned as the result has them: they may end in one. All
/// of them are at home.
void Checkpoints::cut(int array, const Extents& made) {
  const TileGrid& whole = store_.grid(array);
  StoredVersions all = named_;
  for (const auto& [key, stored] : checkpoint_.tiles) all[key] = stored;
  for (auto [key, stored] : all) {
    if (key.array != array || !is_home(key)) continue;
    const Box box = whole.box(key.tile);
    if (box.end[0] <= made[0]) continue;
    if (box.begin[0] < made[0]) {
      stored.checksum = store_.checksum_at_home(array, TileGrid(made, whole.tile_shape()), key.tile);
      checkpoint_.tiles[key] = stored;
    } else {
      checkpoint_.tiles.erase(key);
      checkpoint_.gone.push_back(key);
    }
  }
}

bool Checkpoints::is_home(const VersionKey& key) const {
  return is_result(plan_.arrays()[static_cast<std::size_t>(key.array)], key);
}

void Checkpoints::name(const VersionKey& key) {
  if (comes_from_source(plan_.arrays()[static_cast<std::size_t>(key.array)], key)) return;
  if (Version* version = versions_.find(key)) {
    if (!version->dead && has_content(*version)) {
      checkpoint_.tiles[key] = stored_of(*version);
      if (version->on_disk()) {
        store_.hold(key, version->slot);
      } else {
        ++version->pins;
        to_write_.insert(key);
      }
      return;
    }
  } else if (const StoredVersion* stored = versions_.aside(key)) {
    checkpoint_.tiles[key] = *stored;
    store_.hold(key, stored->slot);
    return;
  }
  if (named_.count(key) > 0) checkpoint_.gone.push_back(key);
}

void Checkpoints::poll() {
  if (!active_ || syncing_) return;
  for (const VersionKey key : to_write_) {  // a copy: the set's own is erased below, and named after that
    if (writing_.count(key) > 0) continue;
    Version& version = *versions_.find(key);
    if (version.storing > 0) continue;
    // A tile that was on its way to disk when the checkpoint began may have arrived.
    if (version.on_disk() && checkpoint_.tiles[key].filled == version.filled) {
      place(checkpoint_.tiles[key], stored_of(version));
      store_.hold(key, version.slot);
      --version.pins;
      to_write_.erase(key);
      if (on_unpinned) on_unpinned(key);
      return poll();
    }
    const bool begun = residence_.write_back(version, [this, key, &version](const StoredVersion& stored) {
      place(checkpoint_.tiles[key], stored);
      store_.hold(key, stored.slot);
      --version.pins;
      to_write_.erase(key);
      writing_.erase(key);
      if (on_unpinned) on_unpinned(key);
    });
    if (begun) writing_.insert(key);
  }
  if (!to_write_.empty()) return;
  for (auto& [key, tile] : checkpoint_.tiles) tile.more_slots = store_.more_slots(key, tile.slot);
  syncing_ = true;
  if (syncer_.joinable()) syncer_.join();
  syncer_ = std::thread([this] {
    std::exception_ptr error;
    try {
      store_.sync();
      ledger_.append(checkpoint_);
    } catch (...) {
      error = std::current_exception();
    }
    completions_.post([this, error] {
      if (error) std::rethrow_exception(error);
      commit();
    });
  });
}

void Checkpoints::commit() {
  for (const VersionKey& key : checkpoint_.gone) {
    auto old = named_.find(key);
    if (old == named_.end()) continue;
    store_.release(key, old->second.slot);
    named_.erase(old);
  }
  for (const auto& [key, tile] : checkpoint_.tiles) {
    auto old = named_.find(key);
    if (old != named_.end()) store_.release(key, old->second.slot);
    named_[key] = tile;
  }
  active_ = false;
  syncing_ = false;
  if (on_commit) on_commit();
}

}  // namespace terrace::run
