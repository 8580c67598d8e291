// Versions: one generation of one tile each, with its copies and its pending uses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "pipeline/run/access.hpp"
#include "pipeline/run/array.hpp"
#include "pipeline/run/executor/parts.hpp"

namespace terrace::run {

/// Names a generation of a tile: array of the stage, number of the tile, generation.
struct VersionKey {
  int array = 0;
  std::int64_t tile = 0;
  std::int64_t generation = 0;
  friend bool operator==(const VersionKey&, const VersionKey&) = default;
};

struct VersionKeyHash {
  std::size_t operator()(const VersionKey& key) const {
    auto mix = static_cast<std::uint64_t>(key.tile) * 0x9E3779B97F4A7C15ull;
    mix ^= static_cast<std::uint64_t>(key.generation) * 0xC2B2AE3D27D4EB4Full + static_cast<std::uint64_t>(key.array);
    return mix ^ (mix >> 29);
  }
};

/// True for the generation of a result array that goes to the result.
inline bool is_result(const ArraySpec& spec, const VersionKey& key) {
  return spec.role == Role::result && key.generation == spec.generations;
}

/// True if that generation is the content of the array's source.
inline bool comes_from_source(const ArraySpec& spec, const VersionKey& key) {
  return key.generation == 0 && (spec.role == Role::input || spec.source != nullptr);
}

/// A place on disk: the array's home (a dataset, or the source of an input), or a slot of its scratch file; of a tile
/// that takes several slots the first one.
inline constexpr std::int64_t no_slot = -1;
inline constexpr std::int64_t home_slot = -2;

/// A sequence number that no block has.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// A copy of a version at one location (0: host, d + 1: device d).
///
/// A part of a tile is written once in a generation. So the content of a copy stays valid; it may lack parts that
/// were written elsewhere.
///
/// A tile is read from disk as a whole. If it is not complete, nobody knows which parts of it blocks have written,
/// and parts without content count as valid, too, until a block in the window is to write them.
struct Copy {
  std::byte* data = nullptr;
  Parts valid;            // the parts that hold the newest content
  bool incoming = false;  // a transfer into it is in flight
  int transfers = 0;      // transfers out of it in flight
  int holders = 0;        // blocks that reserved it
};

/// An access of a block in the window that has not ended yet.
struct PendingUse {
  std::int64_t sequence = 0;
  Mode mode = Mode::read;
  Box part;
  bool assembled = false;  // the part goes into an assembly of the block, to a device also from host memory
  bool taken = false;      // it is there: the block needs no copy of the tile for it any more
};

/// A part of a tile at home that is written before the tile is complete, and its checksum on disk.
struct TilePart {
  Box box;
  std::uint64_t checksum = 0;
  friend bool operator==(const TilePart&, const TilePart&) = default;
};

struct Version {
  VersionKey key;
  Box box;                 // of the tile
  std::size_t bytes = 0;   // of the tile's content
  std::size_t buffer = 0;  // bytes of its buffers: those of a full tile, page-aligned
  std::vector<Copy> copies;

  std::int64_t slot = no_slot;  // place of its content on disk; no_slot: none, or only of an older state
  std::uint64_t checksum = 0;   // of the content on disk, the whole tile; 0: not known
  std::vector<TilePart> parts;  // of a result, in the order in which blocks wrote them, until it is complete
  int storing = 0;              // writes to disk in flight, or waiting
  int being_written = 0;        // of these, now reading the host buffer: nothing may be copied into it
  bool going_home = false;      // is being written home, or waits for that: then its host buffer is free
  bool queued = false;          // waits for its turn to be written home
  int pins = 0;                 // checkpoints that must still write it
  int writers = 0;              // running blocks that write parts of it
  int host_writers = 0;         // of these, writing in host memory
  bool awaited = false;         // an update that has not started yet will hand its buffers over
  bool home = false;            // counted among the tiles of the result that are complete on disk
  int claims = 0;               // running blocks that write parts of it, for which it will take a free slot
  bool counted = false;         // among the versions that will take a free slot
  Version* heir = nullptr;      // the running update that took its buffers over
  std::int64_t filled = 0;      // elements written by done blocks
  bool read_early = false;      // was read from disk as a whole before it was complete: see Copy
  std::int64_t reads = 0;       // reads by done blocks
  std::int64_t changes = 0;     // writes by done blocks, to identify the state that a write to disk stored

  std::vector<PendingUse> pending;  // by blocks in the window, in order
  std::int64_t doomed_by = never;   // the block after whose start no block reads this any more
  bool dead = false;

  Copy& at(int location) { return copies[static_cast<std::size_t>(location)]; }
  const Copy& at(int location) const { return copies[static_cast<std::size_t>(location)]; }
  /// The next block that uses it.
  std::int64_t next_use() const {
    const auto next = std::find_if(pending.begin(), pending.end(), [](const PendingUse& use) { return !use.taken; });
    return next == pending.end() ? never : next->sequence;
  }
  /// True if a block up to `sequence` needs the copy at a location.
  bool is_needed(int location, std::int64_t sequence) const {
    return std::any_of(pending.begin(), pending.end(), [&](const PendingUse& use) {
      return use.sequence <= sequence && !use.taken && !(use.assembled && location > 0);
    });
  }
  bool complete() const { return filled >= box.volume(); }
  bool on_disk() const { return slot != no_slot; }
};

/// Notes that a block has taken, or has given up, a part that it reads into its assembly.
void note_taken(Version& version, std::int64_t sequence, const Box& part, bool taken);

/// True if a done block has written a part of it.
bool has_content(const Version& version);
/// The points of `box` that done blocks have written and the copy at `location` lacks, without the parts that blocks
/// in the window will still write.
std::vector<Box> lacking(const Version& version, int location, const Box& box);
/// True if the copies together hold all that has been written.
bool is_in_memory(const Version& version);
/// Removes from the valid parts of a copy the parts that blocks in the window will still write.
void forget_unwritten(const Version& version, Copy& copy);
/// True if other copies hold all parts that the copy at `location` holds.
bool is_held_elsewhere(const Version& version, int location);
/// The version that has its buffers now: itself, or the last of the updates under way that took them over.
Version& owner(Version& version);

/// The record of a version that is only on disk, or that a checkpoint names.
///
/// A tile at home is overwritten in place, with more parts each time. So until it is complete only the checksums of
/// its parts are sure to be right after a kill, and `checksum` has no meaning.
struct StoredVersion {
  std::int64_t slot = no_slot;
  std::uint64_t checksum = 0;
  std::int64_t filled = 0;
  std::int64_t reads = 0;
  std::vector<TilePart> parts = {};
  std::vector<std::int64_t> more_slots = {};  // in a record of a checkpoint: those after the first, of shared files
  friend bool operator==(const StoredVersion&, const StoredVersion&) = default;
};

StoredVersion stored_of(const Version& version);

using StoredVersions = std::unordered_map<VersionKey, StoredVersion, VersionKeyHash>;

/// All live versions: those in memory or in use, and, in short form, those that are only on disk.
class Versions {
 public:
  Version* find(const VersionKey& key);
  Version& add(std::unique_ptr<Version> version);
  void remove(const VersionKey& key);
  /// Keeps only the short form. The version must have no copies and no pending uses.
  void put_aside(const VersionKey& key);
  void put_aside(const VersionKey& key, const StoredVersion& stored) { stored_[key] = stored; }
  /// The short form, or null.
  const StoredVersion* aside(const VersionKey& key) const;
  /// Removes and returns the short form; nullopt if there is none.
  std::optional<StoredVersion> take_aside(const VersionKey& key);

  auto begin() { return map_.begin(); }
  auto end() { return map_.end(); }

 private:
  std::unordered_map<VersionKey, std::unique_ptr<Version>, VersionKeyHash> map_;
  StoredVersions stored_;
};

}  // namespace terrace::run
