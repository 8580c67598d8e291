#include "pipeline/run/executor/pool.hpp"

#include <algorithm>
#include <chrono>

namespace terrace::run {
namespace {

constexpr std::size_t least_beside = 2u << 20;  // bytes; smaller buffers are allocated at once
constexpr std::size_t most_beside = 2;          // the pages of one are made while another is pinned

}  // namespace

Pool::Pool(std::size_t budget, Allocate allocate, Release release, Growth growth)
    : budget_(budget), allocate_(std::move(allocate)), release_(std::move(release)), growth_(growth) {}

Pool::~Pool() {
  while (growing()) {
    try {
      end_growth();
    } catch (...) {
      // Nobody needs the buffer any more.
    }
  }
  thaw_all();
  trim();
}

void Pool::freeze() {
  end_growth();
  ++frozen_;
}

void Pool::thaw() {
  if (frozen_ > 0 && --frozen_ == 0) starved_ = false;
}

void Pool::thaw_all() {
  frozen_ = 0;
  starved_ = false;
}

void Pool::trim() {
  if (frozen()) return;
  for (auto& [bytes, buffers] : kept_) {
    for (std::byte* buffer : buffers) release_(buffer, bytes);
    allocated_ -= bytes * buffers.size();
    count_[bytes] -= buffers.size();
  }
  kept_.clear();
}

bool Pool::make_room(std::size_t bytes) {
  while (allocated_ + bytes > budget_) {
    auto largest =
        std::find_if(kept_.rbegin(), kept_.rend(), [](const auto& entry) { return !entry.second.empty(); });
    if (largest == kept_.rend()) return false;
    release_(largest->second.back(), largest->first);
    largest->second.pop_back();
    allocated_ -= largest->first;
    --count_[largest->first];
  }
  return true;
}

std::byte* Pool::allocate(std::size_t bytes) {
  if (frozen()) {
    starved_ = true;
    return nullptr;
  }
  if (growing() || in_use_ + bytes > budget_ || !make_room(bytes)) return nullptr;
  if (growth_ == Growth::beside && bytes >= least_beside) {
    grow(bytes);
    return nullptr;
  }
  return count_new(bytes, allocate_(bytes));
}

std::byte* Pool::count_new(std::size_t bytes, void* buffer) {
  allocated_ += bytes;
  ++count_[bytes];
  peak_ = std::max(peak_, allocated_);
  return static_cast<std::byte*>(buffer);
}

/// Begins to allocate buffers of that size on other threads: `most_beside` at a time, within the budget.
void Pool::grow(std::size_t bytes) {
  while (grown_.size() < most_beside && allocated_ + bytes <= budget_) {
    grown_.push_back({std::async(std::launch::async, [this, bytes] { return allocate_(bytes); }), bytes});
    grown_bytes_ = bytes;
    allocated_ += bytes;  // reserved
  }
}

void Pool::take_in(std::size_t which) {
  Grown grown = std::move(grown_[which]);
  grown_.erase(grown_.begin() + static_cast<std::ptrdiff_t>(which));
  allocated_ -= grown.bytes;
  kept_[grown.bytes].push_back(count_new(grown.bytes, grown.buffer.get()));
}

void Pool::end_growth() {
  while (growing()) take_in(0);
}

bool Pool::collect() {
  bool any = false;
  for (std::size_t which = grown_.size(); which-- > 0;) {
    if (grown_[which].buffer.wait_for(std::chrono::seconds(0)) != std::future_status::ready) continue;
    take_in(which);
    any = true;
  }
  return any;
}

std::byte* Pool::take(std::size_t bytes) {
  collect();
  auto& kept = kept_[bytes];
  std::byte* buffer = nullptr;
  if (!kept.empty()) {
    buffer = kept.back();
    kept.pop_back();
    // Another new buffer will probably be requested soon.
    if (bytes == grown_bytes_ && kept.empty() && !frozen()) grow(bytes);
  } else {
    buffer = allocate(bytes);
  }
  if (buffer != nullptr) in_use_ += bytes;
  return buffer;
}

bool Pool::keeps(std::size_t bytes) const {
  const auto kept = kept_.find(bytes);
  return kept != kept_.end() && !kept->second.empty();
}

bool Pool::available(std::size_t bytes) const {
  if (keeps(bytes)) return true;
  return !frozen() && available_thawed(bytes);
}

bool Pool::available_thawed(std::size_t bytes) const { return in_use_ + bytes <= budget_; }

void Pool::give(std::byte* buffer, std::size_t bytes) {
  in_use_ -= bytes;
  kept_[bytes].push_back(buffer);
}

bool Pool::prepare(std::size_t bytes, std::size_t count) {
  end_growth();
  if (frozen_ || count_[bytes] >= count || allocated_ + bytes > budget_) return false;
  kept_[bytes].push_back(count_new(bytes, allocate_(bytes)));
  return true;
}

std::size_t Pool::in_use(std::size_t bytes) const {
  const auto all = count_.find(bytes);
  const auto kept = kept_.find(bytes);
  return (all == count_.end() ? 0 : all->second) - (kept == kept_.end() ? 0 : kept->second.size());
}

}  // namespace terrace::run
