#include "pipeline/run/executor/launch_handle.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "pipeline/base/rounding.hpp"

namespace terrace::run {
namespace {

// Every word has a cache line of its own.
constexpr std::size_t word_stride = 128 / sizeof(device::u64);
/// At least one page: a plan's blocks may have no results.
std::size_t some_pages(std::size_t bytes) { return whole_pages(std::max<std::size_t>(1, bytes)); }

void set(device::u64* word, device::u64 value) {
  std::atomic_ref<device::u64>(*word).store(value, std::memory_order_release);
  std::atomic_ref<device::u64>(*word).notify_all();
}

device::u64 get(device::u64* word) { return std::atomic_ref<device::u64>(*word).load(std::memory_order_acquire); }

}  // namespace

LaunchHandle::LaunchHandle(device::Context& context, const Plan& plan, std::int64_t ring)
    : context_(context),
      descriptor_bytes_(plan.descriptor_bytes()),
      result_bytes_(plan.result_bytes()),
      ring_(ring),
      words_bytes_(page_bytes),
      descriptors_bytes_(some_pages(descriptor_bytes_ * static_cast<std::size_t>(ring))),
      results_bytes_(some_pages(result_bytes_ * static_cast<std::size_t>(ring))),
      times_bytes_(some_pages(2 * sizeof(device::u64) * static_cast<std::size_t>(ring))) {
  words_ = static_cast<device::u64*>(context_.allocate_host(words_bytes_));
  descriptors_ = static_cast<std::byte*>(context_.allocate_host(descriptors_bytes_));
  results_ = static_cast<std::byte*>(context_.allocate_host(results_bytes_));
  times_ = static_cast<device::u64*>(context_.allocate_host(times_bytes_));
  port_.ready = words_;
  port_.stop = words_ + word_stride;
  port_.abort = words_ + 2 * word_stride;
  port_.done = words_ + 3 * word_stride;
  port_.failed = words_ + 4 * word_stride;
  port_.skipped = words_ + 5 * word_stride;
  port_.descriptors = descriptors_;
  port_.results = results_;
  port_.times = times_;
  port_.ring = static_cast<device::u64>(ring);
  port_.descriptor_bytes = descriptor_bytes_;
  port_.result_bytes = result_bytes_;
}

LaunchHandle::~LaunchHandle() {
  wait();
  context_.release_host(words_, words_bytes_);
  context_.release_host(descriptors_, descriptors_bytes_);
  context_.release_host(results_, results_bytes_);
  context_.release_host(times_, times_bytes_);
}

void LaunchHandle::begin(const PhaseState& phase, std::int64_t first, std::int64_t count, std::int64_t number) {
  phase_ = phase;
  number_ = number;
  first_ = ready_ = taken_ = first;
  next_sequence_ = phase.first_sequence + first;
  end_sequence_ = phase.end() + phase.phase.further;
  sequences_.clear();
  count_ = count;
  stopping_ = false;
  set(port_.ready, static_cast<device::u64>(first));
  set(port_.done, static_cast<device::u64>(first));
  set(port_.stop, 0);
  set(port_.abort, 0);
  set(port_.failed, 0);
  set(port_.skipped, 0);
  port_.first = static_cast<device::u64>(first);
  port_.count = static_cast<device::u64>(count);
}

void LaunchHandle::submit(Worker& worker, int attempt) {
  context_.submit([this, &worker, attempt] { worker.run(phase_.phase, port_, attempt); });
  event_ = context_.record(device::Queue::compute);
}

void LaunchHandle::feed(const Worker& worker, const PhaseState& phase, const BlockView& view) {
  const auto entry = static_cast<std::size_t>(ready_ % ring_);
  worker.bind(phase.phase, view, descriptors_ + entry * descriptor_bytes_);
  times_[2 * entry] = times_[2 * entry + 1] = 0;
  sequences_.push_back(phase.first_sequence + view.index);
  next_sequence_ = sequences_.back() + 1;
  set(port_.ready, static_cast<device::u64>(++ready_));
}

void LaunchHandle::stop() {
  stopping_ = true;
  set(port_.stop, 1);
}

void LaunchHandle::close() {
  if (std::exchange(stopping_, true)) return;
  set(port_.stop, 2);
}

void LaunchHandle::abort() { set(port_.abort, 1); }

std::optional<LaunchHandle::Done> LaunchHandle::next_done() {
  if (taken_ >= static_cast<std::int64_t>(get(port_.done))) return std::nullopt;
  const auto entry = static_cast<std::size_t>(taken_++ % ring_);
  Done done{sequences_.front(), results_ + entry * result_bytes_, times_[2 * entry], times_[2 * entry + 1]};
  sequences_.pop_front();
  return done;
}

bool LaunchHandle::ended() {
  // The event first: blocks that the launch reported before it ended must not be missed.
  return event_->done() && taken_ >= static_cast<std::int64_t>(get(port_.done));
}

std::int64_t LaunchHandle::skipped() const { return static_cast<std::int64_t>(get(port_.skipped)); }

std::int64_t LaunchHandle::failed() const {
  const auto number = static_cast<std::int64_t>(get(port_.failed)) - 1;
  return number < 0 ? -1 : sequences_.at(static_cast<std::size_t>(number - taken_));
}

void LaunchHandle::wait() noexcept {
  if (!event_) return;
  abort();
  stop();
  try {
    event_->wait();
  } catch (...) {
    // The error that caused this abort is the one to report.
  }
  event_.reset();
}

}  // namespace terrace::run
