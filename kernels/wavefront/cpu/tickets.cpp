#include "kernels/wavefront/cpu/tickets.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/launch/block_times.hpp"
#include "kernels/launch/cpu_backoff.hpp"

namespace terrace::wavefront {
namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

std::uint64_t read(device::u64* word) { return std::atomic_ref(*word).load(std::memory_order_acquire); }
void write(device::u64* word, std::uint64_t value) { std::atomic_ref(*word).store(value, std::memory_order_release); }

}  // namespace

int slots_for(int threads, std::int64_t bands) { return static_cast<int>((threads + bands - 1) / bands) + 2; }

BandSlots::BandSlots(int slots, std::int64_t most_bands) : slots_(static_cast<std::size_t>(slots)) {
  for (Slot& slot : slots_) slot.progress = std::make_unique<Progress[]>(static_cast<std::size_t>(most_bands));
}

void BandSlots::clear() {
  for (Slot& slot : slots_) slot.opened = 0;
}

Band::Band(BandLaunch& launch, std::uint64_t block, std::int64_t index, std::int64_t count, int thread)
    : launch_(launch),
      block_(block),
      index_(index),
      count_(count),
      thread_(thread),
      slot_(static_cast<int>(block % launch.slots_.slots_.size())),
      task_(&launch.slot_of(block).task) {}

bool Band::wait_above(std::int64_t columns) {
  const auto stride = static_cast<std::uint64_t>(launch_.grid_.stride());
  if (!first()) {
    return launch_.wait(block_, [&] { return launch_.has_columns(block_, index_ - 1, columns); });
  }
  if (block_ < launch_.port_.first + stride) return !launch_.leaving(block_);
  const std::uint64_t above = block_ - stride;
  return launch_.wait(block_, [&] { return launch_.has_columns(above, launch_.bands_in(above) - 1, columns); });
}

bool Band::wait_left() {
  const bool leftmost = block_ % static_cast<std::uint64_t>(launch_.grid_.across()) == 0;
  if (leftmost || block_ == launch_.port_.first) return !launch_.leaving(block_);
  const std::uint64_t left = block_ - 1;
  return launch_.wait(block_, [&] { return launch_.has_columns(left, index_, launch_.grid_.block_columns); });
}

void Band::publish(std::int64_t columns) {
  launch_.slot_of(block_).progress[static_cast<std::size_t>(index_)].columns.store(columns,
                                                                                   std::memory_order_release);
}

void Band::fail() { launch_.fail(block_); }

void Band::leave_out(std::int64_t cells) {
  std::atomic_ref(*launch_.port_.skipped).fetch_add(static_cast<device::u64>(cells), std::memory_order_relaxed);
}

BandLaunch::BandLaunch(const device::Port& port, const BlockGrid& grid, BandSweeper& sweeper, BandSlots& slots)
    : port_(port),
      grid_(grid),
      sweeper_(sweeper),
      slots_(slots),
      full_bands_(sweeper.bands(grid.block_rows)),
      last_bands_(sweeper.bands(grid.rows_of(grid.down() - 1))),
      end_(port.first + port.count),
      done_(port.first),
      failed_(none) {
  const auto full_end = static_cast<std::uint64_t>((grid.down() - 1) * grid.stride());
  full_blocks_ = full_end > port.first ? std::min<std::uint64_t>(full_end - port.first, port.count) : 0;
  slots_.clear();
}

std::int64_t BandLaunch::bands_in(std::uint64_t block) const {
  return block - port_.first < full_blocks_ ? full_bands_ : last_bands_;
}

bool BandLaunch::number_at(std::uint64_t ticket, Number& number) const {
  const auto full = static_cast<std::uint64_t>(full_bands_), last = static_cast<std::uint64_t>(last_bands_);
  const std::uint64_t full_tickets = full_blocks_ * full;
  std::uint64_t offset = ticket / full, band = ticket % full;
  if (ticket >= full_tickets) {
    offset = full_blocks_ + (ticket - full_tickets) / last;
    band = (ticket - full_tickets) % last;
  }
  if (offset >= port_.count) return false;
  number = {port_.first + offset, static_cast<std::int64_t>(band), bands_in(port_.first + offset)};
  return true;
}

bool BandLaunch::leaving(std::uint64_t block) const {
  return abandoned_.load(std::memory_order_relaxed) || block >= end_.load(std::memory_order_relaxed) ||
         read(port_.abort) != 0;
}

template <class Ready>
bool BandLaunch::wait(std::uint64_t block, Ready&& ready) const {
  for (Backoff backoff; !ready(); backoff.pause()) {
    if (leaving(block)) return false;
  }
  return !leaving(block);
}

void BandLaunch::work(int thread) {
  try {
    for (Number number{}; number_at(next_ticket_.fetch_add(1), number) && !leaving(number.block);) {
      take(thread, number);
    }
  } catch (...) {
    abandoned_ = true;
    throw;
  }
}

void BandLaunch::take(int thread, const Number& number) {
  if (!open(number)) return;
  Band band(*this, number.block, number.band, number.bands, thread);
  if (sweeper_.sweep(band)) finish_band(number.block);
}

bool BandLaunch::open(const Number& number) {
  BandSlots::Slot& slot = slot_of(number.block);
  if (number.band > 0) {
    return wait(number.block, [&] { return slot.opened.load(std::memory_order_acquire) == number.block + 1; });
  }
  if (!wait(number.block, [&] { return may_open(number.block); })) return false;
  device::note_begin(port_, number.block);
  const auto* descriptors = static_cast<const unsigned char*>(port_.descriptors);
  std::memcpy(&slot.task, descriptors + number.block % port_.ring * port_.descriptor_bytes,
              std::min<std::size_t>(sizeof slot.task, port_.descriptor_bytes));
  slot.bands = number.bands;
  slot.bands_left = number.bands;
  slot.complete = false;
  for (std::int64_t i = 0; i < number.bands; ++i) slot.progress[static_cast<std::size_t>(i)].columns = -1;
  sweeper_.open(static_cast<int>(number.block % slots_.slots_.size()), slot.task.block);
  slot.opened.store(number.block + 1, std::memory_order_release);
  return true;
}

bool BandLaunch::may_open(std::uint64_t block) {
  if (read(port_.stop) != 0) {
    std::uint64_t end = end_.load();
    while (end > block && !end_.compare_exchange_weak(end, block)) {
    }
    return false;
  }
  return read(port_.ready) > block &&
         block - port_.first < done_.load(std::memory_order_acquire) - port_.first + slots_.slots_.size();
}

bool BandLaunch::has_columns(std::uint64_t block, std::int64_t band, std::int64_t columns) {
  if (done_.load(std::memory_order_acquire) > block) return true;
  BandSlots::Slot& slot = slot_of(block);
  // A slot that was handed to a later block meanwhile belonged to one that is complete, so a stale answer is right.
  return slot.opened.load(std::memory_order_acquire) == block + 1 &&
         slot.progress[static_cast<std::size_t>(band)].columns.load(std::memory_order_acquire) >= columns;
}

void BandLaunch::finish_band(std::uint64_t block) {
  BandSlots::Slot& slot = slot_of(block);
  if (slot.bands_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  device::note_end(port_, block);
  std::lock_guard lock(mutex_);
  slot.complete = true;
  report_complete();
}

void BandLaunch::report_complete() {
  std::uint64_t next = done_.load();
  for (; next < end_.load(); ++next) {
    BandSlots::Slot& slot = slot_of(next);
    if (slot.opened.load() != next + 1 || !slot.complete) break;
    const BlockResult result = sweeper_.finish(static_cast<int>(next % slots_.slots_.size()), slot.task.block);
    auto* results = static_cast<unsigned char*>(port_.results);
    std::memcpy(results + next % port_.ring * port_.result_bytes, &result, sizeof result);
    done_.store(next + 1, std::memory_order_release);
    write(port_.done, next + 1);
  }
  if (next == failed_) write(port_.failed, failed_ + 1);
}

void BandLaunch::fail(std::uint64_t block) {
  std::lock_guard lock(mutex_);
  failed_ = std::min(failed_, block);
  std::uint64_t end = end_.load();
  while (end > block && !end_.compare_exchange_weak(end, block)) {
  }
  report_complete();
}

}  // namespace terrace::wavefront
