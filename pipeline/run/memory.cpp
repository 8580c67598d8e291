#include "pipeline/run/memory.hpp"

#include <algorithm>

namespace terrace::run {

Pool::Pool(std::size_t budget, Allocate allocate, Release release)
    : budget_(budget), allocate_(std::move(allocate)), release_(std::move(release)) {}

Pool::~Pool() {
  frozen_ = false;
  trim();
}

void Pool::trim() {
  if (frozen_) return;
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
  if (frozen_) {
    starved_ = true;
    return nullptr;
  }
  if (in_use_ + bytes > budget_ || !make_room(bytes)) return nullptr;
  auto* buffer = static_cast<std::byte*>(allocate_(bytes));
  allocated_ += bytes;
  ++count_[bytes];
  peak_ = std::max(peak_, allocated_);
  return buffer;
}

std::byte* Pool::take(std::size_t bytes) {
  auto& kept = kept_[bytes];
  std::byte* buffer = nullptr;
  if (!kept.empty()) {
    buffer = kept.back();
    kept.pop_back();
  } else {
    buffer = allocate(bytes);
  }
  if (buffer != nullptr) in_use_ += bytes;
  return buffer;
}

bool Pool::available(std::size_t bytes) const {
  auto kept = kept_.find(bytes);
  if (kept != kept_.end() && !kept->second.empty()) return true;
  return !frozen_ && available_thawed(bytes);
}

bool Pool::available_thawed(std::size_t bytes) const { return in_use_ + bytes <= budget_; }

void Pool::give(std::byte* buffer, std::size_t bytes) {
  in_use_ -= bytes;
  kept_[bytes].push_back(buffer);
}

bool Pool::prepare(std::size_t bytes, std::size_t count) {
  if (frozen_ || count_[bytes] >= count || allocated_ + bytes > budget_) return false;
  kept_[bytes].push_back(allocate(bytes));
  return true;
}

std::size_t Pool::in_use(std::size_t bytes) const {
  const auto all = count_.find(bytes);
  const auto kept = kept_.find(bytes);
  return (all == count_.end() ? 0 : all->second) - (kept == kept_.end() ? 0 : kept->second.size());
}

}  // namespace terrace::run
