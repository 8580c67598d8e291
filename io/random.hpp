// Random numbers by place: the n-th number of a seed, without those before it.
#pragma once

#include <cstdint>

namespace terrace::io {

/// Random streams of one seed; numbers of different streams are independent.
enum class RandomStream : std::uint64_t { values = 1, events, kinds, letters };

/// The same numbers on every machine and from every thread.
class Random {
 public:
  Random(std::int64_t seed, RandomStream stream);
  /// 64 random bits. Source: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014),
  /// entered at its index-th number.
  std::uint64_t bits(std::int64_t index) const {
    return mix(key_ + (static_cast<std::uint64_t>(index) + 1) * golden);
  }
  /// Evenly distributed over [0, 1), a multiple of 2^-53.
  double fraction(std::int64_t index) const {
    return static_cast<double>(static_cast<std::int64_t>(bits(index) >> 11)) * 0x1p-53;
  }
  /// Evenly distributed over [0, count), up to a bias of count / 2^64; any 64 bits for count 0.
  std::uint64_t below(std::uint64_t count, std::int64_t index) const;

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  static constexpr std::uint64_t mix(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
  }

  std::uint64_t key_;
};

}  // namespace terrace::io
