// Parameters and letters for tests over the list of problems.
#pragma once

#include "kernels/wavefront/visit.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace terrace::wavefront::test {

/// Settings that choose P: declared defaults, and small numbers if there is no default.
template <class P>
Settings sample_settings() {
  Settings settings;
  auto set = [&](const char* name, double value) { settings.set(name, value); };
  for (const Parameter& parameter : P::parameters) {
    const std::string name = parameter.name;
    if (name == "matrix" && by_matrix<P>) settings.set(name, std::string("blosum62"));
    else if (by_matrix<P> && (name == "match" || name == "mismatch")) continue;
    else if (parameter.kind == ParameterKind::choice && *parameter.default_text != '\0')
      settings.set(name, std::string(parameter.default_text));
    else if (name == "match") set("match", 2);
    else if (name == "mismatch") set("mismatch", -1);
  }
  const std::string variant = P::chosen_by == nullptr ? "" : P::chosen_by;
  if (variant == "gap") set("gap", 1);
  if (variant == "gap_open") {
    set("gap_open", 2);
    set("gap_extend", 1);
  }
  return settings;
}

enum class Letters { random, equal, different, rare };

/// A random letter, sometimes a rare one that equals no letter of the other side.
inline unsigned rare_letter(std::mt19937& random, bool rows) {
  const auto number = static_cast<unsigned>(random());
  if (number % 200 > 1) return number / 200 % 4;
  return number % 200 == 0 ? 77 : rows ? 4 : 5;
}

/// `count` letters of a sequence of rows or of columns; `different` letters never equal a letter of the other side.
inline std::vector<std::uint8_t> make_letters(Letters kind, bool rows, std::int64_t count, unsigned seed) {
  std::mt19937 random(seed + (rows ? 1u : 2u));
  std::vector<std::uint8_t> letters(static_cast<std::size_t>(count));
  for (auto& letter : letters) {
    letter = static_cast<std::uint8_t>(kind == Letters::random  ? random() % 4
                                       : kind == Letters::equal ? 255
                                       : kind == Letters::rare  ? rare_letter(random, rows)
                                                                : random() % 2 + (rows ? 0 : 200));
  }
  return letters;
}

/// Letters of blosum62, which scores letters in sample_settings().
inline constexpr int sample_codes = 24;

/// The settings with a matrix of `codes` letters: random scores from `least` to `largest`, both among them, of which
/// those of two letters differ with their sides.
inline Settings with_matrix(Settings settings, int codes, int least, int largest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> scores(static_cast<std::size_t>(codes * codes));
  for (std::int64_t& score : scores)
    score = least + static_cast<int>(random() % static_cast<unsigned>(largest - least + 1));
  scores.back() = least;
  scores.front() = largest;
  settings.set("matrix", scores);
  return settings;
}

/// Letters for P: with a matrix, codes of its letters, below `codes`.
template <class P>
std::vector<std::uint8_t> letters_for(Letters kind, bool rows, std::int64_t count, unsigned seed,
                                      int codes = sample_codes) {
  auto letters = make_letters(kind, rows, count, seed);
  if (!by_matrix<P>) return letters;
  std::mt19937 random(seed + (rows ? 3u : 4u));
  for (auto& letter : letters) {
    if (kind == Letters::random) letter = static_cast<std::uint8_t>(random());
    letter = static_cast<std::uint8_t>(letter % codes);
  }
  return letters;
}

/// Calls call(P{}) for every problem on letters.
template <class Call>
void for_each_letters_problem(Call&& call) {
  Problems::for_each([&]<class P>(P problem) {
    if constexpr (P::items == Items::letters) call(problem);
  });
}

}  // namespace terrace::wavefront::test
