// The append-only record of what is durable, from which a stopped run goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/files/entry.hpp"
#include "pipeline/run/executor/intervals.hpp"
#include "pipeline/run/executor/version.hpp"
#include "pipeline/run/executor/window.hpp"
#include "pipeline/run/profile.hpp"

namespace terrace::run {

/// Checksum of a tile of an input as it was read.
using InputChecksums = std::unordered_map<VersionKey, std::uint64_t, VersionKeyHash>;

/// Checksums of all tiles of result arrays, as they were written home: by array, in the order of tiles.
using HomeChecksums = std::map<int, std::vector<std::uint64_t>>;
/// Of the tiles at home that are complete.
HomeChecksums home_checksums(const StoredVersions& tiles);

/// A consistent cut of one stage: blocks closed under their dependences, and where everything is that they made and
/// that is still needed.
struct Cut {
  std::int64_t stage = 0;
  bool complete = false;  // the whole stage; nothing but `folded`, `inputs` and its tiles at home is left of it
  std::int64_t frontier = 0;
  Work work;                                    // of all blocks that are done, by whichever attempt
  Intervals done;                               // beyond the frontier
  std::map<std::int64_t, std::string> results;  // of those, not folded yet
  std::vector<PhaseState> phases;               // that are under way: decisions
  std::string folded;                           // Tally::save at the frontier
  StoredVersions tiles;                         // in the ledger's records only what changed since the cut before
  std::vector<VersionKey> gone;                 // tiles that were there at the cut before and are no more
  InputChecksums inputs;                        // likewise only what is new
};

/// What is left of a complete stage.
struct CompletedStage {
  std::string folded;     // Tally::save
  InputChecksums inputs;  // of all that it read
  HomeChecksums tiles;    // of all that it wrote to the result
};

/// What the ledger says of a run: complete stages, and the last cut of the one under way.
struct Progress {
  std::vector<CompletedStage> completed;
  std::optional<Cut> current;       // whole, with all its tiles
  std::int64_t attempt = 0;         // attempts made so far
  std::filesystem::path file = {};  // of the ledger that says so
};

/// Files `<attempt>.log` in a folder, one for each attempt. A record is a line with its length and checksum, then its
/// text; a file counts up to its last whole record, and every file begins with the whole state that it took over.
class Ledger {
 public:
  /// Reads what there is. @throws IoError naming the file and the record when a state cannot be understood
  static Progress read(const io::Entry& folder);

  /// Begins the next attempt's file with `progress`, durably.
  Ledger(const io::Entry& folder, const Progress& progress);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Appends a record and makes it durable. @throws IoError; a failed sync is final
  void append(const Cut& cut);

 private:
  void append_text(const std::string& text);

  std::filesystem::path path_;
  io::Descriptor file_;
};

/// Applies a record to the state before it.
void apply(const Cut& record, Progress& progress);

}  // namespace terrace::run
