#include "kernels/dp_table/bounded/cpu/sweep.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/dp_table/bounded/measured.hpp"
#include "kernels/dp_table/bounded/runs.hpp"
#include "kernels/launch/cpu_backoff.hpp"

namespace terrace::dp_table {
namespace {

using Sizes = measured::BoundedCpu;

/// Bytes of the elements of a word of cells that are taken: segments begin with one.
constexpr i64 word = 64;

i64 whole_words(i64 elements) { return (elements + word - 1) / word * word; }

}  // namespace

i64 PassSweep::segment_length(i64 elements, i64 element_bytes, int threads) {
  const i64 most = std::min(Sizes::segment_bytes / element_bytes, whole_words(elements));
  if (threads == 1) return most;
  return std::min(most, std::max(Sizes::least_segment, whole_words(elements / (threads * Sizes::segments_a_thread))));
}

std::size_t PassSweep::copy_bytes(i64 elements, i64 element_bytes, int threads) {
  const i64 length = segment_length(elements, element_bytes, threads);
  return static_cast<std::size_t>((length + length / Sizes::reach_share + 2 * word) * element_bytes);
}

std::size_t PassSweep::copy_bytes() const {
  return static_cast<std::size_t>((length_ + length_ / Sizes::reach_share + 2 * word) * element_);
}

PassSweep::PassSweep(const BoundedTable& table, const BoundedTask& task, std::byte* below, BoundedFunction function,
                     int threads)
    : table_(table),
      task_(task),
      below_(below),
      function_(function),
      element_(static_cast<i64>(size_of(table.stored))),
      first_(task.below_first) {
  make_segments(threads);
  make_groups();
}

void PassSweep::make_segments(int threads) {
  length_ = segment_length(task_.end - first_, element_, threads);
  const auto add = [&](i64 begin, i64 end) {
    segments_.push_back(std::make_unique<Segment>());
    segments_.back()->begin = begin;
    segments_.back()->end = end;
  };
  // The segments of elements before the block's end where these begin.
  if (task_.end_pass - task_.first_pass > 1) {
    i64 begin = task_.first - (task_.first - first_ + length_ - 1) / length_ * length_;
    for (; begin < task_.first; begin += length_) add(std::max(begin, first_), begin + length_);
  }
  for (i64 begin = task_.first; begin < task_.end; begin += length_) add(begin, std::min(task_.end, begin + length_));
}

void PassSweep::make_groups() {
  const i64 most = segments_.size() == 1 && first_ == task_.first ? task_.end : length_ / Sizes::reach_share;
  for (auto pass = static_cast<std::size_t>(task_.first_pass); pass < static_cast<std::size_t>(task_.end_pass);
       ++pass) {
    const i64 reach = table_.passes[pass].reach;
    const bool is_alone = reach > most || task_.below_end < task_.first;
    if (groups_.empty() || is_alone || groups_.back().is_alone || groups_.back().reach + reach > most) {
      groups_.push_back({pass, pass, 0, is_alone});
    }
    groups_.back().end = pass + 1;
    groups_.back().reach += reach;
    // A segment without others before it needs none of them.
    if (most == task_.end) groups_.back().reach = 0;
  }
}

void PassSweep::work(i64 ticket, std::byte* copy, const std::function<bool()>& aborted) {
  const auto count = static_cast<i64>(segments_.size());
  const i64 number = ticket / count;
  const auto place = static_cast<std::size_t>(count - 1 - ticket % count);
  const PassGroup& group = groups_[static_cast<std::size_t>(number)];
  Segment& segment = *segments_[place];
  const bool is_needed = is_own(segment) || number + 1 < static_cast<i64>(groups_.size());
  if (!device::wait_until([&] { return may_read(place, number); }, aborted)) return;
  if (is_own(segment)) clear_taken(segment, group);
  if (!is_needed) {
    segment.copied.store(number + 1, std::memory_order_release);
  } else if (group.is_alone) {
    if (!device::wait_until([&] { return may_write(place, number); }, aborted)) return;
    take_alone(segment, group, {copy, std::max(first_, segment.begin - group.reach)});
    segment.copied.store(number + 1, std::memory_order_release);
  } else {
    const Memory from{copy, std::max(first_, segment.begin - whole_words(group.reach))};
    copy_in(from, from.first, segment.end);
    segment.copied.store(number + 1, std::memory_order_release);
    take_in_copy(segment, group, from);
    if (!device::wait_until([&] { return may_write(place, number); }, aborted)) return;
    const Memory to = memory_of(segment.begin);
    std::memcpy(to.data + (segment.begin - to.first) * element_, copy + (segment.begin - from.first) * element_,
                static_cast<std::size_t>((segment.end - segment.begin) * element_));
  }
  segment.written.store(number + 1, std::memory_order_release);
}

/// True once all that the segment reads has taken the groups before.
bool PassSweep::may_read(std::size_t place, i64 group) const {
  const i64 begin = segments_[place]->begin - whole_words(groups_[static_cast<std::size_t>(group)].reach);
  for (std::size_t other = place + 1; other-- > 0;) {
    if (segments_[other]->end <= begin) break;
    if (segments_[other]->written.load(std::memory_order_acquire) < group) return false;
  }
  return true;
}

/// True once all others that read the segment have read it.
bool PassSweep::may_write(std::size_t place, i64 number) const {
  const PassGroup& group = groups_[static_cast<std::size_t>(number)];
  const i64 offset = group.is_alone ? table_.passes[group.first].offset : 0;
  const Segment& segment = *segments_[place];
  for (std::size_t other = place + 1; other < segments_.size(); ++other) {
    const Segment& reader = *segments_[other];
    if (reader.begin - whole_words(group.reach) >= segment.end) break;
    if (group.is_alone && reader.end - offset <= segment.begin) continue;
    if (reader.copied.load(std::memory_order_acquire) <= number) return false;
  }
  return true;
}

PassSweep::Memory PassSweep::memory_of(i64 element) const {
  if (element < task_.first) return {below_, first_};
  return {static_cast<std::byte*>(task_.elements), task_.first};
}

void PassSweep::copy_in(const Memory& copy, i64 begin, i64 end) const {
  while (begin < end) {
    const i64 stop = begin < task_.first ? std::min(end, task_.first) : end;
    const Memory from = memory_of(begin);
    std::memcpy(copy.data + (begin - copy.first) * element_, from.data + (begin - from.first) * element_,
                static_cast<std::size_t>((stop - begin) * element_));
    begin = stop;
  }
}

/// Sets no bit of what the segment takes in the group.
void PassSweep::clear_taken(const Segment& segment, const PassGroup& group) const {
  if (task_.taken == nullptr) return;
  const i64 cells = table_.packed() == 1 ? word : 1;
  const i64 begin = segment.begin / cells - task_.taken_first,
            end = (segment.end + cells - 1) / cells - task_.taken_first;
  for (std::size_t pass = group.first; pass < group.end; ++pass) {
    u64* row = task_.taken + (static_cast<i64>(pass) - task_.first_pass) * task_.taken_stride;
    std::fill(row + begin, row + end, 0);
  }
}

void PassSweep::take_in_copy(Segment& segment, const PassGroup& group, const Memory& copy) {
  for (std::size_t pass = group.first; pass < group.end; ++pass) {
    take_pass(pass, copy, copy, segment.begin, segment.end, is_own(segment) ? &segment : nullptr);
    take_pass(pass, copy, copy, copy.first, segment.begin, nullptr);
  }
}

void PassSweep::take_alone(Segment& segment, const PassGroup& group, const Memory& copy) {
  const BoundedPass& pass = table_.passes[group.first];
  const i64 begin = std::max(first_, segment.begin - pass.reach), end = segment.end - pass.offset;
  if (end <= begin) return;
  Memory from = memory_of(begin);
  if (begin < task_.first && end > task_.first) {
    copy_in(copy, begin, end);
    from = {copy.data, begin};
  }
  take_pass(group.first, memory_of(segment.begin), from, segment.begin, segment.end,
            is_own(segment) ? &segment : nullptr);
}

/// Elements [begin, end) of `to` take a pass from `from`. @param noted of the segment that keeps what is found; null:
/// none does
void PassSweep::take_pass(std::size_t number, const Memory& to, const Memory& from, i64 begin, i64 end,
                          Segment* noted) const {
  const BoundedPass& pass = table_.passes[number];
  // The first elements of a copy lack what they read, unless it begins at the first element of all.
  if (from.first > 0) begin = std::max(begin, from.first + pass.reach);
  BoundedRun run{};
  run.pass = &pass;
  run.modulus = table_.table.modulus;
  if (noted != nullptr && task_.taken != nullptr) {
    run.taken = task_.taken + (static_cast<i64>(number) - task_.first_pass) * task_.taken_stride;
  }
  for_each_run(pass, begin, end, [&](i64 first, i64 last, bool starts) {
    run.elements = to.data + (first - to.first) * element_;
    run.source = from.data + (first - pass.offset - from.first) * element_;
    run.count = last - first;
    run.starts = starts;
    run.taken_bit = first - task_.taken_first * (table_.packed() == 1 ? word : 1);
    const i64 overflow = function_(run);
    if (overflow >= 0 && noted != nullptr) noted->overflow.take(static_cast<i64>(number), first + overflow);
  });
}

FirstOverflow PassSweep::overflow() const {
  FirstOverflow first;
  for (const auto& segment : segments_) first.take(segment->overflow.pass, segment->overflow.element);
  return first;
}

}  // namespace terrace::dp_table
