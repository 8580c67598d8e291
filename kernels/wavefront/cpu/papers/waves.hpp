// One launch on the CPU in waves of tiles: the anti-diagonals of the tiles of a block one after another, with a
// barrier between them.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/launch/cpu_launch.hpp"
#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/rules/tiles.hpp"
#include "kernels/wavefront/task.hpp"

namespace terrace::wavefront {

/// The work of a family of problems on the tiles of one block. Calls for tiles of one wave come from several threads
/// at once.
class TileWaveSweeper {
 public:
  virtual ~TileWaveSweeper() = default;
  /// A block is about to be swept; nothing of the one before is under way.
  virtual void open(const BlockTask& task) = 0;
  /// Computes a tile; one that the block does not have, at the lower or right edge, is none. @return false where
  /// the block does not pass its checks
  virtual bool sweep(i64 row, i64 tile) = 0;
  virtual BlockResult finish() = 0;
};

/// Tiles are numbered block by block, wave by wave. A thread takes the next number, waits until all tiles of the
/// waves before are done, and computes it: whatever it waits for has been taken by a thread that runs.
class WaveLaunch {
 public:
  WaveLaunch(const device::Port& port, const TileWaves& waves, TileWaveSweeper& sweeper);

  /// Takes tiles until there are none; called once on each thread.
  /// @throws what the sweeper throws; the other threads then leave
  void work();

 private:
  bool take(std::uint64_t ticket, WavePlace& place, std::uint64_t& placed);
  bool open(std::uint64_t block);
  void report(std::uint64_t block);

  device::CpuLaunch launch_;
  TileWaves waves_;
  TileWaveSweeper& sweeper_;
  std::uint64_t tiles_;                     // of a block of full size
  std::atomic<std::uint64_t> opened_;       // blocks before this one may be worked on
  std::atomic<std::uint64_t> finished_{0};  // tiles
};

}  // namespace terrace::wavefront
