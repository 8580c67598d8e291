// Phases: a number of blocks, and the order in which they run.
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
  any,      // a block starts when the host has seen the end of all blocks that it depends on
  in_turn,  // a launch computes its blocks one after another: dependences between them count as met
  chain,    // one persistent launch is fed with the blocks and hands a state from each to the next; if blocks
            // update tiles in place it also orders the updates of a tile: dependences on these count as met
};

/// The parameters of a phase in addition to its number: a struct of signed 64-bit integers. The ledger records it as
/// integers.
class PhaseValue {
 public:
  static constexpr int most_words = 16;

  PhaseValue() = default;
  template <class T>
  PhaseValue(const T& value) : count_(words_of<T>()) {
    std::memcpy(words_.data(), &value, sizeof value);
  }
  /// @throws Error if there are more than most_words
  static PhaseValue from(const std::int64_t* words, std::size_t count) {
    if (count > most_words) throw Error("a phase has a value of " + std::to_string(count) + " words");
    PhaseValue value;
    value.count_ = static_cast<int>(count);
    std::copy_n(words, count, value.words_.data());
    return value;
  }

  /// The struct again; all zeros if the phase has no value. @throws Error if the struct had another size
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
  /// Chains only: blocks of the next phases that the same launch computes, so that it does not drain in between.
  /// Dependences between phases are met when the host has seen them.
  std::int64_t further = 0;
};

}  // namespace terrace::run
