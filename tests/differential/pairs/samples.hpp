// Sets of sequences and series, and the kinds of pairs that tests compare with the plain program of one table.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernels/pairs/spec.hpp"

namespace terrace::pairs::testing {

template <class Item>
using Items = std::vector<std::vector<Item>>;

/// A problem with parameters, as a job names them.
struct Kind {
  std::string problem;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  unsigned codes = 4;  // letters are below it

  Settings settings() const {
    Settings settings;
    for (const auto& [name, value] : numbers) {
      if (name == "window") settings.set(name, static_cast<std::int64_t>(value));
      else settings.set(name, value);
    }
    for (const auto& [name, value] : words) settings.set(name, value);
    return settings;
  }
};

inline std::string text_of(const Kind& kind) {
  std::string text = kind.problem;
  for (const auto& [name, value] : kind.numbers) text += " " + name + " " + std::to_string(value);
  for (const auto& [name, value] : kind.words) text += " " + name + " " + value;
  return text;
}

/// Smith-Waterman and Needleman-Wunsch with all gaps, scores and free ends; with scores that need 8, 16 and 32 bits.
inline std::vector<Kind> alignments() {
  std::vector<Kind> kinds;
  const std::map<std::string, double> gaps[] = {{{"gap", 1}},
                                                {{"gap_open", 2}, {"gap_extend", 1}},
                                                {{"gap_open", 11}, {"gap_extend", 1}},
                                                {{"gap", 0}},
                                                {{"gap_open", 0}, {"gap_extend", 0}}};
  const std::map<std::string, double> scores[] = {{{"match", 2}, {"mismatch", -1}},
                                                  {{"match", 5}, {"mismatch", -4}},
                                                  {{"match", 1}, {"mismatch", 0}},
                                                  {{"match", 0}, {"mismatch", -1}},
                                                  {{"match", 1}, {"mismatch", 2}}};
  const auto add = [&](const Kind& kind) {
    kinds.push_back(kind);
    kinds.back().problem = "smith_waterman";
    for (const char* free : {"none", "rows", "columns", "both"}) {
      kinds.push_back(kind);
      kinds.back().problem = "needleman_wunsch";
      kinds.back().words["free_ends"] = free;
    }
  };
  for (const auto& gap : gaps) {
    for (const auto& score : scores) {
      Kind kind{"", gap, {}, 4};
      kind.numbers.insert(score.begin(), score.end());
      add(kind);
    }
    add({"", gap, {{"matrix", "blosum62"}}, 24});
  }
  add({"", {{"match", 1.5}, {"mismatch", -0.25}, {"gap", 2}}, {}, 4});
  add({"", {{"match", 900}, {"mismatch", -700}, {"gap_open", 1000}, {"gap_extend", 300}}, {}, 3});
  add({"", {{"gap_open", 10.5}, {"gap_extend", 0.5}}, {{"matrix", "blosum50"}}, 24});
  add({"", {{"match", 2}, {"mismatch", -1}, {"gap", 1}}, {}, 6});
  add({"", {{"match", 3}, {"mismatch", -2}, {"gap_open", 3}, {"gap_extend", 1}}, {}, 200});
  add({"", {{"match", 1e6}, {"mismatch", -1e6}, {"gap", 1e6}}, {}, 4});
  return kinds;
}

inline std::vector<Kind> distances() {
  return {{"edit_distance", {}, {}, 4},   {"lcs", {}, {}, 4},   {"edit_distance", {}, {}, 2},
          {"edit_distance", {}, {}, 256}, {"lcs", {}, {}, 256}, {"lcs", {}, {}, 20}};
}

/// Time warping with any cost and steps. @param window less than 0: none; -2: and the ends of the columns are free
inline std::vector<Kind> warpings(std::int64_t window) {
  std::vector<Kind> kinds;
  for (const char* cost : {"absolute", "squared"}) {
    for (const char* steps : {"symmetric1", "symmetric2"}) {
      Kind kind{"dtw", {}, {{"cost", cost}, {"steps", steps}}};
      kinds.push_back(kind);
      if (window >= 0) kinds.back().numbers["window"] = static_cast<double>(window);
      if (window == -2) kinds.back().words["free_ends"] = "columns";
    }
  }
  return kinds;
}

class Samples {
 public:
  explicit Samples(unsigned seed) : random_(seed) {}

  i64 draw(i64 least, i64 most) { return std::uniform_int_distribution<i64>(least, most)(random_); }

  /// Random letters; some items are much like the one before.
  Items<u8> letters(i64 count, i64 shortest, i64 longest, unsigned codes) {
    Items<u8> items;
    for (i64 n = 0; n < count; ++n) {
      const bool is_like = n > 0 && draw(0, 3) == 0;
      std::vector<u8> item = is_like ? items.back() : std::vector<u8>();
      item.resize(static_cast<std::size_t>(draw(shortest, longest)));
      for (u8& letter : item) {
        if (!is_like || draw(0, 15) == 0) letter = static_cast<u8>(draw(0, codes - 1));
      }
      items.push_back(item);
    }
    return items;
  }

  template <class T>
  Items<T> series(i64 count, i64 shortest, i64 longest) {
    Items<T> items(static_cast<std::size_t>(count));
    for (auto& item : items) {
      item.resize(static_cast<std::size_t>(draw(shortest, longest)));
      for (T& value : item) value = static_cast<T>(draw(-1000, 1000)) / T(7);
    }
    return items;
  }

  std::vector<Pair> pairs(i64 count, i64 rows, i64 columns) {
    std::vector<Pair> pairs(static_cast<std::size_t>(count));
    for (Pair& pair : pairs) pair = {static_cast<i32>(draw(0, rows - 1)), static_cast<i32>(draw(0, columns - 1))};
    return pairs;
  }

 private:
  std::mt19937 random_;
};

}  // namespace terrace::pairs::testing
