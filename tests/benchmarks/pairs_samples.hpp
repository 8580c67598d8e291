// Generated sets of sequences and series for rates of pairs, the same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/pairs/task.hpp"

namespace terrace::benchmarks {

using Sequence = std::vector<std::uint8_t>;

/// A number from 0 to 1, of bits that the standard fixes.
inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Sequences of one length. Each of the second half is one of the first half with `changes` of its letters changed.
inline std::vector<Sequence> dna(std::size_t count, std::size_t length, double changes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Sequence> set(count, Sequence(length));
  for (std::size_t n = 0; n < count; ++n) {
    if (2 * n >= count) set[n] = set[n - (count + 1) / 2];
    for (auto& letter : set[n]) {
      if (2 * n < count || uniform(random) < changes) letter = static_cast<std::uint8_t>(random() % 4);
    }
  }
  return set;
}

/// A protein: 20 letters, the first of blosum62's codes, about as frequent as in nature.
inline Sequence protein(std::size_t length, std::mt19937_64& random) {
  // A R N D C Q E G H I L K M F P S T W Y V, of 10,000 (Swiss-Prot).
  constexpr int frequency[] = {826, 553, 406, 546, 138, 393, 672, 707, 227, 591,
                               965, 580, 241, 386, 474, 665, 536, 110, 292, 692};
  Sequence letters(length);
  for (auto& letter : letters) {
    int at = static_cast<int>(uniform(random) * 10000), code = 0;
    while (code < 19 && at >= frequency[code]) at -= frequency[code++];
    letter = static_cast<std::uint8_t>(code);
  }
  return letters;
}

/// Proteins whose lengths have the median 290 and are log-normal, from 30 to 5,000.
inline std::vector<Sequence> proteins(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Sequence> set;
  for (std::size_t n = 0; n < count; ++n) {
    double normal = -6;
    for (int i = 0; i < 12; ++i) normal += uniform(random);
    set.push_back(protein(static_cast<std::size_t>(std::clamp(290 * std::exp(0.75 * normal), 30.0, 5000.0)), random));
  }
  return set;
}

/// The lengths of 20 proteins with which searches of data bases are measured (SWIPE, CUDASW++).
inline std::vector<Sequence> query_proteins(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Sequence> set;
  for (const std::size_t length : {144,  189,  222,  375,  464,  567,  657,  729,  850,  1000,
                                   1500, 2005, 2504, 3005, 3564, 4061, 4548, 4743, 5147, 5478}) {
    set.push_back(protein(length, random));
  }
  return set;
}

template <class T>
std::vector<std::vector<T>> series(std::size_t count, std::size_t length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<T>> set(count, std::vector<T>(length));
  for (auto& each : set) {
    double value = 0;
    for (T& at : each) at = static_cast<T>(value += uniform(random) - 0.5);
  }
  return set;
}

/// Items one after another.
template <class Item>
struct Joined {
  explicit Joined(const std::vector<std::vector<Item>>& items) {
    for (const auto& item : items) {
      elements.insert(elements.end(), item.begin(), item.end());
      begin.push_back(std::ssize(elements));
      longest = std::max<pairs::i64>(longest, std::ssize(item));
    }
  }
  std::vector<Item> elements;
  std::vector<pairs::i64> begin{0};
  pairs::i64 longest = 0;
};

/// Pairs of an item of the rows with the item of the columns of the same number, over and over.
inline std::vector<pairs::Pair> one_with_one(std::int64_t count, std::int64_t items) {
  std::vector<pairs::Pair> made;
  for (std::int64_t n = 0; n < count; ++n) {
    made.push_back({static_cast<std::int32_t>(n % items), static_cast<std::int32_t>(n % items)});
  }
  return made;
}

/// Pairs of an item of the first half of dna() with the changed one of the second half.
inline std::vector<pairs::Pair> one_with_like(std::int64_t items) {
  std::vector<pairs::Pair> made;
  const std::int64_t half = (items + 1) / 2;
  for (std::int64_t n = 0; n + half < items; ++n) {
    made.push_back({static_cast<std::int32_t>(n), static_cast<std::int32_t>(n + half)});
  }
  return made;
}

}  // namespace terrace::benchmarks
