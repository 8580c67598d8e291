#include "kernels/makespan/shared_search.hpp"

#include <algorithm>
#include <utility>

namespace terrace::makespan {
namespace {

/// Steps after which a search for a target above the lower bound is given up, and up to which targets rise faster.
constexpr i64 few_steps = 100'000;

}  // namespace

SharedSearch::SharedSearch(SearchState& state, double seconds, i64 most_open, const std::function<bool()>& aborted)
    : state_(state),
      end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
      most_open_(most_open),
      aborted_(aborted),
      lower_(state.lower),
      upper_(state.upper) {}

bool SharedSearch::is_over() const { return lower() >= upper() || Clock::now() >= end_ || aborted_(); }

Machines SharedSearch::best() {
  const std::lock_guard lock(mutex_);
  return state_.best;
}

void SharedSearch::set_bounds(i64 lower, i64 upper) {
  lower_ = state_.lower = lower;
  upper_ = state_.upper = upper;
}

void SharedSearch::offer(const Machines& machines, i64 makespan) {
  const std::lock_guard lock(mutex_);
  if (makespan >= state_.upper) return;
  state_.best = machines;
  set_bounds(state_.lower, makespan);
  if (state_.target >= makespan) end_tree();
}

/// Its threads leave their subtrees.
void SharedSearch::end_tree() {
  ++tree_;
  state_.open.clear();
  state_.target = 0;
  state_.reach = 1;
  active_ = 0;
  tree_steps_ = 0;
  changed_.notify_all();
}

void SharedSearch::begin_tree() {
  state_.target = std::min(state_.lower + state_.reach, state_.upper) - 1;
  state_.open.assign(1, Position{});
}

std::optional<Subtree> SharedSearch::take() {
  std::unique_lock lock(mutex_);
  while (!is_over()) {
    if (state_.target == 0) begin_tree();
    if (!state_.open.empty()) {
      Subtree subtree{state_.target, tree_, std::move(state_.open.back())};
      state_.open.pop_back();
      ++active_;
      return subtree;
    }
    ++hungry_;
    changed_.wait_for(lock, std::chrono::milliseconds(20));
    --hungry_;
  }
  return std::nullopt;
}

bool SharedSearch::goes_on(const Subtree& subtree, i64 steps) {
  if (subtree.tree != tree_ || is_over()) return false;
  if ((tree_steps_ += steps) < few_steps || subtree.target == lower()) return true;
  const std::lock_guard lock(mutex_);
  if (subtree.tree == tree_) end_tree();
  return false;
}

void SharedSearch::give(const Subtree& subtree, Completion& search) {
  const std::lock_guard lock(mutex_);
  if (subtree.tree != tree_ || active_ + std::ssize(state_.open) >= most_open_) return;
  if (auto part = search.give()) {
    state_.open.push_back(*std::move(part));
    changed_.notify_one();
  }
}

void SharedSearch::put_back(const Subtree& subtree, Completion::End end, Position left) {
  const std::lock_guard lock(mutex_);
  if (subtree.tree != tree_) return;
  --active_;
  if (end == Completion::End::left) state_.open.push_back(std::move(left));
  if (end != Completion::End::exhausted || active_ > 0 || !state_.open.empty()) return;
  const i64 reach = tree_steps_ < few_steps ? 2 * state_.reach : 1;
  set_bounds(subtree.target + 1, state_.upper);
  end_tree();
  state_.reach = reach;
}

}  // namespace terrace::makespan
