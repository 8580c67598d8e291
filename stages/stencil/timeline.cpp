#include "stages/stencil/timeline.hpp"

#include <algorithm>

#include "kernels/stencil/cut.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::stages {
namespace {

/// Calls visit(step, snapshot, check) for each event in order of steps, and for the last step.
template <class Visit>
void for_each_event(const StencilEvents& events, const Visit& visit) {
  const auto& snapshots = events.snapshots;
  std::size_t next = 0;
  std::int64_t check = 0;
  for (;;) {
    const bool checks = events.check_every > 0 && (check + 1) * events.check_every <= events.steps;
    const std::int64_t check_step = checks ? (check + 1) * events.check_every : events.steps;
    const std::int64_t step = next < snapshots.size() ? std::min(snapshots[next], check_step) : check_step;
    const bool is_snapshot = next < snapshots.size() && snapshots[next] == step;
    const bool is_check = checks && check_step == step;
    visit(step, is_snapshot ? static_cast<std::int64_t>(next) : -1, is_check ? check : -1);
    if (is_snapshot) ++next;
    if (is_check) ++check;
    const bool more =
        next < snapshots.size() || (events.check_every > 0 && (check + 1) * events.check_every <= events.steps);
    if (step == events.steps && !more) return;
  }
}

}  // namespace

std::int64_t steps_of_passes(std::int64_t steps, std::int64_t most) {
  if (steps <= 0) return 1;
  const std::int64_t passes = ceiling(steps, most), even = ceiling(steps, passes);
  const std::int64_t whole = rounded_up(even, stencil::most_steps_at_once);
  return even < stencil::most_steps_at_once || whole > std::min(steps, most) ? even : whole;
}

std::int64_t longest_span(const StencilEvents& events) {
  std::int64_t longest = 0, before = 0;
  for_each_event(events, [&](std::int64_t step, std::int64_t, std::int64_t) {
    longest = std::max(longest, step - before);
    before = step;
  });
  return longest;
}

double count_events(const StencilEvents& events) {
  return static_cast<double>(events.snapshots.size()) +
         (events.check_every > 0 ? static_cast<double>(events.steps / events.check_every) : 0);
}

std::vector<std::int64_t> StencilEvents::snapshots_of(std::int64_t made) const {
  std::vector<std::int64_t> times(snapshots.begin(), std::upper_bound(snapshots.begin(), snapshots.end(), made));
  const bool left = times.size() < snapshots.size();
  if (left && (times.empty() || times.back() != made)) times.push_back(made);
  return times;
}

Timeline::Timeline(const StencilEvents& events, std::int64_t pass_steps, bool rims)
    : events_(events), pass_steps_(pass_steps), rims_(rims), checks_(events.check_every > 0) {
  std::int64_t before = 0;
  for_each_event(events, [&](std::int64_t step, std::int64_t snapshot, std::int64_t check) {
    const Span span{before, step, phases_, passes_, snapshot, check};
    spans_.push_back(span);
    phases_ += phases_of(span);
    passes_ += passes_of(span);
    before = step;
  });
}

std::int64_t Timeline::passes_of(const Span& span) const { return ceiling(span.end - span.begin, pass_steps_); }

std::int64_t Timeline::phases_of(const Span& span) const {
  return passes_of(span) * phases_a_pass() + (span.snapshot >= 0 ? 1 : 0) + (span.check >= 0 ? 1 : 0);
}

std::optional<StencilPhase> Timeline::phase(std::int64_t number) const {
  if (number >= phases_) {
    if (number > phases_ || !has_finish()) return std::nullopt;
    return StencilPhase{StencilWork::finish, spans_.back().end, 0, passes_, 0, passes_ == 0 ? 1 : 0};
  }
  const auto after = std::upper_bound(spans_.begin(), spans_.end(), number,
                                      [](std::int64_t n, const Span& span) { return n < span.first_phase; });
  const Span& span = *(after - 1);
  const std::int64_t passes = passes_of(span), within = number - span.first_phase, a_pass = phases_a_pass();
  if (within < passes * a_pass) {
    const std::int64_t pass = within / a_pass, length = span.end - span.begin;
    const std::int64_t most = steps_of_passes(length, pass_steps_), step = span.begin + pass * most;
    const std::int64_t steps = std::min(most, span.end - step);
    if (rims_ && within % a_pass == 0) {
      return StencilPhase{StencilWork::rims, step, steps, span.first_pass + pass, 0, 0};
    }
    if (events_.receives && within % a_pass == a_pass - 1) {
      return StencilPhase{StencilWork::record, step, steps, span.first_pass + pass, 0, 0};
    }
    const bool last = step + steps == span.end;
    const bool counts = last || (step + steps) / steps_between_counts > step / steps_between_counts;
    return StencilPhase{StencilWork::pass, step, steps, span.first_pass + pass, 0, counts ? 1 : 0};
  }
  const bool snapshot = span.snapshot >= 0 && within == passes * a_pass;
  return StencilPhase{snapshot ? StencilWork::snapshot : StencilWork::total,
                      span.end,
                      0,
                      span.first_pass + passes,
                      snapshot ? span.snapshot : span.check,
                      0};
}

std::optional<StencilPhase> Timeline::phase_after_stop(std::int64_t number, std::int64_t stopped) const {
  const StencilPhase check = *phase(stopped);
  const std::vector<std::int64_t>& all = events_.snapshots;
  const std::int64_t taken = std::upper_bound(all.begin(), all.end(), check.step) - all.begin();
  const std::int64_t left = std::ssize(events_.snapshots_of(check.step)) - taken, after = number - stopped - 1;
  if (after > left) return std::nullopt;
  if (after < left) return StencilPhase{StencilWork::snapshot, check.step, 0, check.passes, taken, 0};
  return StencilPhase{StencilWork::finish, check.step, 0, check.passes, 0, 0};
}

bool Timeline::is_checked(const StencilPhase& pass) const {
  const std::int64_t end = pass.step + pass.steps;
  const auto at = std::lower_bound(spans_.begin(), spans_.end(), end,
                                   [](const Span& span, std::int64_t step) { return span.end < step; });
  return at != spans_.end() && at->end == end && at->check >= 0;
}

}  // namespace terrace::stages
