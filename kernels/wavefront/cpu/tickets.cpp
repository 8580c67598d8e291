#include "kernels/wavefront/cpu/tickets.hpp"

#include <algorithm>

namespace terrace::wavefront {

int slots_for(int threads, std::int64_t bands, std::int64_t blocks) {
  return static_cast<int>(std::min((threads + bands - 1) / bands + 2, blocks));
}

BandSlots::BandSlots(int slots, std::int64_t most_bands) : slots_(static_cast<std::size_t>(slots)) {
  for (Slot& slot : slots_) slot.progress = std::make_unique<Progress[]>(static_cast<std::size_t>(most_bands));
}

void BandSlots::clear() {
  for (Slot& slot : slots_) slot.opened = 0;
}

Band::Band(BandLaunch& launch, std::uint64_t block, std::int64_t index, std::int64_t count, int thread)
    : bands_(launch),
      block_(block),
      index_(index),
      count_(count),
      thread_(thread),
      slot_(static_cast<int>(block % launch.slots_.slots_.size())),
      task_(&launch.slot_of(block).task) {}

bool Band::wait_above(std::int64_t columns) {
  const auto stride = static_cast<std::uint64_t>(bands_.grid_.stride());
  if (!first()) {
    return launch().wait(block_, [&] { return bands_.has_columns(block_, index_ - 1, columns); });
  }
  if (block_ < launch().first() + stride) return !launch().must_leave(block_);
  const std::uint64_t above = block_ - stride;
  return launch().wait(block_, [&] { return bands_.has_columns(above, bands_.bands_in(above) - 1, columns); });
}

bool Band::wait_left() {
  const bool leftmost = block_ % static_cast<std::uint64_t>(bands_.grid_.across()) == 0;
  if (leftmost || block_ == launch().first()) return !launch().must_leave(block_);
  const std::uint64_t left = block_ - 1;
  return launch().wait(block_, [&] { return bands_.has_columns(left, index_, bands_.grid_.block_columns); });
}

void Band::publish(std::int64_t columns) {
  bands_.slot_of(block_).progress[static_cast<std::size_t>(index_)].columns.store(columns, std::memory_order_release);
}

void Band::fail() { launch().fail(block_); }

void Band::leave_out(std::int64_t cells) { launch().leave_out(static_cast<device::u64>(cells)); }

device::CpuLaunch& Band::launch() const { return bands_.launch_; }

BandLaunch::BandLaunch(const device::Port& port, const BlockGrid& grid, BandSweeper& sweeper, BandSlots& slots)
    : launch_(port),
      grid_(grid),
      sweeper_(sweeper),
      slots_(slots),
      full_bands_(sweeper.bands(grid.block_rows)),
      last_bands_(sweeper.bands(grid.rows_of(grid.down() - 1))) {
  const auto full_end = static_cast<std::uint64_t>((grid.down() - 1) * grid.stride());
  full_blocks_ = full_end > port.first ? std::min<std::uint64_t>(full_end - port.first, port.count) : 0;
  slots_.clear();
}

std::int64_t BandLaunch::bands_in(std::uint64_t block) const {
  return block - launch_.first() < full_blocks_ ? full_bands_ : last_bands_;
}

bool BandLaunch::number_at(std::uint64_t ticket, Number& number) const {
  const auto full = static_cast<std::uint64_t>(full_bands_), last = static_cast<std::uint64_t>(last_bands_);
  const std::uint64_t full_tickets = full_blocks_ * full;
  std::uint64_t offset = ticket / full, band = ticket % full;
  if (ticket >= full_tickets) {
    offset = full_blocks_ + (ticket - full_tickets) / last;
    band = (ticket - full_tickets) % last;
  }
  if (offset >= launch_.count()) return false;
  number = {launch_.first() + offset, static_cast<std::int64_t>(band), bands_in(launch_.first() + offset)};
  return true;
}

void BandLaunch::work(int thread) {
  try {
    for (Number number{}; number_at(launch_.take_ticket(), number) && !launch_.must_leave(number.block);) {
      take(thread, number);
    }
  } catch (...) {
    launch_.abandon();
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
    return launch_.wait(number.block,
                        [&] { return slot.opened.load(std::memory_order_acquire) == number.block + 1; });
  }
  if (!launch_.wait(number.block, [&] { return may_open(number.block); })) return false;
  launch_.begin(number.block, slot.task);
  slot.bands = number.bands;
  slot.bands_left = number.bands;
  slot.complete = false;
  for (std::int64_t i = 0; i < number.bands; ++i) slot.progress[static_cast<std::size_t>(i)].columns = -1;
  sweeper_.open(static_cast<int>(number.block % slots_.slots_.size()), slot.task.block);
  slot.opened.store(number.block + 1, std::memory_order_release);
  return true;
}

bool BandLaunch::may_open(std::uint64_t block) {
  return launch_.may_begin(block) && block < launch_.reported() + slots_.slots_.size();
}

bool BandLaunch::has_columns(std::uint64_t block, std::int64_t band, std::int64_t columns) const {
  if (launch_.reported() > block) return true;
  const BandSlots::Slot& slot = slot_of(block);
  // A slot that was handed to a later block meanwhile belonged to one that is complete, so a stale answer is right.
  return slot.opened.load(std::memory_order_acquire) == block + 1 &&
         slot.progress[static_cast<std::size_t>(band)].columns.load(std::memory_order_acquire) >= columns;
}

void BandLaunch::finish_band(std::uint64_t block) {
  BandSlots::Slot& slot = slot_of(block);
  if (slot.bands_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  launch_.note_end(block);
  std::lock_guard lock(mutex_);
  slot.complete = true;
  report_complete();
}

void BandLaunch::report_complete() {
  for (std::uint64_t next = launch_.reported(); next < launch_.end(); ++next) {
    BandSlots::Slot& slot = slot_of(next);
    if (slot.opened.load() != next + 1 || !slot.complete) break;
    launch_.result<BlockResult>(next) =
        sweeper_.finish(static_cast<int>(next % slots_.slots_.size()), slot.task.block);
    launch_.report(next);
  }
}

}  // namespace terrace::wavefront
