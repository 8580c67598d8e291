#include "pipeline/run/executor/store.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <thread>

#include "io/files/checksum.hpp"
#include "io/files/tile_checksums.hpp"
#include "io/when_all_ended.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/damaged_tile.hpp"
#include "pipeline/run/wait_for.hpp"

namespace terrace::run {
namespace {

constexpr int adding_threads = 2;  // for checksums; one takes some 15 GB a second

/// Enough for a disk, and with more processors, for inputs that are computed or unpacked.
int reading_threads() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 4u, 16u)); }

}  // namespace

Store::Store(const std::vector<ArraySpec>& specs, const std::vector<TileGrid>& grids,
             std::vector<ArrayStorage> storage)
    : specs_(specs),
      grids_(grids),
      storage_(std::move(storage)),
      slot_files_(specs.size()),
      tile_slots_(specs.size(), 1),
      inputs_(reading_threads()),
      adding_(adding_threads) {
  for (const SlotFileSpec& spec : slot_files(specs)) {
    const std::int64_t slots = storage_[spec.arrays.front()].slots.slots;
    SlotCounts& file = files_.emplace_back();
    file.is_shared = !specs[spec.arrays.front()].slot_file.empty();
    for (const std::size_t array : spec.arrays) {
      slot_files_[array] = files_.size() - 1;
      if (file.is_shared) tile_slots_[array] = ceiling(tile_bytes(specs[array], grids[array]), spec.slot_bytes);
    }
    file.holders.resize(static_cast<std::size_t>(slots));
    file.unheld = slots;
    for (std::int64_t slot = slots - 1; slot >= 0; --slot) file.free.push_back(slot);
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
    const std::vector<Piece> all = pieces(version, version.slot);
    const Done ended = io::when_all_ended(static_cast<int>(all.size()), std::move(read));
    for (const Piece& piece : all) storage.slots.file->read(piece.offset, buffer + piece.at, piece.bytes, ended);
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
  const std::vector<Piece> all = stored.slot == home_slot ? std::vector<Piece>() : pieces(version, stored.slot);
  const Done ended = io::when_all_ended(1 + std::max(1, static_cast<int>(all.size())), std::move(done));
  post_checksums(version, buffer, stored, ended);
  if (stored.slot == home_slot) storage.home->file->write_box(home_array(array), version.box, buffer, ended);
  for (const Piece& piece : all) storage.slots.file->write(piece.offset, buffer + piece.at, piece.bytes, ended);
}

void Store::write_home(const std::vector<const Version*>& versions, const std::vector<StoredVersion*>& stored,
                       Done done) {
  const auto array = static_cast<std::size_t>(versions.at(0)->key.array);
  const Done ended = io::when_all_ended(static_cast<int>(versions.size()) + 1, std::move(done));
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
  SlotCounts& file = files_[slot_file(key.array)];
  const std::int64_t wanted = slots_of_tile(key.array);
  if (file.unheld < wanted) return no_slot;
  std::vector<std::int64_t> found;
  while (std::ssize(found) < wanted) {
    const std::int64_t slot = file.free.back();
    file.free.pop_back();
    // A slot may be listed twice if it was held and given up meanwhile.
    const bool is_held = file.holders[static_cast<std::size_t>(slot)] > 0;
    if (!is_held && std::find(found.begin(), found.end(), slot) == found.end()) found.push_back(slot);
  }
  file.free.insert(file.free.end(), found.rbegin(), found.rend());
  if (file.is_shared) file.more[found.front()].assign(found.begin() + 1, found.end());
  return found.front();
}

void Store::hold(const VersionKey& key, std::int64_t slot) {
  if (slot < 0) return;
  SlotCounts& file = files_[slot_file(key.array)];
  const auto hold_one = [&](std::int64_t one) {
    if (file.holders[static_cast<std::size_t>(one)]++ == 0) --file.unheld;
  };
  hold_one(slot);
  for (const std::int64_t one : more_slots(key, slot)) hold_one(one);
}

void Store::hold_again(const VersionKey& key, const StoredVersion& tile) {
  SlotCounts& file = files_[slot_file(key.array)];
  if (file.is_shared && tile.slot >= 0) file.more[tile.slot] = tile.more_slots;
  hold(key, tile.slot);
}

const std::vector<std::int64_t>& Store::more_slots(const VersionKey& key, std::int64_t first) const {
  static const std::vector<std::int64_t> none;
  const SlotCounts& file = files_[slot_file(key.array)];
  const auto found = file.more.find(first);
  return found == file.more.end() ? none : found->second;
}

/// Slots that follow one another are one piece.
std::vector<Store::Piece> Store::pieces(const Version& version, std::int64_t slot) const {
  const SlotFile& slots = storage_[static_cast<std::size_t>(version.key.array)].slots;
  const auto all = static_cast<std::int64_t>(version.buffer);
  if (!files_[slot_file(version.key.array)].is_shared) return {{slots.offset(slot), 0, all}};
  std::vector<Piece> found;
  std::int64_t at = 0;
  const auto add = [&](std::int64_t one) {
    const std::int64_t bytes = std::min(slots.slot_bytes, all - at);
    if (!found.empty() && found.back().offset + found.back().bytes == slots.offset(one)) found.back().bytes += bytes;
    else found.push_back({slots.offset(one), at, bytes});
    at += bytes;
  };
  add(slot);
  for (const std::int64_t one : more_slots(version.key, slot)) add(one);
  return found;
}

void Store::release(const VersionKey& key, std::int64_t slot) {
  if (slot < 0) return;
  SlotCounts& file = files_[slot_file(key.array)];
  const auto release_one = [&](std::int64_t one) {
    if (--file.holders[static_cast<std::size_t>(one)] > 0) return;
    file.free.push_back(one);
    ++file.unheld;
  };
  for (const std::int64_t one : more_slots(key, slot)) release_one(one);
  release_one(slot);
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
