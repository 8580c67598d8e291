#include "kernels/wavefront/cpu/waves.hpp"

#include <cstring>

#include "kernels/launch/block_times.hpp"
#include "kernels/launch/cpu_backoff.hpp"

namespace terrace::wavefront {
namespace {

std::uint64_t read(device::u64* word) { return std::atomic_ref(*word).load(std::memory_order_acquire); }
void write(device::u64* word, std::uint64_t value) { std::atomic_ref(*word).store(value, std::memory_order_release); }

}  // namespace

WaveLaunch::WaveLaunch(const device::Port& port, const TileWaves& waves, TileWaveSweeper& sweeper)
    : port_(port),
      waves_(waves),
      sweeper_(sweeper),
      tiles_(static_cast<std::uint64_t>(waves.down * waves.across)),
      opened_(port.first) {}

bool WaveLaunch::leaving() const { return over_.load(std::memory_order_relaxed) || read(port_.abort) != 0; }

template <class Ready>
bool WaveLaunch::wait(Ready&& ready) const {
  for (Backoff backoff; !ready(); backoff.pause()) {
    if (leaving()) return false;
  }
  return !leaving();
}

void WaveLaunch::work() {
  try {
    WavePlace place;
    std::uint64_t placed = port_.first;
    while (take(next_ticket_.fetch_add(1), place, placed)) {
    }
  } catch (...) {
    over_ = true;
    throw;
  }
}

/// @param place of the thread's last tile, in block `placed`
bool WaveLaunch::take(std::uint64_t ticket, WavePlace& place, std::uint64_t& placed) {
  const std::uint64_t offset = ticket / tiles_, number = ticket % tiles_, block = port_.first + offset;
  if (offset >= port_.count) return false;
  if (block != placed) place = {}, placed = block;
  place.advance(waves_, static_cast<i64>(number));
  const std::uint64_t before = offset * tiles_ + static_cast<std::uint64_t>(place.begin);
  if (!wait([&] { return finished_.load(std::memory_order_acquire) >= before; })) return false;
  if (number == 0 ? !open(block) : !wait([&] { return opened_.load(std::memory_order_acquire) > block; })) {
    return false;
  }
  if (!sweeper_.sweep(place.row, place.tile)) {
    if (!over_.exchange(true)) write(port_.failed, block + 1);
    return false;
  }
  if (number + 1 == tiles_) report(block);  // alone in its wave: the others are done
  finished_.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

bool WaveLaunch::open(std::uint64_t block) {
  if (!wait([&] { return may_open(block); })) return false;
  device::note_begin(port_, block);
  BlockTask task;
  const auto* descriptors = static_cast<const unsigned char*>(port_.descriptors);
  std::memcpy(&task, descriptors + block % port_.ring * port_.descriptor_bytes, sizeof task);
  sweeper_.open(task);
  opened_.store(block + 1, std::memory_order_release);
  return true;
}

bool WaveLaunch::may_open(std::uint64_t block) {
  if (read(port_.stop) != 0) {
    over_ = true;  // a block is opened once all before it are done: none continues
    return false;
  }
  return read(port_.ready) > block;
}

void WaveLaunch::report(std::uint64_t block) {
  device::note_end(port_, block);
  const BlockResult result = sweeper_.finish();
  std::memcpy(static_cast<unsigned char*>(port_.results) + block % port_.ring * port_.result_bytes, &result,
              sizeof result);
  write(port_.done, block + 1);
}

}  // namespace terrace::wavefront
