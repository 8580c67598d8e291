#include "pipeline/run/store.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include "pipeline/base/error.hpp"

namespace terrace::run {
namespace {

constexpr std::int64_t page = 4096;

/// Enough for a disk, and where there are more processors, for inputs that are computed or unpacked.
int reading_threads() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 4u, 16u)); }

}  // namespace

bool needs_slots(const ArraySpec& spec) {
  return spec.role == Role::scratch || (spec.role == Role::result && spec.generations > 1);
}

std::int64_t slots_needed(const ArraySpec& spec, const TileGrid& grid) {
  if (!needs_slots(spec)) return 0;
  const std::int64_t tiles = grid.count();
  // Where tiles are only updated in place, all of them may change between two cuts.
  const std::int64_t spare = spec.kept == 1 ? tiles : (tiles + 3) / 4;
  return tiles * spec.kept + std::max({spec.spare, std::min<std::int64_t>(tiles * spec.kept, 8), spare});
}

std::int64_t slot_bytes(const ArraySpec& spec, const TileGrid& grid) {
  const auto bytes = volume(grid.tile_shape()) * static_cast<std::int64_t>(size_of(spec.type));
  return (bytes + page - 1) / page * page;
}

Store::Store(const std::vector<ArraySpec>& specs, const std::vector<TileGrid>& grids,
             std::vector<ArrayStorage> storage)
    : specs_(specs), grids_(grids), storage_(std::move(storage)), inputs_(reading_threads()) {
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

void Store::read(const Version& version, void* buffer, Done done) {
  const auto array = static_cast<std::size_t>(version.key.array);
  const ArraySpec& spec = specs_[array];
  const ArrayStorage& storage = storage_[array];
  if (spec.role == Role::input) {
    input_bytes_ += static_cast<std::int64_t>(version.bytes);
    inputs_.submit(spec.source, version.box, buffer, std::move(done));
  } else if (version.slot == home_slot) {
    storage.home->file->read_box(home_array(array), version.box, buffer, std::move(done));
  } else {
    storage.slots.file->read(storage.slots.offset(version.slot), buffer, static_cast<std::int64_t>(version.buffer),
                             std::move(done));
  }
}

void Store::check(const Version& version, std::uint64_t checksum) const {
  if (version.checksum == 0 || version.checksum == checksum) return;
  const ArrayStorage& storage = storage_[static_cast<std::size_t>(version.key.array)];
  throw IoError(storage.slots.file->path().string(),
                "slot " + std::to_string(version.slot) + " (tile " + std::to_string(version.key.tile) + " of " +
                    specs_[static_cast<std::size_t>(version.key.array)].name +
                    ") came back different from what was written: the disk or the file is damaged; start over "
                    "with --fresh");
}

void Store::write(const Version& version, std::int64_t slot, const void* buffer, Done done) {
  const auto array = static_cast<std::size_t>(version.key.array);
  const ArrayStorage& storage = storage_[array];
  if (slot == home_slot) {
    storage.home->file->write_box(home_array(array), version.box, buffer, std::move(done));
  } else {
    storage.slots.file->write(storage.slots.offset(slot), buffer, static_cast<std::int64_t>(version.buffer),
                              std::move(done));
  }
}

void Store::write_home(const std::vector<const Version*>& versions, Done done) {
  const auto array = static_cast<std::size_t>(versions.at(0)->key.array);
  std::vector<io::BoxPart> parts;
  for (const Version* version : versions) parts.push_back({version->box, version->at(0).data});
  storage_[array].home->file->write_boxes(home_array(array), std::move(parts), std::move(done));
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
