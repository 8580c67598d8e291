#include "stages/recursive/triangles/brackets.hpp"

namespace terrace::stages {
namespace {

/// Number of brackets that open before and close after each item.
struct Brackets {
  std::span<const std::int32_t> opens, closes;
};

/// "((0 1) 2)": items, with brackets around those that are combined.
std::string expression_of_items(const Brackets& found, std::int64_t items) {
  std::string text;
  for (std::int64_t item = 0; item < items; ++item) {
    const auto at = static_cast<std::size_t>(item);
    if (item > 0) text += ' ';
    text.append(static_cast<std::size_t>(found.opens[at]), '(').append(std::to_string(item));
    text.append(static_cast<std::size_t>(found.closes[at]), ')');
  }
  return text;
}

/// "((0) 1 (2))": keys, each tree in brackets. A tree of gaps i to j - 1 has the keys i to j - 2.
std::string expression_of_keys(const Brackets& found, std::int64_t keys) {
  std::string text;
  for (std::int64_t key = 0; key < keys; ++key) {
    const auto at = static_cast<std::size_t>(key);
    if (key > 0) text += ' ';
    text.append(static_cast<std::size_t>(found.opens[at]), '(').append(std::to_string(key));
    text.append(static_cast<std::size_t>(found.closes[at + 1]), ')');
  }
  return text;
}

/// "((...))".
std::string structure_of(const Brackets& found, std::int64_t bases) {
  std::string text;
  for (std::int64_t base = 0; base < bases; ++base) {
    const auto at = static_cast<std::size_t>(base);
    text += found.opens[at] != 0 ? '(' : found.closes[at] != 0 ? ')' : '.';
  }
  return text;
}

}  // namespace

std::string brackets_of(const std::string& problem, std::span<const std::int32_t> opens,
                        std::span<const std::int32_t> closes, std::int64_t items) {
  const Brackets found{opens, closes};
  if (problem == "nussinov") return structure_of(found, items);
  return problem == "optimal_bst" ? expression_of_keys(found, items - 1) : expression_of_items(found, items);
}

}  // namespace terrace::stages
