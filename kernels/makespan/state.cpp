#include "kernels/makespan/state.hpp"

#include <algorithm>
#include <cstring>

namespace terrace::makespan {
namespace {

i64 number(const i32*& words) {
  i64 value = 0;
  std::memcpy(&value, words, sizeof value);
  words += 2;
  return value;
}

void put(i64 value, i32*& words) {
  std::memcpy(words, &value, sizeof value);
  words += 2;
}

}  // namespace

void StateLayout::pack(const SearchState& state, std::span<i32> words) const {
  i32* at = words.data();
  for (const i64 value : {state.rounds, state.improved, state.lower, state.upper, state.reach, state.target,
                          static_cast<i64>(state.open.size())}) {
    put(value, at);
  }
  at = std::copy(state.best.begin(), state.best.end(), at);
  for (const Position& position : state.open) {
    put(position.floor, at);
    put(position.next, at);
    // A position without machines is the whole search.
    at = position.machines.empty() ? std::fill_n(at, jobs, -1)
                                   : std::copy(position.machines.begin(), position.machines.end(), at);
  }
  std::fill(at, words.data() + words.size(), 0);
}

SearchState StateLayout::unpack(std::span<const i32> words) const {
  const i32* at = words.data();
  SearchState state;
  for (i64* value : {&state.rounds, &state.improved, &state.lower, &state.upper, &state.reach, &state.target})
    *value = number(at);
  state.open.resize(static_cast<std::size_t>(number(at)));
  const auto machines = [&] {
    at += jobs;
    return Machines(at - jobs, at);
  };
  state.best = machines();
  for (Position& position : state.open) {
    position.floor = number(at);
    position.next = number(at);
    position.machines = machines();
  }
  return state;
}

}  // namespace terrace::makespan
