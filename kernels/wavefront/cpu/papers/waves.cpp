#include "kernels/wavefront/cpu/papers/waves.hpp"

namespace terrace::wavefront {

WaveLaunch::WaveLaunch(const device::Port& port, const TileWaves& waves, TileWaveSweeper& sweeper)
    : launch_(port),
      waves_(waves),
      sweeper_(sweeper),
      tiles_(static_cast<std::uint64_t>(waves.down * waves.across)),
      opened_(port.first) {}

void WaveLaunch::work() {
  try {
    WavePlace place;
    std::uint64_t placed = launch_.first();
    while (take(launch_.take_ticket(), place, placed)) {
    }
  } catch (...) {
    launch_.abandon();
    throw;
  }
}

/// @param place of the thread's last tile, in block `placed`
bool WaveLaunch::take(std::uint64_t ticket, WavePlace& place, std::uint64_t& placed) {
  const std::uint64_t offset = ticket / tiles_, number = ticket % tiles_, block = launch_.first() + offset;
  if (offset >= launch_.count()) return false;
  if (block != placed) place = {}, placed = block;
  place.advance(waves_, static_cast<i64>(number));
  const std::uint64_t before = offset * tiles_ + static_cast<std::uint64_t>(place.begin);
  if (!launch_.wait(block, [&] { return finished_.load(std::memory_order_acquire) >= before; })) return false;
  if (number == 0 ? !open(block)
                  : !launch_.wait(block, [&] { return opened_.load(std::memory_order_acquire) > block; })) {
    return false;
  }
  if (!sweeper_.sweep(place.row, place.tile)) {
    launch_.fail(block);
    return false;
  }
  if (number + 1 == tiles_) report(block);  // alone in its wave: the others are done
  finished_.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

bool WaveLaunch::open(std::uint64_t block) {
  if (!launch_.wait(block, [&] { return launch_.may_begin(block); })) return false;
  BlockTask task;
  launch_.begin(block, task);
  sweeper_.open(task);
  opened_.store(block + 1, std::memory_order_release);
  return true;
}

void WaveLaunch::report(std::uint64_t block) {
  launch_.note_end(block);
  launch_.result<BlockResult>(block) = sweeper_.finish();
  launch_.report(block);
}

}  // namespace terrace::wavefront
