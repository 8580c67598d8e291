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
#include <unordered_map>
#include <vector>

#include "io/files/block_file.hpp"
#include "io/files/io_threads.hpp"
#include "io/read_queue.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/run/array.hpp"
#include "pipeline/run/executor/slot_files.hpp"
#include "pipeline/run/executor/version.hpp"

namespace terrace::run {

/// The place of a result array: an extent of a file that holds it row-major.
struct Home {
  std::shared_ptr<io::BlockFile> file;
  std::int64_t offset = 0;  // bytes
};

/// The slots of an array, or of all that share them: page-aligned pieces of one size in a file, after a header of one
/// page.
struct SlotFile {
  std::shared_ptr<io::BlockFile> file;
  std::int64_t slots = 0;
  std::int64_t slot_bytes = 0;

  std::int64_t offset(std::int64_t slot) const { return 4096 + slot * slot_bytes; }
};

/// The disk side of one array of a stage: either a home, or slots, or both.
struct ArrayStorage {
  std::optional<Home> home;
  SlotFile slots;
  std::string name = {};  // for messages: "dataset /align/table"; empty: the array's own
};

/// Moves versions between host buffers and disk and keeps count of slots. A slot is in use as long as a live version,
/// the last committed checkpoint or a checkpoint in the making names it.
class Store {
 public:
  using Done = std::function<void(std::exception_ptr)>;

  Store(const std::vector<ArraySpec>& specs, const std::vector<TileGrid>& grids, std::vector<ArrayStorage> storage);

  /// Reads the version's tile from its place on disk into `buffer`, and computes the checksums of the whole and of
  /// the parts in `found`. Both are complete when `done` is called, on another thread.
  void read(const Version& version, std::byte* buffer, StoredVersion& found, Done done);
  /// Compares the checksums of a read with the recorded ones. @throws IoError naming file, dataset and tile's box
  void check(const Version& version, const StoredVersion& found) const;
  /// Writes the version's tile to `stored.slot` (home_slot: the dataset), and computes its checksums meanwhile, as
  /// above, on threads of their own. Both `stored` and the buffer are used until `done` is called.
  void write(const Version& version, const std::byte* buffer, StoredVersion& stored, Done done);
  /// Writes versions of one array that lie side by side in its last dimension, in order, home from host memory.
  /// @param stored of each version, as above
  void write_home(const std::vector<const Version*>& versions, const std::vector<StoredVersion*>& stored, Done done);

  /// The checksum of a tile at home of which the result has a part, the tile of `made`. Blocks. @throws IoError
  std::uint64_t checksum_at_home(int array, const TileGrid& made, std::int64_t tile) const;

  /// The place to write the version to: home if it is the result, else a free slot, or no_slot if none is free.
  std::int64_t place_for(const VersionKey& key);
  void hold(const VersionKey& key, std::int64_t slot);
  /// Holds what a checkpoint of an earlier attempt names.
  void hold_again(const VersionKey& key, const StoredVersion& tile);
  void release(const VersionKey& key, std::int64_t slot);

  const TileGrid& grid(int array) const { return grids_[static_cast<std::size_t>(array)]; }
  /// Bytes of a row of a full tile of the array, in its last dimension.
  std::int64_t row_bytes(int array) const;

  /// Files of slots, and the one of an array: the same for those that share it.
  std::size_t slot_file_count() const { return files_.size(); }
  std::size_t slot_file(int array) const { return slot_files_[static_cast<std::size_t>(array)]; }
  bool is_shared(std::size_t file) const { return files_[file].is_shared; }
  /// Slots that a tile of the array takes, and those after a first one.
  std::int64_t slots_of_tile(int array) const { return tile_slots_[static_cast<std::size_t>(array)]; }
  const std::vector<std::int64_t>& more_slots(const VersionKey& key, std::int64_t first) const;
  /// Slots of a file that nobody holds.
  std::int64_t free_slots(std::size_t file) const { return files_[file].unheld; }

  /// Makes everything written so far durable. Blocks. @throws IoError
  void sync();
  std::int64_t bytes_read() const;
  std::int64_t bytes_written() const;

 private:
  struct SlotCounts {
    bool is_shared = false;
    std::vector<std::uint8_t> holders;  // of each slot
    std::vector<std::int64_t> free;     // slots that nobody holds, and some held again
    std::int64_t unheld = 0;
    /// In shared files: the slots after the first one of a tile, which are held as that one is.
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> more = {};
  };
  /// Bytes of a tile that lie in the file one after another.
  struct Piece {
    std::int64_t offset, at, bytes;  // in the file, and in the tile
  };
  std::vector<Piece> pieces(const Version& version, std::int64_t slot) const;

  io::FileArray home_array(std::size_t array) const;
  void add_checksums(const Version& version, const std::byte* content, StoredVersion& stored) const;
  void post_checksums(const Version& version, const std::byte* content, StoredVersion& stored, const Done& done);
  std::string where(const Version& version) const;

  const std::vector<ArraySpec>& specs_;
  const std::vector<TileGrid>& grids_;
  std::vector<ArrayStorage> storage_;
  std::vector<SlotCounts> files_;
  std::vector<std::size_t> slot_files_;   // of each array
  std::vector<std::int64_t> tile_slots_;  // alike
  io::ReadQueue inputs_;
  std::atomic<std::int64_t> input_bytes_{0};
  io::IoThreads adding_;  // computes checksums of tiles that are being written
};

}  // namespace terrace::run
