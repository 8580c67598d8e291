// The append-only record of checkpoints, from which a stopped run resumes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/files/entry.hpp"
#include "pipeline/run/executor/version.hpp"
#include "pipeline/run/executor/window.hpp"
#include "pipeline/run/input_checksums.hpp"
#include "pipeline/run/intervals.hpp"
#include "pipeline/run/profile.hpp"

namespace terrace::run {

/// Checksums of all tiles of result arrays, as they were written home: by array, in the order of tiles.
using HomeChecksums = std::map<int, std::vector<std::uint64_t>>;
/// The checksums of the complete tiles among `tiles` at home.
HomeChecksums home_checksums(const StoredVersions& tiles);

/// A consistent checkpoint of one stage: done blocks, closed under their dependences, and the place on disk of every
/// tile that they made and that is still needed.
struct Checkpoint {
  std::int64_t stage = 0;
  bool complete = false;  // the whole stage; only `folded`, `inputs` and its tiles at home remain
  std::int64_t frontier = 0;
  Work work;                                    // of all done blocks, of all attempts
  Intervals done;                               // beyond the frontier
  std::map<std::int64_t, std::string> results;  // of `done`: not folded yet
  std::vector<PhaseState> phases;               // under way: decisions
  std::string folded;                           // Tally::save at the frontier
  StoredVersions tiles;          // in the ledger's records only the changes since the checkpoint before
  std::vector<VersionKey> gone;  // tiles that the checkpoint before named and that are dead
  InputChecksums inputs;         // in records only new ones, too
};

/// The record of a complete stage.
struct CompletedStage {
  std::string folded;     // Tally::save
  InputChecksums inputs;  // of all that it read
  HomeChecksums tiles;    // of all that it wrote to the result
};

/// The state of a run in the ledger: complete stages (of which some may come after others that are not, if they were
/// taken over), and the last checkpoint of the stage under way.
struct Progress {
  std::map<std::size_t, CompletedStage> completed;  // by number
  std::optional<Checkpoint> current;                // whole, with all its tiles
  std::int64_t attempt = 0;                         // attempts made so far
  std::filesystem::path file = {};                  // of the ledger that was read
};

/// Files `<attempt>.log` in a folder, one for each attempt. A record is a line with its length and checksum, then its
/// text; a file counts up to its last whole record, and every file begins with the whole state that it took over.
class Ledger {
 public:
  /// Reads the newest state. @throws IoError naming the file and the record if a state cannot be understood
  static Progress read(const io::Entry& folder);

  /// Begins the next attempt's file with `progress`, durably.
  Ledger(const io::Entry& folder, const Progress& progress);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Appends a record and makes it durable. @throws IoError; a failed sync is final
  void append(const Checkpoint& checkpoint);

 private:
  void append_text(const std::string& text);

  std::filesystem::path path_;
  io::Descriptor file_;
};

/// Applies a record to the state before it.
void apply(const Checkpoint& record, Progress& progress);

}  // namespace terrace::run
