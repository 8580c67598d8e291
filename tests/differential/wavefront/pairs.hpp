// Pairs of sequences for tests of parts that are left out: of local alignments, and outside bands of diagonals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "tests/differential/wavefront/samples.hpp"

namespace terrace::wavefront::test {

using Sequence = std::vector<std::uint8_t>;

struct Pair {
  const char* what;
  Sequence rows, columns;
};

inline Sequence random_letters(std::int64_t count, unsigned seed) {
  return make_letters(Letters::random, true, count, seed);
}

/// Changes one letter in `every`.
inline Sequence changed(Sequence letters, std::size_t every) {
  for (std::size_t i = every / 2; i < letters.size(); i += every) {
    letters[i] = static_cast<std::uint8_t>((letters[i] + 1) % 4);
  }
  return letters;
}

/// `part` at each of the places in a sequence that is otherwise of one letter.
inline Sequence holding(const Sequence& part, std::initializer_list<std::size_t> places, std::size_t length,
                        std::uint8_t letter) {
  Sequence letters(length, letter);
  for (const std::size_t place : places) std::copy(part.begin(), part.end(), letters.begin() + std::ptrdiff_t(place));
  return letters;
}

/// Every `every`-th letter, on average, is changed, left out or doubled.
inline Sequence mutated(const Sequence& letters, unsigned every, unsigned seed) {
  std::mt19937 random(seed);
  Sequence mutant;
  for (const std::uint8_t letter : letters) {
    const unsigned kind = random() % every == 0 ? static_cast<unsigned>(random() % 3) : 3;
    if (kind != 1) mutant.push_back(kind == 0 ? static_cast<std::uint8_t>((letter + 1) % 4) : letter);
    if (kind == 2) mutant.push_back(letter);
  }
  return mutant;
}

/// A table of its letters is some 1500 to 2900 cells high and wide.
inline std::vector<Pair> pruned_pairs() {
  const Sequence random = random_letters(2900, 1), part = random_letters(300, 2);
  Sequence later(random.size(), 9);
  std::copy(random.begin(), random.end() - 900, later.begin() + 900);
  return {{"random", random, random_letters(2500, 3)},
          {"equal", random, random},
          {"one letter in 30 changed", random, changed(random, 30)},
          {"moved by 900", random, later},
          {"all one letter", Sequence(1500, 3), Sequence(2100, 3)},
          {"nothing equal", Sequence(1500, 10), Sequence(2100, 20)},
          // The best cell many times: in several rows, in several columns, far apart.
          {"one part in many columns", holding(part, {1200}, 2400, 20), holding(part, {100, 900, 1700}, 2400, 30)},
          {"one part in many rows", holding(part, {60, 1000, 2000}, 2400, 20), holding(part, {1700}, 2400, 30)},
          {"one part everywhere", holding(part, {0, 500, 1000, 2100}, 2400, 20),
           holding(part, {0, 700, 1500, 2100}, 2400, 30)},
          {"one letter", Sequence(1, 1), random},
          {"one letter of columns", random, Sequence(1, 1)}};
}

/// Pairs of about `length` letters each.
inline std::vector<Pair> diagonal_pairs(std::int64_t length) {
  const Sequence random = random_letters(length, 1);
  Sequence repeats(random.size());
  for (std::size_t i = 0; i < repeats.size(); ++i) repeats[i] = random[i % 7];
  Sequence moved(random.begin() + length / 5, random.end());
  moved.insert(moved.end(), random.begin(), random.begin() + length / 5);
  Sequence shorter(random.begin() + length / 3, random.end());
  return {
      {"random", random, random_letters(length * 9 / 10, 2)},
      {"equal", random, random},
      {"1 in 100 changed", random, mutated(random, 100, 3)},
      {"1 in 10 changed", mutated(random, 10, 4), random},
      {"repeats", repeats, mutated(repeats, 30, 5)},
      {"a part moved", moved, random},
      {"a part missing", shorter, random},
      {"a part too many", random, shorter},
      {"unlike", Sequence(random.size(), 1), Sequence(random.size() / 2, 2)},
      {"one letter alone", Sequence(random.size(), 1), Sequence(random.size() * 3 / 4, 1)},
      {"rare letters", make_letters(Letters::rare, true, length, 6), make_letters(Letters::rare, false, length, 6)}};
}

}  // namespace terrace::wavefront::test
