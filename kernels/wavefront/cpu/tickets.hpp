// One launch on the CPU: threads take bands of rows of consecutive blocks in order.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/launch/cpu_launch.hpp"
#include "kernels/wavefront/rules/block_grid.hpp"
#include "kernels/wavefront/task.hpp"

namespace terrace::wavefront {

class BandLaunch;

/// A band of rows of a block, as given to the thread that sweeps it. What a band needs from others it waits for here;
/// a wait that returns false means: leave at once, the block will not be kept.
class Band {
 public:
  Band(BandLaunch& launch, std::uint64_t block, std::int64_t index, std::int64_t count, int thread);

  const BlockTask& task() const { return task_->block; }
  /// The block with its kept lines, in launches whose descriptors have them.
  const KeptTask& kept() const { return *task_; }
  std::int64_t index() const { return index_; }
  bool first() const { return index_ == 0; }
  bool last() const { return index_ + 1 == count_; }
  /// The number of the block's own memory of a sweeper, in [0, slots).
  int slot() const { return slot_; }
  /// [0, threads).
  int thread() const { return thread_; }

  /// Waits until the row border above the band holds columns [0, columns) of the block.
  bool wait_above(std::int64_t columns);
  /// Waits until the column border left of the band is there.
  bool wait_left();
  /// The row border below the band holds columns [0, columns). All of them: only once the column border to its right
  /// is written too.
  void publish(std::int64_t columns);
  /// The block did not pass its checks.
  void fail();
  /// So many cells of the band were left out: they cannot change the result.
  void leave_out(std::int64_t cells);

 private:
  friend class BandLaunch;
  device::CpuLaunch& launch() const;

  BandLaunch& bands_;
  std::uint64_t block_;
  std::int64_t index_, count_;
  int thread_;
  int slot_;
  const KeptTask* task_ = nullptr;
};

/// The work of a family of problems on bands. Calls for different bands come from several threads at once.
class BandSweeper {
 public:
  virtual ~BandSweeper() = default;
  /// Bands of a block of that many rows; at least 1.
  virtual std::int64_t bands(std::int64_t rows) const = 0;
  /// A block is about to be swept in `slot`; called before any of its bands.
  virtual void open(int slot, const BlockTask& task) = 0;
  /// Computes the band, and publishes its columns as it goes. @return false when it left early
  virtual bool sweep(Band& band) = 0;
  /// The result of a block whose bands are all done.
  virtual BlockResult finish(int slot, const BlockTask& task) = 0;
};

/// The progress of the bands of the blocks that are under way; kept from launch to launch.
class BandSlots {
 public:
  BandSlots(int slots, std::int64_t most_bands);
  int count() const { return static_cast<int>(slots_.size()); }

 private:
  friend class BandLaunch;
  friend class Band;
  struct alignas(64) Progress {
    std::atomic<std::int64_t> columns{0};
  };
  struct Slot {
    std::atomic<std::uint64_t> opened{0};  // block + 1
    std::atomic<std::int64_t> bands_left{0};
    std::int64_t bands = 0;
    bool complete = false;  // under the mutex of the launch
    KeptTask task{};
    std::unique_ptr<Progress[]> progress;
  };
  void clear();

  std::vector<Slot> slots_;
};

/// Slots that keep `threads` threads busy when full blocks have that many bands. @param blocks of the table
int slots_for(int threads, std::int64_t bands, std::int64_t blocks);

/// Bands are numbered block by block. A thread takes the next number, waits for what its band needs, and computes it.
/// Whoever takes the first band of a block waits until the block may begin and looks at `stop` (see device::Port).
/// Every band needs only bands with smaller numbers, which others have taken: no order of threads can lock up.
class BandLaunch {
 public:
  BandLaunch(const device::Port& port, const BlockGrid& grid, BandSweeper& sweeper, BandSlots& slots);

  /// Takes bands until there are none; called once on each thread.
  /// @param thread [0, threads)
  /// @throws what the sweeper throws; the other threads then leave
  void work(int thread);

 private:
  friend class Band;
  struct Number {
    std::uint64_t block;
    std::int64_t band, bands;
  };

  std::int64_t bands_in(std::uint64_t block) const;
  bool number_at(std::uint64_t ticket, Number& number) const;
  BandSlots::Slot& slot_of(std::uint64_t block) const { return slots_.slots_[block % slots_.slots_.size()]; }
  bool open(const Number& number);
  bool may_open(std::uint64_t block);
  bool has_columns(std::uint64_t block, std::int64_t band, std::int64_t columns) const;
  void take(int thread, const Number& number);
  void finish_band(std::uint64_t block);
  void report_complete();

  device::CpuLaunch launch_;
  BlockGrid grid_;
  BandSweeper& sweeper_;
  BandSlots& slots_;
  std::uint64_t full_blocks_;  // those of this launch above the last row of blocks
  std::int64_t full_bands_, last_bands_;
  std::mutex mutex_;  // of the report
};

}  // namespace terrace::wavefront
