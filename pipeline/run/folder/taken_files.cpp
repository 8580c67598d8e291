#include "pipeline/run/folder/taken_files.hpp"

#include <fcntl.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "io/files/io_threads.hpp"
#include "io/files/tile_checksums.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/run/damaged_tile.hpp"
#include "pipeline/run/executor/store.hpp"

namespace terrace::run {
namespace {

constexpr std::size_t tile_copying_threads = 2;  // one at a time writes to the file; the other one reads

/// Opens the result that the part is in. @throws IoError unless it is the file that was looked at
io::Descriptor open_result(const TakenPart& part) {
  const io::Entry entry(part.file);
  io::Descriptor file = io::open_file(entry, O_RDONLY);
  if (io::file_state(entry) != part.state) {
    throw IoError(part.file.string(),
                  "has changed while the run was being planned; the same command looks at it again");
  }
  return file;
}

}  // namespace

TakenBytes::TakenBytes(const RunPlan& plan, const std::vector<LargeDataset>& datasets,
                       const io::CreatedResult& created, const RunFolder& folder) {
  std::map<std::filesystem::path, int> open;  // descriptors of results
  int to = -1;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const TakenPart* part = plan.stages[datasets[i].stage].taken.get();
    if (part == nullptr || !created.extents[i]) continue;
    if (!open.contains(part->file)) {
      files_.push_back(open_result(*part));
      open[part->file] = files_.back().get();
    }
    if (to < 0) {
      files_.push_back(io::open_file(folder.result(), O_RDWR));
      to = files_.back().get();
    }
    const io::StoredTiles& dataset = part->group.large.at(datasets[i].array);
    pieces_.push_back({{open[part->file], part->file, dataset.offset},
                       {to, folder.result().path(), created.extents[i]->offset},
                       created.extents[i]->bytes,
                       {datasets[i].stage, datasets[i].array},
                       &dataset,
                       plan.stages[datasets[i].stage].name});
  }
}

std::int64_t TakenBytes::share() {
  std::int64_t all = 0;
  for (Piece& piece : pieces_) {
    const std::int64_t shared = io::share_bytes(piece.from, piece.to, piece.bytes);
    piece.from.offset += shared;
    piece.to.offset += shared;
    piece.bytes -= shared;
    piece.shares = shared > 0;
    all += shared;
  }
  return all;
}

void TakenBytes::copy_rest(const RunSettings& settings) {
  std::int64_t all = 0;
  for (const Piece& piece : pieces_) all += piece.bytes;
  const Watch watch = watch_of(settings);
  WatchedPart copying(watch, "copying what is taken over", "byte", all);
  std::vector<Tiles> tiles;
  for (const Piece& piece : pieces_) {
    if (piece.shares) {
      io::copy_bytes(piece.from, piece.to, piece.bytes);
      copying.advance(piece.bytes);
      continue;
    }
    const TileGrid grid(piece.dataset->spec.shape, piece.dataset->tiles.tile);
    for (std::int64_t first = 0, last = 0; first < grid.count(); first = last) {
      last = io::end_of_tile_group(grid, first);
      tiles.push_back({&piece, grid, first, last});
    }
    compared_.push_back(piece.array);
  }
  copy_compared(tiles, copying);
}

void TakenBytes::copy_compared(const Tiles& tiles, const std::function<void(std::int64_t)>& progress) {
  const io::StoredTiles& dataset = *tiles.piece->dataset;
  const auto element = static_cast<std::int64_t>(size_of(dataset.spec.type));
  const auto found =
      io::copy_tiles(tiles.piece->from, tiles.piece->to, tiles.grid, element, tiles.first, tiles.last, progress);
  for (std::int64_t tile = tiles.first; tile < tiles.last; ++tile) {
    if (found[static_cast<std::size_t>(tile - tiles.first)] ==
        dataset.tiles.checksums.at(static_cast<std::size_t>(tile)))
      continue;
    throw DamagedTile(tiles.piece->from.path.string() + ", dataset " + dataset.spec.path, tiles.grid.box(tile),
                      tiles.piece->stage);
  }
}

/// Copies on several threads; this one tells what they have copied.
void TakenBytes::copy_compared(const std::vector<Tiles>& tiles, WatchedPart& copying) {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t next = 0;
  std::int64_t copied = 0;  // bytes that have not been told
  std::exception_ptr error;
  int working = static_cast<int>(std::min<std::size_t>(tile_copying_threads, tiles.size()));
  const auto note = [&](std::int64_t bytes) {
    const std::lock_guard lock(mutex);
    if (error) throw Stopped("");  // the error is thrown below
    copied += bytes;
    changed.notify_one();
  };
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (!error && next < tiles.size()) {
      const Tiles& mine = tiles[next++];
      lock.unlock();
      std::exception_ptr failure;
      try {
        copy_compared(mine, note);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (!error) error = failure;
    }
    --working;
    changed.notify_one();
  };
  io::IoThreads threads(std::max(1, working));
  for (int thread = working; thread > 0; --thread) threads.post(work);
  std::unique_lock lock(mutex);
  while (working > 0 || copied > 0) {
    changed.wait(lock, [&] { return working == 0 || copied > 0; });
    const std::int64_t bytes = std::exchange(copied, 0);
    lock.unlock();
    std::exception_ptr stop;
    try {
      copying.advance(bytes);
    } catch (...) {
      stop = std::current_exception();
    }
    lock.lock();
    if (!error) error = stop;
  }
  if (error) std::rethrow_exception(error);
}

void note_taken(const RunPlan& plan, const RunFolder& folder) {
  Progress progress;
  progress.attempt = -1;
  for (std::size_t number = 0; number < plan.stages.size(); ++number) {
    if (plan.stages[number].taken) progress.completed[number] = completed_by(*plan.stages[number].taken);
  }
  if (!progress.completed.empty()) Ledger(folder.ledger(), progress);
}

}  // namespace terrace::run
