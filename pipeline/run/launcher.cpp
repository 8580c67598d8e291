#include "pipeline/run/launcher.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace terrace::run {
namespace {

// Every word has a cache line of its own.
constexpr std::size_t word_stride = 128 / sizeof(device::u64);
constexpr std::size_t page = 4096;

std::size_t whole_pages(std::size_t bytes) { return std::max<std::size_t>(1, (bytes + page - 1) / page) * page; }

void set(device::u64* word, device::u64 value) {
  std::atomic_ref<device::u64>(*word).store(value, std::memory_order_release);
  std::atomic_ref<device::u64>(*word).notify_all();
}

device::u64 get(device::u64* word) { return std::atomic_ref<device::u64>(*word).load(std::memory_order_acquire); }

}  // namespace

LaunchState::LaunchState(device::Context& context, Program& program, std::int64_t ring)
    : context_(context),
      program_(program),
      ring_(ring),
      words_bytes_(page),
      descriptors_bytes_(whole_pages(program.descriptor_bytes() * static_cast<std::size_t>(ring))),
      results_bytes_(whole_pages(program.result_bytes() * static_cast<std::size_t>(ring))),
      times_bytes_(whole_pages(2 * sizeof(device::u64) * static_cast<std::size_t>(ring))) {
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
  port_.descriptor_bytes = program.descriptor_bytes();
  port_.result_bytes = program.result_bytes();
}

LaunchState::~LaunchState() {
  wait();
  context_.release_host(words_, words_bytes_);
  context_.release_host(descriptors_, descriptors_bytes_);
  context_.release_host(results_, results_bytes_);
  context_.release_host(times_, times_bytes_);
}

void LaunchState::begin(const PhaseState& phase, std::int64_t first, std::int64_t count) {
  phase_ = phase;
  first_ = ready_ = taken_ = first;
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

void LaunchState::submit(int attempt, int device) {
  context_.submit(
      [this, attempt, device] { program_.run(phase_.phase, phase_.number, port_, attempt, context_, device); });
  event_ = context_.record(device::Queue::compute);
}

void LaunchState::feed(const BlockView& view) {
  program_.describe(phase_.phase, view,
                    descriptors_ + static_cast<std::size_t>(view.index % ring_) * program_.descriptor_bytes());
  times_[2 * (view.index % ring_)] = times_[2 * (view.index % ring_) + 1] = 0;
  set(port_.ready, static_cast<device::u64>(++ready_));
}

void LaunchState::stop() {
  stopping_ = true;
  set(port_.stop, 1);
}

void LaunchState::abort() { set(port_.abort, 1); }

const void* LaunchState::next_done(std::int64_t* index) {
  if (taken_ >= static_cast<std::int64_t>(get(port_.done))) return nullptr;
  *index = taken_++;
  return results_ + static_cast<std::size_t>(*index % ring_) * program_.result_bytes();
}

bool LaunchState::ended() {
  // The event first: what the launch reported before it ended must not be missed.
  return event_->done() && taken_ >= static_cast<std::int64_t>(get(port_.done));
}

std::int64_t LaunchState::skipped() const { return static_cast<std::int64_t>(get(port_.skipped)); }

std::int64_t LaunchState::failed() const { return static_cast<std::int64_t>(get(port_.failed)) - 1; }

void LaunchState::wait() noexcept {
  if (!event_) return;
  abort();
  stop();
  try {
    event_->wait();
  } catch (...) {
    // The error that made us leave is the one to report.
  }
  event_.reset();
}

}  // namespace terrace::run
