// Phases: a number of blocks, and how they follow one another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pipeline/base/error.hpp"

namespace terrace::run {

/// The order of a phase's blocks. In every order the result is that of computing them one after another.
enum class Order : std::uint8_t {
  any,      // a block starts when the host has seen the end of those that it depends on
  in_turn,  // a launch computes its blocks one after another: what they need of one another counts as there
  chain,    // one persistent launch is fed with the blocks and hands a state from each to the next; where blocks
            // update tiles in place it also orders the updates of one tile, and what needs them counts as there
};

/// What a stage's blocks need to know of their phase beside its number: a struct of signed 64-bit integers. The
/// ledger records it as such.
class PhaseValue {
 public:
  static constexpr int most_words = 16;

  PhaseValue() = default;
  template <class T>
  PhaseValue(const T& value) : count_(words_of<T>()) {
    std::memcpy(words_.data(), &value, sizeof value);
  }
  /// @throws Error where there are more than most_words
  static PhaseValue from(const std::int64_t* words, std::size_t count) {
    if (count > most_words) throw Error("a phase has a value of " + std::to_string(count) + " words");
    PhaseValue value;
    value.count_ = static_cast<int>(count);
    std::copy_n(words, count, value.words_.data());
    return value;
  }

  /// The struct again; one of zeros where the phase has no value. @throws Error where it is a struct of another size
  template <class T>
  T as() const {
    T value{};
    if (count_ == 0) return value;
    if (count_ != words_of<T>()) throw Error("a phase has a value of another type than its stage");
    std::memcpy(&value, words_.data(), sizeof value);
    return value;
  }
  const std::int64_t* begin() const { return words_.data(); }
  const std::int64_t* end() const { return words_.data() + count_; }

 private:
  template <class T>
  static constexpr int words_of() {
    static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>);
    static_assert(sizeof(T) % sizeof(std::int64_t) == 0 && sizeof(T) <= most_words * sizeof(std::int64_t));
    return static_cast<int>(sizeof(T) / sizeof(std::int64_t));
  }

  std::array<std::int64_t, most_words> words_{};
  int count_ = 0;
};

/// A number of blocks, in an order that would be right if they ran one after another.
struct Phase {
  std::int64_t number = 0;  // of the stage's phases
  std::int64_t count = 0;   // blocks
  Order order = Order::any;
  PhaseValue value = {};
  /// Of a chain: blocks of the phases after it with which the same launch goes on, so that it does not drain in
  /// between. Between phases dependences are met when the host has seen them.
  std::int64_t further = 0;
};

}  // namespace terrace::run
