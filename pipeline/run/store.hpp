// The disk side of a stage's arrays: sources of inputs, datasets of results, slots of scratch files.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/block_file.hpp"
#include "io/read_queue.hpp"
#include "pipeline/run/array.hpp"
#include "pipeline/run/version.hpp"

namespace terrace::run {

/// Where a result array goes: an extent of a file that holds it row-major.
struct Home {
  std::shared_ptr<io::BlockFile> file;
  std::int64_t offset = 0;  // bytes
};

/// Where an array's slots are: page-aligned pieces of one size, after a header of one page.
struct SlotFile {
  std::shared_ptr<io::BlockFile> file;
  std::int64_t slots = 0;
  std::int64_t slot_bytes = 0;

  std::int64_t offset(std::int64_t slot) const { return 4096 + slot * slot_bytes; }
};

/// Spare slots an array needs beyond its live versions, so that a cut can be written beside the last one.
std::int64_t slots_needed(const ArraySpec& spec, const TileGrid& grid);
/// Bytes of one slot, a multiple of the page.
std::int64_t slot_bytes(const ArraySpec& spec, const TileGrid& grid);
/// Whether versions of the array can be on disk anywhere but at home.
bool needs_slots(const ArraySpec& spec);

/// The disk side of one array of a stage: either a home, or slots, or both.
struct ArrayStorage {
  std::optional<Home> home;
  SlotFile slots;
};

/// Moves versions between host buffers and disk and keeps count of slots. A slot is in use as long as a live version,
/// the last committed cut or a cut in the making names it.
class Store {
 public:
  using Done = std::function<void(std::exception_ptr)>;

  Store(const std::vector<ArraySpec>& specs, const std::vector<TileGrid>& grids, std::vector<ArrayStorage> storage);

  /// Reads the version's tile from where it is on disk into `buffer`; `done` is called on another thread.
  void read(const Version& version, void* buffer, Done done);
  /// Compares what was read with what had been written. @throws IoError naming file and tile
  void check(const Version& version, std::uint64_t checksum) const;
  /// Writes the version's tile to `slot` (home_slot: the dataset).
  void write(const Version& version, std::int64_t slot, const void* buffer, Done done);
  /// Writes versions of one array that lie side by side in its last dimension, in order, home from host memory.
  void write_home(const std::vector<const Version*>& versions, Done done);

  /// Where the version is to be written: home where it is the result, a free slot, or no_slot when none is free.
  std::int64_t place_for(const VersionKey& key);
  void hold(const VersionKey& key, std::int64_t slot);
  void release(const VersionKey& key, std::int64_t slot);

  const TileGrid& grid(int array) const { return grids_[static_cast<std::size_t>(array)]; }
  /// Bytes of a row of a full tile of the array, in its last dimension.
  std::int64_t row_bytes(int array) const;

  /// Slots of the array that nobody holds.
  std::int64_t free_slots(int array) const { return unheld_[static_cast<std::size_t>(array)]; }

  /// Makes everything written so far durable. Blocks. @throws IoError
  void sync();
  std::int64_t bytes_read() const;
  std::int64_t bytes_written() const;

 private:
  io::FileArray home_array(std::size_t array) const;

  const std::vector<ArraySpec>& specs_;
  const std::vector<TileGrid>& grids_;
  std::vector<ArrayStorage> storage_;
  std::vector<std::vector<std::uint8_t>> holders_;  // of each slot
  std::vector<std::vector<std::int64_t>> free_;     // slots nobody holds, and some held since
  std::vector<std::int64_t> unheld_;
  io::ReadQueue inputs_;
  std::atomic<std::int64_t> input_bytes_{0};
};

}  // namespace terrace::run
