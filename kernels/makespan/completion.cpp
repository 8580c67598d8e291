#include "kernels/makespan/completion.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/makespan/bounds.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::makespan {
namespace {

constexpr int steps_between_questions = 256;
constexpr std::size_t most_in_pairs = 16;  // jobs of a machine whose pairs are compared with jobs that are left

}  // namespace

Completion::Completion(const SortedJobs& jobs, FailedSets& failed) : jobs_(jobs), failed_(failed) {}

void Completion::start(i64 target, const Position& position) {
  target_ = target;
  choices_.clear(), bins_.clear();
  const auto count = static_cast<std::size_t>(jobs_.count());
  machines_.assign(count, -1);
  free_.assign((count + 63) / 64, 0);
  for (i64 job = 0; job < jobs_.count(); ++job) flip(job);
  std::vector<std::vector<i64>> on;
  for (i64 job = 0; job < std::ssize(position.machines); ++job) {
    const i32 machine = position.machines[static_cast<std::size_t>(job)];
    if (machine < 0) continue;
    if (on.size() <= static_cast<std::size_t>(machine)) on.resize(static_cast<std::size_t>(machine) + 1);
    on[static_cast<std::size_t>(machine)].push_back(job);
  }
  for (const std::vector<i64>& chosen : on) {
    begin_machine();
    for (std::size_t n = 1; n < chosen.size(); ++n) {
      pass_over(next_, chosen[n]);
      take(chosen[n]);
    }
  }
  begins_ = on.empty() || position.next > jobs_.count();
  if (!begins_) pass_over(next_, position.next);
  floor_ = static_cast<std::size_t>(position.floor);
}

/// Notes that jobs from begin on that are free and fit are not chosen: so the others of the machine leave no room for
/// them.
void Completion::pass_over(i64 begin, i64 end) {
  for (i64 job = next_free(begin); job < end; job = next_free(job + 1)) {
    if (bins_.back().load + jobs_[job] <= target_) least_ = std::max(least_, target_ - jobs_[job] + 1);
  }
  next_ = end;
}

Position Completion::position() const {
  Position position{static_cast<i64>(floor_), begins_ ? jobs_.count() + 1 : next_, machines_};
  if (bins_.empty()) position = {};
  return position;
}

std::optional<Position> Completion::give() {
  std::size_t bin = 0;
  for (std::size_t n = floor_; n < choices_.size(); ++n) {
    while (bin + 1 < bins_.size() && bins_[bin + 1].first <= n) ++bin;
    if (bins_[bin].first == n) continue;  // the longest job left has no alternative
    const i64 job = choices_[n].job;
    Position other{static_cast<i64>(n), jobs_.first_shorter(job), machines_};
    for (std::size_t later = n; later < choices_.size(); ++later) {
      other.machines[static_cast<std::size_t>(choices_[later].job)] = -1;
    }
    floor_ = n + 1;
    return other;
  }
  return std::nullopt;
}

Completion::End Completion::run(const std::function<bool()>& leave) {
  End end = End::left;
  for (int steps = 0; step(end); ++steps) {
    if (steps % steps_between_questions == 0 && leave()) return End::left;
  }
  return end;
}

/// @return false at the end
bool Completion::step(End& end) {
  if (begins_ && next_free(0) == jobs_.count()) {
    end = End::found;
    return false;
  }
  const bool goes_on =
      begins_ ? std::ssize(bins_) < jobs_.machines && !left_jobs_fail() && begin_machine() : fill_machine();
  if (goes_on || go_back()) return true;
  end = End::exhausted;
  return false;
}

i64 Completion::next_free(i64 job) const {
  auto word = static_cast<std::size_t>(job) / 64;
  if (word >= free_.size()) return jobs_.count();
  u64 bits = free_[word] & (~u64{0} << (job % 64));
  while (bits == 0) {
    if (++word == free_.size()) return jobs_.count();
    bits = free_[word];
  }
  return static_cast<i64>(word) * 64 + std::countr_zero(bits);
}

/// The last free job before this one; -1 if there is none.
i64 Completion::free_before(i64 job) const {
  if (job <= 0) return -1;
  auto word = static_cast<std::size_t>(job - 1) / 64;
  u64 bits = free_[word] & (~u64{0} >> (63 - (job - 1) % 64));
  while (bits == 0) {
    if (word-- == 0) return -1;
    bits = free_[word];
  }
  return static_cast<i64>(word) * 64 + 63 - std::countl_zero(bits);
}

/// The capacity that machines from the next one on may leave unused.
Completion::Wide Completion::slack() const {
  if (bins_.empty()) return static_cast<Wide>(target_) * jobs_.machines - jobs_.sum;
  return bins_.back().slack - (target_ - bins_.back().load);
}

void Completion::take(i64 job) {
  flip(job);
  machines_[static_cast<std::size_t>(job)] = static_cast<i32>(bins_.size()) - 1;
  choices_.push_back({static_cast<i32>(job), least_});
  bins_.back().load += jobs_[job];
  next_ = job + 1;
}

void Completion::put_back(i64 job) {
  flip(job);
  machines_[static_cast<std::size_t>(job)] = -1;
  choices_.pop_back();
  bins_.back().load -= jobs_[job];
}

bool Completion::begin_machine() {
  bins_.push_back({choices_.size(), 0, slack()});
  least_ = bins_.back().slack >= target_ ? 0 : target_ - static_cast<i64>(bins_.back().slack);
  begins_ = false;
  take(next_free(0));
  return true;
}

/// Takes the next job that fits, or ends the machine. @return false if neither is of use
bool Completion::fill_machine() {
  const i64 room = target_ - bins_.back().load;
  i64 job = next_;
  if (job < jobs_.count() && jobs_[job] > room) job = jobs_.first_of_at_most(room);
  job = next_free(job);
  if (job == jobs_.count()) {
    begins_ = bins_.back().load >= least_ && !is_dominated();
    return begins_;
  }
  if (!can_reach(job)) return false;
  take(job);
  return true;
}

/// False if no choice among this job and shorter ones brings the machine to the load that it must reach.
bool Completion::can_reach(i64 job) const {
  const i64 missing = least_ - bins_.back().load, room = target_ - bins_.back().load;
  if (missing <= 0) return true;
  const i64 most = room / jobs_[free_before(jobs_.count())];
  if (ceiling(missing, jobs_[job]) > most) return false;
  i64 sum = 0;
  for (i64 other = job; other < jobs_.count() && sum < missing; other = next_free(other + 1)) sum += jobs_[other];
  return sum >= missing;
}

/// True if a free job that is not longer than the machine's longest one takes at least `least` and at most `most`.
bool Completion::has_free_between(i64 least, i64 most) const {
  const i64 longest = choices_[bins_.back().first].job;
  const i64 job = next_free(std::max(longest + 1, jobs_.first_of_at_most(most)));
  return job < jobs_.count() && jobs_[job] >= least;
}

bool Completion::is_dominated() const {
  const i64 room = target_ - bins_.back().load;
  const std::size_t first = bins_.back().first + 1, end = choices_.size();
  const auto time = [&](std::size_t choice) { return jobs_[choices_[choice].job]; };
  for (std::size_t one = first; one < end; ++one) {
    if (room > 0 && has_free_between(time(one) + 1, time(one) + room)) return true;
  }
  if (end - first > most_in_pairs) return false;
  for (std::size_t one = first; one < end; ++one) {
    for (std::size_t other = one + 1; other < end; ++other) {
      const i64 both = time(one) + time(other);
      if (has_free_between(both, both + room)) return true;
    }
  }
  return false;
}

/// Takes back the last choice that has an alternative, and passes over its job. @return false if there is none
bool Completion::go_back() {
  begins_ = false;
  while (choices_.size() > floor_) {
    const Choice last = choices_.back();
    const bool is_first = choices_.size() - 1 == bins_.back().first;
    put_back(last.job);
    if (!is_first) {
      least_ = std::max(last.least, target_ - jobs_[last.job] + 1);
      next_ = jobs_.first_shorter(last.job);
      return true;
    }
    bins_.pop_back();
    failed_.add(free_, jobs_.machines - std::ssize(bins_));
  }
  return false;
}

bool Completion::left_jobs_fail() {
  const i64 bins = jobs_.machines - std::ssize(bins_);
  if (failed_.has(free_, bins)) return true;
  left_.clear();
  sums_.assign(1, 0);
  for (i64 job = next_free(0); job < jobs_.count(); job = next_free(job + 1)) {
    left_.push_back(jobs_[job]);
    sums_.push_back(sums_.back() + jobs_[job]);
  }
  return do_not_fit(left_, sums_, bins, target_);
}

}  // namespace terrace::makespan
