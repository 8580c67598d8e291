#include "pipeline/run/executor/store.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <span>
#include <thread>

#include "io/files/checksum.hpp"
#include "io/files/tile_checksums.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/damaged_tile.hpp"
#include "pipeline/run/wait_for.hpp"

namespace terrace::run {
namespace {

constexpr int adding_threads = 2;  // for checksums; one takes some 15 GB a second

/// A callback that calls `done` at its `count`-th call, with the first error that it received.
Store::Done when_all_ended(int count, Store::Done done) {
  struct State {
    std::mutex mutex;
    int left;
    std::exception_ptr error;
  };
  auto state = std::make_shared<State>();
  state->left = count;
  return [state, done = std::move(done)](const std::exception_ptr& error) {
    {
      const std::lock_guard lock(state->mutex);
      if (!state->error) state->error = error;
      if (--state->left > 0) return;
    }
    done(state->error);
  };
}

/// Enough for a disk, and with more processors, for inputs that are computed or unpacked.
int reading_threads() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 4u, 16u)); }

}  // namespace

bool needs_slots(const ArraySpec& spec) {
  return spec.role == Role::scratch || (spec.role == Role::result && spec.generations > 1);
}

std::int64_t slots_needed(const ArraySpec& spec, const TileGrid& grid) {
  if (!needs_slots(spec)) return 0;
  if (spec.slots > 0) return spec.slots;
  const std::int64_t tiles = spec.live > 0 ? std::min(spec.live, grid.count()) : grid.count();
  // If tiles are only updated in place, all of them may change between two checkpoints.
  const std::int64_t spare = spec.kept == 1 ? tiles : (tiles + 3) / 4;
  return tiles * spec.kept + std::max({spec.spare, std::min<std::int64_t>(tiles * spec.kept, 8), spare});
}

std::int64_t slot_bytes(const ArraySpec& spec, const TileGrid& grid) {
  const auto bytes = volume(grid.tile_shape()) * static_cast<std::int64_t>(size_of(spec.type));
  return whole_pages(bytes);
}

Store::Store(const std::vector<ArraySpec>& specs, const std::vector<TileGrid>& grids,
             std::vector<ArrayStorage> storage)
    : specs_(specs),
      grids_(grids),
      storage_(std::move(storage)),
      inputs_(reading_threads()),
      adding_(adding_threads) {
  for (const ArrayStorage& array : storage_) {
    holders_.emplace_back(static_cast<std::size_t>(array.slots.slots), std::uint8_t{0});
    unheld_.push_back(array.slots.slots);
    auto& free = free_.emplace_back();
    for (std::int64_t slot = array.slots.slots - 1; slot >= 0; --slot) free.push_back(slot);
  }
}

io::FileArray Store::home_array(std::size_t array) const {
  return {storage_[array].home->offset, specs_[array].shape, static_cast<std::int64_t>(size_of(specs_[array].type))};
}

std::string Store::where(const Version& version) const {
  const auto array = static_cast<std::size_t>(version.key.array);
  const ArrayStorage& storage = storage_[array];
  const bool home = version.slot == home_slot;
  return (home ? storage.home->file : storage.slots.file)->path().string() +
         (home ? "" : ", slot " + std::to_string(version.slot)) + ", " +
         (storage.name.empty() ? specs_[array].name : storage.name);
}

/// Computes the checksums of the parts, and of the whole if there are no parts or it is complete.
void Store::add_checksums(const Version& version, const std::byte* content, StoredVersion& stored) const {
  const std::size_t element = size_of(specs_[static_cast<std::size_t>(version.key.array)].type);
  for (TilePart& part : stored.parts) {
    Box box = part.box;
    for (int d = 0; d < box.rank(); ++d) {
      box.begin[d] -= version.box.begin[d];
      box.end[d] -= version.box.begin[d];
    }
    part.checksum = io::checksum_box(content, version.box.shape(), element, box);
  }
  if (stored.parts.empty() || stored.filled >= version.box.volume()) {
    stored.checksum = io::checksum(std::span(content, version.bytes));
  }
}

void Store::post_checksums(const Version& version, const std::byte* content, StoredVersion& stored,
                           const Done& done) {
  adding_.post([this, &version, content, &stored, done] {
    std::exception_ptr error;
    try {
      add_checksums(version, content, stored);
    } catch (...) {
      error = std::current_exception();
    }
    done(error);
  });
}

void Store::read(const Version& version, std::byte* buffer, StoredVersion& found, Done done) {
  const auto array = static_cast<std::size_t>(version.key.array);
  const ArraySpec& spec = specs_[array];
  const ArrayStorage& storage = storage_[array];
  // Computes checksums on the reading thread, to spare the executor's.
  Done read = [this, &version, buffer, &found, done = std::move(done)](std::exception_ptr error) {
    try {
      if (!error) add_checksums(version, buffer, found);
    } catch (...) {
      error = std::current_exception();
    }
    done(error);
  };
  if (comes_from_source(spec, version.key)) {
    input_bytes_ += static_cast<std::int64_t>(version.bytes);
    inputs_.submit(spec.source, version.box, buffer, std::move(read));
  } else if (version.slot == home_slot) {
    storage.home->file->read_box(home_array(array), version.box, buffer, std::move(read));
  } else {
    storage.slots.file->read(storage.slots.offset(version.slot), buffer, static_cast<std::int64_t>(version.buffer),
                             std::move(read));
  }
}

std::uint64_t Store::checksum_at_home(int array, const TileGrid& made, std::int64_t tile) const {
  const Home& home = *storage_[static_cast<std::size_t>(array)].home;
  const auto element = static_cast<std::int64_t>(size_of(specs_[static_cast<std::size_t>(array)].type));
  const auto read = [&](std::int64_t offset, std::span<std::byte> piece) {
    wait_for([&](io::BlockFile::Done done) {
      home.file->read(home.offset + offset, piece.data(), std::ssize(piece), std::move(done));
    });
  };
  return io::checksums_of_tiles(made, element, tile, tile + 1, read).front();
}

void Store::check(const Version& version, const StoredVersion& found) const {
  if (!version.parts.empty() && !version.complete()) {
    for (std::size_t i = 0; i < version.parts.size(); ++i) {
      if (version.parts[i] == found.parts.at(i)) continue;
      throw DamagedTile(where(version), version.parts[i].box);
    }
    return;
  }
  if (version.checksum != 0 && version.checksum != found.checksum) throw DamagedTile(where(version), version.box);
}

void Store::write(const Version& version, const std::byte* buffer, StoredVersion& stored, Done done) {
  const auto array = static_cast<std::size_t>(version.key.array);
  const ArrayStorage& storage = storage_[array];
  const Done ended = when_all_ended(2, std::move(done));
  post_checksums(version, buffer, stored, ended);
  if (stored.slot == home_slot) {
    storage.home->file->write_box(home_array(array), version.box, buffer, ended);
  } else {
    storage.slots.file->write(storage.slots.offset(stored.slot), buffer, static_cast<std::int64_t>(version.buffer),
                              ended);
  }
}

void Store::write_home(const std::vector<const Version*>& versions, const std::vector<StoredVersion*>& stored,
                       Done done) {
  const auto array = static_cast<std::size_t>(versions.at(0)->key.array);
  const Done ended = when_all_ended(static_cast<int>(versions.size()) + 1, std::move(done));
  std::vector<io::BoxPart> parts;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::byte* content = versions[i]->at(0).data;
    parts.push_back({versions[i]->box, content});
    post_checksums(*versions[i], content, *stored[i], ended);
  }
  storage_[array].home->file->write_boxes(home_array(array), std::move(parts), ended);
}

std::int64_t Store::row_bytes(int array) const {
  const ArraySpec& spec = specs_[static_cast<std::size_t>(array)];
  const Extents& tile = grid(array).tile_shape();
  return (tile.rank() > 0 ? tile[tile.rank() - 1] : 1) * static_cast<std::int64_t>(size_of(spec.type));
}

std::int64_t Store::place_for(const VersionKey& key) {
  const auto array = static_cast<std::size_t>(key.array);
  const ArraySpec& spec = specs_[array];
  if (spec.role == Role::result && key.generation == spec.generations) return home_slot;
  auto& free = free_[array];
  while (!free.empty() && holders_[array][static_cast<std::size_t>(free.back())] > 0) free.pop_back();
  return free.empty() ? no_slot : free.back();
}

void Store::hold(const VersionKey& key, std::int64_t slot) {
  if (slot < 0) return;
  const auto array = static_cast<std::size_t>(key.array);
  if (holders_[array][static_cast<std::size_t>(slot)]++ == 0) --unheld_[array];
}

void Store::release(const VersionKey& key, std::int64_t slot) {
  if (slot < 0) return;
  const auto array = static_cast<std::size_t>(key.array);
  if (--holders_[array][static_cast<std::size_t>(slot)] > 0) return;
  free_[array].push_back(slot);
  ++unheld_[array];
}

void Store::sync() {
  std::set<io::BlockFile*> files;
  for (const ArrayStorage& array : storage_) {
    if (array.home) files.insert(array.home->file.get());
    if (array.slots.file) files.insert(array.slots.file.get());
  }
  for (io::BlockFile* file : files) file->sync();
}

std::int64_t Store::bytes_read() const {
  std::int64_t total = input_bytes_;
  std::set<io::BlockFile*> files;
  for (const ArrayStorage& array : storage_) {
    if (array.home && files.insert(array.home->file.get()).second) total += array.home->file->bytes_read();
    if (array.slots.file && files.insert(array.slots.file.get()).second) total += array.slots.file->bytes_read();
  }
  return total;
}

std::int64_t Store::bytes_written() const {
  std::int64_t total = 0;
  std::set<io::BlockFile*> files;
  for (const ArrayStorage& array : storage_) {
    if (array.home && files.insert(array.home->file.get()).second) total += array.home->file->bytes_written();
    if (array.slots.file && files.insert(array.slots.file.get()).second) total += array.slots.file->bytes_written();
  }
  return total;
}

}  // namespace terrace::run
