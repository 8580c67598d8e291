// The rules by which cells combine the cells where their steps lead, on the device.
//
// A rule (rules.hpp) has here, in addition, the type in which cells are combined (Wide), and the state of a cell
// while it is made (State): none() is that before the first step; take() adds the value where a step leads; made()
// is the cell's value.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/dp_table/cuda/layout.hpp"
#include "kernels/dp_table/rules.hpp"

namespace terrace::dp_table {

/// Costs of a table's steps.
enum class Costs : int {
  one,     // all the same
  each,    // one each
  chosen,  // one each, and the first of the best steps is kept
};

template <class T>
struct WideOf {
  using Type = i32;
};
template <>
struct WideOf<i64> {
  using Type = i64;
};
template <>
struct WideOf<float> {
  using Type = float;
};
template <>
struct WideOf<double> {
  using Type = double;
};

/// The least or the largest of values and costs.
template <class T, bool least, Costs costs>
struct BestOf : Best<T, least> {
  using Base = Best<T, least>;
  using Wide = typename WideOf<T>::Type;
  static constexpr bool has_costs = costs != Costs::one, has_choice = costs == Costs::chosen, counts = false;
  struct State {
    Wide value;
    i32 number;
  };

  __device__ static constexpr Wide origin(const TableLayout& layout) { return Base::origin(layout.modulus); }
  __device__ static State none() { return {Base::unreached(), -1}; }
  __device__ __forceinline__ static void take(State& state, Wide value, Wide cost, i32 number, const TableLayout&) {
    if constexpr (has_costs) value = Base::plus(value, cost);
    merge(state, {value, number});
  }
  __device__ __forceinline__ static void merge(State& state, const State& other) {
    if constexpr (has_choice) {
      const bool first =
          other.value == state.value && static_cast<u32>(other.number) < static_cast<u32>(state.number);
      if (other.value == Base::unreached() || !(Base::better(other.value, state.value) || first)) return;
      state = other;
    } else {
      state.value = Base::best(other.value, state.value);
    }
  }
  __device__ __forceinline__ static Wide made(const State& state, const TableLayout& layout) {
    Wide value = state.value;
    if constexpr (!has_costs) value = Base::plus(value, cost_of<Wide>(layout.whole_cost, layout.real_cost));
    return Base::capped(value, layout.cap);
  }
  __device__ static bool overflows(const State&) { return false; }
};

template <class T, Costs costs>
using Least = BestOf<T, true, costs>;
template <class T, Costs costs>
using Largest = BestOf<T, false, costs>;

/// 1 if a step comes from a cell that is reached, else 0.
template <class T, Costs costs>
struct ReachedOf : Reached {
  using Wide = i32;
  static constexpr bool has_costs = false, has_choice = costs == Costs::chosen, counts = false;
  struct State {
    Wide value;
    i32 number;
  };

  __device__ static constexpr Wide origin(const TableLayout& layout) { return Reached::origin(layout.modulus); }
  __device__ static State none() { return {unreached(), -1}; }
  __device__ __forceinline__ static void take(State& state, Wide value, Wide, i32 number, const TableLayout&) {
    merge(state, {value, number});
  }
  __device__ __forceinline__ static void merge(State& state, const State& other) {
    if constexpr (has_choice) {
      if (other.value != 0 && static_cast<u32>(other.number) < static_cast<u32>(state.number)) state = other;
    } else {
      state.value = best(state.value, other.value);
    }
  }
  __device__ __forceinline__ static Wide made(const State& state, const TableLayout&) { return state.value; }
  __device__ static bool overflows(const State&) { return false; }
};

/// Number of ways, modulo layout.modulus if that is not 0. Numbers of narrow types have a modulus and do not leave 64
/// bits when all steps are added.
template <class T, Costs costs>
struct CountOf : Count<T> {
  using Wide = i64;
  static constexpr bool has_costs = false, has_choice = false, counts = true;
  struct State {
    u64 sum;
    i32 over;  // not 0: the sum has left i64
  };

  __device__ static constexpr Wide origin(const TableLayout& layout) { return Count<T>::origin(layout.modulus); }
  __device__ static State none() { return {0, 0}; }
  __device__ __forceinline__ static void take(State& state, Wide value, Wide, i32, const TableLayout& layout) {
    add(state, static_cast<u64>(value), layout);
  }
  __device__ __forceinline__ static Wide made(const State& state, const TableLayout& layout) {
    if constexpr (sizeof(T) < 8) return static_cast<Wide>(state.sum % static_cast<u64>(layout.modulus));
    else return static_cast<Wide>(state.sum);
  }
  __device__ static bool overflows(const State& state) { return state.over != 0; }

 private:
  __device__ __forceinline__ static void add(State& state, u64 value, const TableLayout& layout) {
    state.sum += value;
    if constexpr (sizeof(T) == 8) {
      const u64 modulus = static_cast<u64>(layout.modulus);
      if (modulus == 0) state.over |= static_cast<i32>(state.sum >> 63);
      else if (state.sum >= modulus) state.sum -= modulus;
    }
  }
};

}  // namespace terrace::dp_table
