// The start of a run that takes over stages of another result: their bytes, and their state in the ledger.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "io/files/copy_bytes.hpp"
#include "io/results/file.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/run/run_folder.hpp"
#include "pipeline/run/run_plan.hpp"
#include "pipeline/run/run_settings.hpp"

namespace terrace::run {

/// Large datasets that a new result takes over from another one.
class TakenBytes {
 public:
  /// @param datasets of the new result, whose places are in `created`
  /// @throws IoError if the other result has changed since it was looked at
  TakenBytes(const RunPlan& plan, const std::vector<LargeDataset>& datasets, const io::CreatedResult& created,
             const RunFolder& folder);

  /// Lets the results share bytes, if the file system can. @return bytes that take no space
  std::int64_t share();
  /// Copies all other bytes; nothing is durable yet. Compares the tiles of datasets that share none with their
  /// checksums, as they are read. @throws Stopped, DamagedTile, IoError
  void copy_rest(const RunSettings& settings);
  /// The datasets of which all tiles have been compared.
  const std::vector<ResultArray>& compared() const { return compared_; }

 private:
  struct Piece {
    io::FilePlace from, to;
    std::int64_t bytes;  // that are to be moved
    ResultArray array;
    const io::StoredTiles* dataset;
    std::string stage;  // its name in the new run
    bool shares = false;
  };
  /// Adjacent tiles of a piece.
  struct Tiles {
    const Piece* piece;
    TileGrid grid;
    std::int64_t first, last;
  };

  static void copy_compared(const Tiles& tiles, const std::function<void(std::int64_t)>& progress);
  void copy_compared(const std::vector<Tiles>& tiles, WatchedPart& copying);

  std::vector<io::Descriptor> files_;
  std::vector<Piece> pieces_;
  std::vector<ResultArray> compared_;
};

/// Makes the first file of the ledger, `0.log`, which names the stages that were taken over as complete.
void note_taken(const RunPlan& plan, const RunFolder& folder);

}  // namespace terrace::run
