// One launch on the CPU in waves of tiles: the anti-diagonals of the tiles of a block one after another, with a
// barrier between them.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/launch/port.hpp"
#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/rules/tiles.hpp"
#include "kernels/wavefront/task.hpp"

namespace terrace::wavefront {

/// The work of a family of problems on the tiles of one block. Calls for tiles of one wave come from several threads
/// in parallel.
class TileWaveSweeper {
 public:
  virtual ~TileWaveSweeper() = default;
  /// A block is about to be swept; no tile of the block before is in flight.
  virtual void open(const BlockTask& task) = 0;
  /// Computes a tile; does nothing for a tile outside the block, at the lower or right edge. @return false if the
  /// block does not pass its checks
  virtual bool sweep(i64 row, i64 tile) = 0;
  virtual BlockResult finish() = 0;
};

/// Tiles are numbered block by block, wave by wave. A thread takes the next number, waits until all tiles of earlier
/// waves are done, and computes it: every tile that it waits for has been taken by a running thread.
class WaveLaunch {
 public:
  WaveLaunch(const device::Port& port, const TileWaves& waves, TileWaveSweeper& sweeper);

  /// Takes tiles until there are none; called once on each thread.
  /// @throws what the sweeper throws; the other threads then leave
  void work();

 private:
  bool take(std::uint64_t ticket, WavePlace& place, std::uint64_t& placed);
  bool open(std::uint64_t block);
  bool may_open(std::uint64_t block);
  bool leaving() const;
  template <class Ready>
  bool wait(Ready&& ready) const;
  void report(std::uint64_t block);

  const device::Port& port_;
  TileWaves waves_;
  TileWaveSweeper& sweeper_;
  std::uint64_t tiles_;  // of a block of full size
  std::atomic<std::uint64_t> next_ticket_{0};
  std::atomic<std::uint64_t> opened_;       // blocks before this one may be worked on
  std::atomic<std::uint64_t> finished_{0};  // tiles
  std::atomic<bool> over_{false};           // no tile is begun any more: stopped, failed or abandoned
};

}  // namespace terrace::wavefront
