#include "kernels/makespan/failed_sets.hpp"

#include <algorithm>

namespace terrace::makespan {

FailedSets::FailedSets(i64 words, std::size_t bytes)
    : places_(bytes / (static_cast<std::size_t>(words + 1) * sizeof(u64))), words_(static_cast<std::size_t>(words)) {}

std::size_t FailedSets::place_of(std::span<const u64> jobs, u64 tag) const {
  u64 hash = tag * 0x9E3779B97F4A7C15;
  for (const u64 word : jobs) {
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9;
    hash ^= hash >> 31;
  }
  return hash % places_ * (words_ + 1);
}

void FailedSets::add(std::span<const u64> jobs, i64 bins) {
  if (places_ == 0) return;
  sets_.resize(places_ * (words_ + 1));
  const u64 tag = tag_of(bins);
  u64* place = sets_.data() + place_of(jobs, tag);
  *place = tag;
  std::copy(jobs.begin(), jobs.end(), place + 1);
}

bool FailedSets::has(std::span<const u64> jobs, i64 bins) const {
  if (sets_.empty()) return false;
  const u64 tag = tag_of(bins);
  const u64* place = sets_.data() + place_of(jobs, tag);
  return *place == tag && std::equal(jobs.begin(), jobs.end(), place + 1);
}

}  // namespace terrace::makespan
